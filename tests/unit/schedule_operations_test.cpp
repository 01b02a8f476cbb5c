#include <doctest/doctest.h>

#include "support/cluster_programs.h"

namespace gpusim::schedule_operations_test {

using namespace gpusim::literals;
using testing::Probe;

namespace {

/// The problem of one operation on fragments "x" and "y" of a probe; "" when there is none.
std::string refusal(Action action, int warps = 1, std::optional<Bound> guard = std::nullopt) {
  Probe probe;
  for (const char* const token : {"x", "y"}) (void)probe.token(token);
  probe.add(std::move(action), 1, std::move(guard));
  const std::vector<Problem> problems = check(probe.schedule(warps));
  return problems.empty() ? "" : problems.front().what;
}

std::string first_problem(const Schedule& schedule) {
  const std::vector<Problem> problems = check(schedule);
  return problems.empty() ? "" : problems.front().where + ": " + problems.front().what;
}

/// The problem of a bulk copy of 16 columns into a probe's tile of 32 rows.
std::string box_refusal(std::int64_t rows, int rank, std::int64_t planes = 1, std::int64_t plane_rows = 0) {
  BulkCopy copy = testing::bulk_lines(0, rows, testing::full());
  copy.rank = rank;
  copy.planes = planes;
  copy.plane_rows = plane_rows;
  return refusal(copy);
}

/// What is wrong with a wgmma changed so.
template <class Change>
std::string wgmma_refusal(const Change& change) {
  Schedule schedule = testing::wgmma_schedule();
  change(schedule, std::get<WarpgroupMultiply>(std::get<Operation>(schedule.roles[0].program.body[0]).action));
  return first_problem(schedule);
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a wgmma of sound operands, and clusters that use each other's memory, are taken") {
  CHECK(first_problem(testing::wgmma_schedule()).empty());
  CHECK(first_problem(testing::cluster_schedule()).empty());
}

TEST_CASE("int4 and b1 are types of fragments, not of memory") {
  Schedule schedule = testing::wgmma_schedule();
  schedule.buffers[0].dtype = DType::int4;
  schedule.shared_tiles[0].dtype = DType::b1;
  const std::vector<Problem> problems = check(schedule);
  REQUIRE(problems.size() == 2);
  CHECK(problems[0] == Problem{"/buffers/0/dtype", "int4 is a type of tensor-core fragments only, not of memory"});
  CHECK(problems[1] == Problem{"/shared_tiles/0/dtype", "b1 is a type of tensor-core fragments only, not of memory"});
  CHECK(refusal(Multiply{.input = DType::b1, .accumulate = DType::int32, .shape = {16, 8, 256}}).empty());
  CHECK(contains(refusal(Multiply{.pipe = Pipe::fma, .input = DType::int4}), "the fma pipe multiplies neither"));
}

TEST_CASE("clusters divide the grid") {
  Schedule schedule = testing::cluster_schedule();
  schedule.grid_m = 3;
  CHECK(first_problem(schedule) == "/cluster: clusters of 2 CTAs do not divide a grid of 3 x 1");
  schedule.grid_n = 6;
  CHECK(first_problem(schedule).empty());
  schedule.cluster = 32;
  CHECK(contains(first_problem(schedule), "the number of CTAs of a cluster is 32; it must be 1 to 16"));
}

TEST_CASE("a peer's memory and a cluster barrier need a cluster; one operation goes to one peer") {
  SharedAccess peer = testing::one_wavefront();
  peer.peer = Layout(0);
  CHECK(contains(refusal(LoadShared{peer, Token(0)}), "a peer's shared memory needs a cluster"));
  CHECK(contains(refusal(ClusterBarrier{}), "a cluster barrier needs a cluster"));
  Schedule schedule = testing::cluster_schedule();
  auto& load = std::get<LoadShared>(std::get<Operation>(schedule.roles[0].program.body[2]).action);
  load.from.peer = along(Coordinate::lane);
  CHECK(contains(first_problem(schedule), "the peer is one for the whole warp: it may not depend on lane"));
  load.from.peer = Layout(-1);
  CHECK(contains(first_problem(schedule), "the peer -1 may not be negative"));
}

TEST_CASE("cp.async and wgmma stay within their CTA") {
  SharedAccess peer = testing::one_wavefront();
  peer.peer = Layout(0);
  CHECK(contains(refusal(CopyAsync{testing::one_line(0), peer}), "its own CTA's shared memory only"));
  CHECK(contains(wgmma_refusal([](Schedule&, WarpgroupMultiply& multiply) { multiply.b.peer = Layout(0); }),
                 "wgmma reads its own CTA's shared memory only"));
}

TEST_CASE("a wgmma has m 64, n in eights up to 256, and k of 32 bytes") {
  const auto shaped = [](MmaShape shape) {
    return wgmma_refusal([&](Schedule&, WarpgroupMultiply& multiply) { multiply.shape = shape; });
  };
  CHECK(contains(shaped({16, 64, 16}), "a wgmma of fp16 has m 64 and k 16, not m 16 and k 16"));
  CHECK(contains(shaped({64, 64, 32}), "not m 64 and k 32"));
  CHECK(contains(shaped({64, 12, 16}), "n 8 to 256 in steps of 8, not 12"));
  CHECK(contains(shaped({64, 264, 16}), "not 264"));
  CHECK(shaped({64, 8, 16}).empty());
}

TEST_CASE("a wgmma multiplies what tensor cores read from shared memory, as it is stored") {
  CHECK(contains(wgmma_refusal([](Schedule&, WarpgroupMultiply& multiply) { multiply.input = DType::fp64; }),
                 "wgmma multiplies fp16, bf16, tf32, fp8 or int8, not fp64"));
  CHECK(contains(wgmma_refusal([](Schedule&, WarpgroupMultiply& multiply) {
                   multiply.input = DType::fp8;
                   multiply.shape.k = 32;
                 }),
                 "b is of fp8, tile 'B' of fp16"));
}

TEST_CASE("a wgmma is issued by whole warp groups") {
  CHECK(contains(wgmma_refusal([](Schedule& schedule, WarpgroupMultiply&) { schedule.roles[0].warps = 6; }),
                 "multiples of 4"));
  CHECK(contains(wgmma_refusal([](Schedule& schedule, WarpgroupMultiply&) {
                   schedule.roles.insert(schedule.roles.begin(), Role{"producer", 1, {}});
                 }),
                 "multiples of 4"));
  Schedule schedule = testing::wgmma_schedule();
  std::get<Operation>(schedule.roles[0].program.body[0]).guard = Bound{along(Coordinate::warp), 2};
  CHECK(contains(first_problem(schedule), "its guard may not depend on warp"));
}

TEST_CASE("atomics add numbers that L2 can add") {
  CHECK(refusal(AtomicAdd{testing::one_line(0), Token(0), Token(1)}).empty());
  CHECK(contains(refusal(AtomicAdd{testing::one_line(0), Token(2), {}}), "there is no fragment 2 among 2"));
  Probe probe;
  const Token x = probe.token("x");
  Schedule schedule = probe.add(AtomicAdd{{.buffer = BufferId(0), .vector = 4}, x, {}}).schedule();
  schedule.buffers[0].dtype = DType::int8;
  CHECK(contains(first_problem(schedule), "atomics add fp64, fp32 (tf32 as such), bf16, fp16 or int32, not int8"));
}

TEST_CASE("fragments that addresses come from are there") {
  GlobalAccess access = testing::one_line(0);
  access.address = Token(5);
  CHECK(contains(refusal(LoadGlobal{access, Token(0)}), "there is no fragment 5 among 2"));
  CHECK(contains(refusal(LoadConstant{Token(0), Token(5)}), "there is no fragment 5 among 2"));
}

TEST_CASE("the rank of a bulk copy says which boxes it can have") {
  CHECK(box_refusal(8, 2).empty());
  CHECK(box_refusal(1, 0).empty());
  CHECK(box_refusal(8, 3, 4, 16).empty());
  CHECK(contains(box_refusal(8, 6), "a tensor map has 1 to 5 dimensions"));
  CHECK(contains(box_refusal(8, 0), "a bulk copy of rank 0 has one row, not 8 x 32"));
  CHECK(contains(box_refusal(8, 1), "a bulk copy of rank 1 has one row"));
  CHECK(contains(box_refusal(8, 2, 4, 16), "a box of several planes needs a tensor map of at least 3 dimensions"));
  CHECK(contains(box_refusal(8, 3, 4, 7), "planes of 8 rows lie at least so many apart, not 7"));
  CHECK(contains(box_refusal(8, 3, 5, 8), "a box of 5 x 8 x 32 does not fit tile 'tile' of 32 x 32"));
}

TEST_CASE("a tensor map's box has at most 256 elements along a dimension; a plain bulk copy may be longer") {
  BulkCopy copy = testing::bulk_lines(0, 1, testing::full());
  copy.columns = 512;
  Probe probe;
  Schedule schedule = probe.add(copy).schedule();
  schedule.shared_tiles[0] = {"row", 1, 512, DType::fp32, 1, 2048_B, Swizzle::none};
  CHECK(contains(first_problem(schedule), "at most 256 elements along each dimension, not 1 x 512"));
  std::get<BulkCopy>(std::get<Operation>(schedule.roles[0].program.body[0]).action).rank = 0;
  CHECK(first_problem(schedule).empty());
}

}  // namespace gpusim::schedule_operations_test
