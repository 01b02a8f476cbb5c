// The probes' generators: what they generate, not how long it takes.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <variant>

#include "gpusim/profile_io.h"
#include "gpusim/schedules/probes.h"

namespace gpusim::probe_schedules_test {

using namespace gpusim::schedules;

namespace {

std::int64_t loads_of(const Schedule& schedule) { return warp_instructions(schedule); }

const Loop& first_loop(const Schedule& schedule) { return std::get<Loop>(schedule.roles[0].program.body[0]); }

void runs_on(const Schedule& schedule, std::string_view gpu) {
  CAPTURE(schedule.name);
  const std::vector<Problem> problems = check(schedule, load_profile(gpu));
  for (const Problem& problem : problems) FAIL_CHECK(problem.where << ": " << problem.what);
}

}  // namespace

TEST_CASE("every generator's schedule passes the check of a GPU that has all of it") {
  constexpr std::string_view gpu = "h100-sxm";
  for (const ChaseVia via : {ChaseVia::load, ChaseVia::load_cg, ChaseVia::bulk, ChaseVia::constant})
    runs_on(pointer_chase({.parts = {chain("a", 256), chain("b", 64)}, .rounds = 2, .via = via}), gpu);
  runs_on(pointer_chase({.parts = {slice_lines("lines", 256, 3)}, .scattered = true}), gpu);
  runs_on(schedules::sweep({chain("a", 1024), chain("b", 64)}), gpu);
  runs_on(access_loop({.buffer = {"data", 1, 4096, 4096, DType::fp32}, .column = along(Coordinate::lane)}), gpu);
  runs_on(shared_loop({.ways = 32, .warps = 32, .chained = false}), gpu);
  for (const MemoryOp op :
       {MemoryOp::ldg, MemoryOp::lds, MemoryOp::stg, MemoryOp::sts, MemoryOp::ldc, MemoryOp::ldgsts})
    for (const int width : {32, 64, 128}) runs_on(memory_operation({.op = op, .width = width}), gpu);
  runs_on(load_burst({.loads = 8, .warps = 4}), gpu);
  runs_on(element_stream({.reads = 2, .writes = 1, .ctas = 16, .shared_bytes = 1 << 15}), gpu);
  runs_on(shared_stream({.shares = 8, .ctas = 64}), gpu);
  runs_on(bulk_loop({.x = 256, .ctas = 8}), gpu);
  runs_on(bulk_loop({.x = 16, .y = 16, .rank = 2, .ctas = 8}), gpu);
  runs_on(bulk_loop({.x = 4, .y = 4, .z = 256, .rank = 3, .ctas = 8}), gpu);
  runs_on(bulk_loop({.x = 32, .y = 64, .rank = 2, .ctas = 8, .stored_boxes = 3}), gpu);
  runs_on(peer_chase({.cluster = 4, .peer = 3, .ilp = 8}), gpu);
  runs_on(multiply_loop({.shape = {16, 8, 16}, .warps = 8, .ilp = 3}), gpu);
  runs_on(register_loop({.x = 8, .y = 10, .reuse_x = true}), gpu);
  for (const int n : {8, 64, 256})
    for (const bool a_shared : {false, true}) runs_on(warpgroup_loop({.n = n, .a_shared = a_shared}), gpu);
  for (const DType input : {DType::bf16, DType::fp8, DType::tf32}) runs_on(warpgroup_loop({.input = input}), gpu);
  for (const BarrierKind kind :
       {BarrierKind::cta, BarrierKind::mbarrier, BarrierKind::cluster, BarrierKind::cluster_relaxed})
    runs_on(barrier_loop({.kind = kind, .warps = 4, .cluster = 2}), gpu);
  for (const auto target : {AtomicLoop::Target::lane, AtomicLoop::Target::cta, AtomicLoop::Target::words})
    runs_on(atomic_loop({.target = target, .words = 2, .returns = true}), gpu);
  runs_on(empty_grid(100, 1), gpu);
}

TEST_CASE("a chase reads every row of every part, in each round, one after another") {
  const Schedule chase = pointer_chase({.parts = {chain("a", 256), chain("b", 64)}, .rounds = 3, .warps = 1});
  CHECK(loads_of(chase) == 3 * (256 + 64));
  const auto& hop = std::get<LoadGlobal>(std::get<Operation>(std::get<Loop>(first_loop(chase).body[0]).body[0]).action);
  CHECK(hop.from.address == hop.into);
  CHECK(chase.buffers[0].placement == Placement::shuffled);
  CHECK(size_of(chase.buffers[0]) == Bytes(std::int64_t{256} * 64));
}

TEST_CASE("a chase of bulk copies waits for each before the next") {
  const Schedule chase = pointer_chase({.parts = {chain("a", 128)}, .rounds = 2, .via = ChaseVia::bulk});
  const auto& hop = std::get<Loop>(first_loop(chase).body[0]).body;
  REQUIRE(hop.size() == 3);
  const auto& wait = std::get<BarrierWait>(std::get<Operation>(hop[2]).action);
  Coordinates second_of_round_one{};
  second_of_round_one[static_cast<std::size_t>(Coordinate::loop0)] = 1;
  second_of_round_one[static_cast<std::size_t>(Coordinate::loop1)] = 1;
  CHECK(wait.phase(second_of_round_one) == 128 + 1);
}

TEST_CASE("a scattered chase visits each row once, neighbours far apart") {
  const Schedule chase = pointer_chase({.parts = {slice_lines("lines", 64, 0)}, .scattered = true, .warps = 1});
  const auto& hop = std::get<LoadGlobal>(std::get<Operation>(std::get<Loop>(first_loop(chase).body[0]).body[0]).action);
  std::vector<bool> seen(64);
  std::int64_t before = -1;
  Coordinates at{};
  for (std::int64_t& i = at[static_cast<std::size_t>(Coordinate::loop1)]; i < 64; ++i) {
    const std::int64_t row = hop.from.row(at);
    CHECK_FALSE(seen.at(static_cast<std::size_t>(row)));
    seen[static_cast<std::size_t>(row)] = true;
    if (before >= 0) CHECK(std::abs(row - before) >= 16);
    before = row;
  }
}

TEST_CASE("conflicts of n ways want n words of one bank") {
  for (const int ways : {1, 2, 8, 32}) {
    const Schedule loads = shared_loop({.ways = ways});
    const auto& load = std::get<LoadShared>(std::get<Operation>(first_loop(loads).body[0]).action);
    std::vector<std::vector<bool>> wanted(32, std::vector<bool>(32));
    Coordinates at{};
    for (std::int64_t& lane = at[static_cast<std::size_t>(Coordinate::lane)]; lane < 32; ++lane)
      wanted[static_cast<std::size_t>(load.from.column(at))][static_cast<std::size_t>(load.from.row(at))] = true;
    CHECK(std::count(wanted[0].begin(), wanted[0].end(), true) == ways);
  }
}

TEST_CASE("stores take two tiles by turns, wait for the one before the last, and come back to their first place") {
  const Schedule stores = bulk_loop({.x = 32, .y = 8, .rank = 2, .trips = 8, .ctas = 4, .stored_boxes = 3});
  const auto& body = first_loop(stores).body;
  CHECK(std::get<BulkWait>(std::get<Operation>(body[0]).action).pending == 1);
  const auto& store = std::get<BulkStore>(std::get<Operation>(body[1]).action);
  CHECK(std::holds_alternative<BulkCommit>(std::get<Operation>(body[2]).action));
  std::set<std::int64_t> rows;
  Coordinates at{};
  for (std::int64_t& trip = at[static_cast<std::size_t>(Coordinate::loop0)]; trip < 8; ++trip) {
    CHECK(store.stage(at) == trip % 2);
    rows.insert(store.row(at));
    CHECK(store.row(at) + 8 <= stores.buffers[0].rows);
  }
  CHECK(rows.size() == 3);
}

TEST_CASE("boxes of one trip do not overlap, nor those of the next") {
  const BulkLoop choices{.x = 16, .y = 16, .rank = 2, .trips = 3, .ctas = 100};
  const Schedule copies = bulk_loop(choices);
  const auto& copy = std::get<BulkCopy>(std::get<Operation>(first_loop(copies).body[1]).action);
  std::set<std::pair<std::int64_t, std::int64_t>> boxes;
  Coordinates at{};
  for (std::int64_t& trip = at[static_cast<std::size_t>(Coordinate::loop0)]; trip < choices.trips; ++trip) {
    std::int64_t& cta = at[static_cast<std::size_t>(Coordinate::block_m)];
    for (cta = 0; cta < choices.ctas; ++cta) {
      CHECK(copy.row(at) % 16 == 0);
      CHECK(copy.row(at) + 16 <= copies.buffers[0].rows);
      CHECK(copy.column(at) + 16 <= copies.buffers[0].columns);
      boxes.emplace(copy.row(at), copy.column(at));
    }
  }
  CHECK(boxes.size() == 300);
}

TEST_CASE("a CTA of a shared stream reads each element of its share once") {
  const Schedule stream = shared_stream({.shares = 8, .loads = 32, .warps = 1, .ctas = 64});
  for (const std::int64_t cta : {0, 3, 8 + 3}) {
    std::vector<std::int64_t> read;
    Coordinates at{};
    at[static_cast<std::size_t>(Coordinate::block_m)] = cta;
    std::int64_t& trip = at[static_cast<std::size_t>(Coordinate::loop0)];
    for (trip = 0; trip < first_loop(stream).trips; ++trip)
      for (const Statement& statement : first_loop(stream).body)
        read.push_back(std::get<LoadGlobal>(std::get<Operation>(statement).action).from.column(at));
    REQUIRE(read.size() == 32);
    for (std::int64_t i = 0; i < 32; ++i) CHECK(read[static_cast<std::size_t>(i)] == 32 * (8 * i + cta % 8));
  }
}

TEST_CASE("a group's register reads are those of its busier bank") {
  const auto reads = [](const RegisterLoop& choices) {
    const Schedule schedule = register_loop(choices);
    const auto& group = std::get<Operation>(first_loop(schedule).body[0]);
    REQUIRE(group.count == 4);
    const RegisterReads found = *std::get<Multiply>(group.action).reads;
    REQUIRE(found.instructions == group.count);
    return found.operands;
  };
  constexpr std::int64_t sum = 1, addends = 3, all = 4;  // R5 is odd, R16 even
  CHECK(reads({.x = 8, .y = 10}) == all + all + addends);
  CHECK(reads({.x = 9, .y = 11}) == all + all + sum);
  CHECK(reads({.x = 8, .y = 9}) == all + addends);
  CHECK(reads({.x = 9, .y = 9}) == all + sum);  // named twice, read once
  CHECK(reads({.x = 8, .y = 9, .reuse_x = true}) == all + sum);
  CHECK(reads({.x = 8, .y = 8, .reuse_x = true}) == all + addends);  // the other name is read
  CHECK(reads({.x = 8, .y = 10, .reuse_x = true, .reuse_y = true}) == addends);
}

}  // namespace gpusim::probe_schedules_test
