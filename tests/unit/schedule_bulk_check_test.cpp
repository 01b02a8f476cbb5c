#include <doctest/doctest.h>

#include "support/cluster_programs.h"

namespace gpusim::schedule_bulk_check_test {

using namespace gpusim::literals;
using testing::Probe;

namespace {

/// The problem of one operation on fragment "x" in a cluster of 2 x 1 CTAs; "" when there is none. Its buffer has two
/// layers.
std::string refusal(Action action, int cluster = 2, int cluster_m = 2) {
  Probe probe;
  (void)probe.token("x");
  Schedule schedule = probe.add(std::move(action)).schedule(1, 4);
  schedule.cluster = cluster;
  schedule.cluster_m = cluster_m;
  schedule.buffers[0].layers = 2;
  schedule.shared_tiles.push_back({"half", 32, 64, DType::fp16, 1, 128_B, Swizzle::bytes128});
  const std::vector<Problem> problems = check(schedule);
  return problems.empty() ? "" : problems.front().what;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

BulkCopy copy_of(std::int64_t rows) { return testing::bulk_lines(0, rows, testing::full()); }

BulkStore store_of(std::int64_t rows, std::int64_t columns = 32) {
  return {.tile = TileId(0), .rows = rows, .columns = columns, .buffer = BufferId(0)};
}

}  // namespace

TEST_CASE("a box fits the tile from the row it begins at") {
  BulkCopy copy = copy_of(16);
  copy.tile_row = along(Coordinate::block_m, 8, 1, 3);
  CHECK(refusal(copy).empty());
  copy.tile_row += 1;
  CHECK(contains(refusal(copy), "the first of 16 rows of 'tile'"));
  CHECK(contains(refusal(copy), "runs from 1 to 17; it must stay within 0 and 16"));
  BulkStore store = store_of(32);
  CHECK(refusal(store).empty());
  store.tile_row = 1;
  CHECK(contains(refusal(store), "it must stay within 0 and 0"));
}

TEST_CASE("layers are those of the buffer, and one for all lanes") {
  GlobalAccess access = testing::one_line(0);
  access.layer = 2;
  CHECK(contains(refusal(LoadGlobal{.from = access, .into = Token(0)}), "the layer 2 runs from 2 to 2"));
  access.layer = along(Coordinate::lane, 1, 16);
  CHECK(contains(refusal(LoadGlobal{.from = access, .into = Token(0)}), "may not depend on lane"));
  access.layer = along(Coordinate::repeat);
  CHECK(contains(refusal(LoadGlobal{.from = access, .into = Token(0)}), "may not depend on repeat"));
  BulkCopy copy = copy_of(8);
  copy.layer = 2;
  CHECK(contains(refusal(copy), "the layer 2"));
  BulkStore store = store_of(8);
  store.layer = 1;
  CHECK(refusal(store).empty());
  store.layer = -1;
  CHECK(contains(refusal(store), "the layer -1"));
}

TEST_CASE("a multicast needs a cluster, and along a side one with a shape") {
  BulkCopy copy = copy_of(8);
  copy.multicast = Multicast::along_m;
  CHECK(refusal(copy).empty());
  CHECK(contains(refusal(copy, 2, 0), "a multicast along m or n needs a cluster with a shape"));
  CHECK(contains(refusal(copy, 1, 0), "a multicast needs a cluster of more than one CTA"));
  copy.multicast = Multicast::cluster;
  CHECK(refusal(copy, 2, 0).empty());
}

TEST_CASE("a bulk store's box has rows of 16 bytes, at most 256 elements a side, and fits its tile") {
  CHECK(contains(refusal(store_of(8, 2)), "a bulk store's rows are multiples of 16 bytes"));
  CHECK(contains(refusal(store_of(33)), "a box of 33 x 32 does not fit tile 'tile' of 32 x 32"));
  CHECK(contains(refusal(store_of(0)), "a box of 0 x 32 does not fit"));
  Probe probe;
  Schedule schedule = probe.add(store_of(1, 512)).schedule();
  schedule.shared_tiles[0] = {"row", 1, 512, DType::fp32, 1, 2048_B, Swizzle::none};
  REQUIRE(!check(schedule).empty());
  CHECK(contains(check(schedule)[0].what, "at most 256 elements along each dimension, not 1 x 512"));
}

TEST_CASE("a bulk store stores elements as they are, and adds what atomics add") {
  BulkStore store = store_of(8);
  store.reduce = true;
  CHECK(refusal(store).empty());
  store.tile = TileId(1);
  CHECK(contains(refusal(store), "tile 'half' is of fp16, 'data' of fp32"));
  Probe probe;
  Schedule schedule = probe.add(store_of(8)).schedule();
  auto& stored = std::get<BulkStore>(std::get<Operation>(schedule.roles[0].program.body[0]).action);
  stored.reduce = true;
  schedule.buffers[0].dtype = schedule.shared_tiles[0].dtype = DType::fp8;
  REQUIRE(!check(schedule).empty());
  CHECK(contains(check(schedule)[0].what, "not fp8"));
}

TEST_CASE("numbers of pending groups are not negative") {
  CHECK(refusal(BulkWait{0}).empty());
  CHECK(contains(refusal(BulkWait{-1}), "is not negative"));
}

TEST_CASE("an arrival at a peer's mbarrier needs a cluster, and goes to one peer") {
  BarrierArrive arrive{.at = testing::full(), .peer = Layout(1)};
  CHECK(refusal(arrive).empty());
  CHECK(contains(refusal(arrive, 1, 0), "a peer's mbarrier needs a cluster"));
  arrive.peer = along(Coordinate::lane);
  CHECK(contains(refusal(arrive), "the peer is one for the whole warp: it may not depend on lane"));
}

TEST_CASE("a warp arrives at one mbarrier, and waits for one phase") {
  BarrierWait wait{testing::full(), along(Coordinate::lane)};
  CHECK(contains(refusal(wait), "the phase is one for the whole warp: it may not depend on lane"));
  wait = {{testing::full().barrier, along(Coordinate::repeat)}, 0};
  CHECK(contains(refusal(wait), "the slot is one for the whole warp: it may not depend on repeat"));
}

TEST_CASE("ldmatrix reads 16 bytes a lane, transposes 16-bit elements, and stays within its CTA") {
  SharedAccess words{.tile = TileId(0), .row = along(Coordinate::lane), .vector = 4};
  SharedAccess halves{.tile = TileId(1), .row = along(Coordinate::lane), .vector = 8};
  CHECK(refusal(LoadShared{words, Token(0), SharedRead::ldmatrix}).empty());
  CHECK(refusal(LoadShared{halves, Token(0), SharedRead::ldmatrix_trans}).empty());
  CHECK(contains(refusal(LoadShared{words, Token(0), SharedRead::ldmatrix_trans}), "16-bit elements, not of fp32"));
  halves.vector = 4;
  CHECK(contains(refusal(LoadShared{halves, Token(0), SharedRead::ldmatrix}),
                 "ldmatrix reads 16 bytes a lane, not 8; of fp16 that is 8 elements"));
  words.peer = Layout(0);
  CHECK(contains(refusal(LoadShared{words, Token(0), SharedRead::ldmatrix}), "its own CTA's shared memory only"));
}

TEST_CASE("register reads are those of the fma pipe") {
  Multiply multiply{.pipe = Pipe::fma, .a = Token(0), .b = Token(0), .c = Token(0), .reads = RegisterReads{2, 1}};
  CHECK(refusal(multiply).empty());
  multiply.reads->instructions = 0;
  CHECK(contains(refusal(multiply), "a bank delivers 0 to"));
  multiply.reads = RegisterReads{};
  multiply.pipe = Pipe::tensor;
  CHECK(contains(refusal(multiply), "are those of the fma pipe"));
}

TEST_CASE("of wgmma's operands, a transposed a in shared memory is of 16 bits") {
  const auto refused = [](const auto& change) {
    WarpgroupMultiply multiply = testing::wgmma(Token(0));
    multiply.a = SharedAccess{.tile = TileId(1), .column = along(Coordinate::lane), .vector = 16};
    multiply.a_transposed = true;
    change(multiply);
    Probe probe;
    (void)probe.token("x");
    Schedule schedule = probe.add(multiply).schedule(4);
    schedule.shared_tiles = testing::wgmma_tiles();
    std::string all;
    for (const Problem& problem : check(schedule)) all += problem.what + "\n";
    return all;
  };
  CHECK(refused([](WarpgroupMultiply&) {}).empty());
  CHECK(contains(refused([](WarpgroupMultiply& multiply) { multiply.input = DType::fp8; }),
                 "a transposed a of 16-bit types only from shared memory, not of fp8"));
  CHECK(refused([](WarpgroupMultiply& multiply) { multiply.a = Token(0); }).empty());
}

TEST_CASE("a bias and an origin refer to what is there") {
  CHECK(refusal(Scale{.c = Token(0), .bias = Token(0)}).empty());
  CHECK(contains(refusal(Scale{.c = Token(0), .bias = Token(7)}), "there is no fragment 7 among 1"));
  CHECK(contains(
      refusal(LoadGlobal{.from = testing::one_line(0), .into = Token(0), .origin_row = along(Coordinate::loop0)}),
      "the row of the origin depends on loop0 outside such a loop"));
}

}  // namespace gpusim::schedule_bulk_check_test
