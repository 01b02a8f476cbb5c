#include "gpusim/estimate/critical_path.h"

#include <doctest/doctest.h>

#include "support/textbook_machine.h"

namespace gpusim::estimate_critical_path_test {

using estimate::critical_path;
using estimate::CriticalPath;

namespace {

constexpr Token a{0}, b{1}, c{2};
const RunOptions cold{};
const RunOptions warm{.l2 = L2State::warm};

/// A schedule of one CTA of `warps` warps that run `body` on fragments a, b and c, one buffer and one tile.
Schedule one_cta(std::vector<Statement> body, int warps = 1) {
  Schedule schedule;
  schedule.name = "by hand";
  schedule.buffers = {{"A", 32, 32, 32, DType::fp16}};
  schedule.shared_tiles = {{"tile", 32, 32, DType::fp16, 2, Bytes(64), Swizzle::none}};
  schedule.barriers = {{"full", 1, 1}, {"empty", 1, 1}};
  schedule.roles = {{"all", warps, {{"a", "b", "c"}, std::move(body)}}};
  return schedule;
}

Operation load_global(Token into) { return {LoadGlobal{{}, into}}; }
Operation load_shared(Token into, std::int64_t count = 1) { return {LoadShared{{}, into}, count}; }
Operation store_shared(Token from) { return {StoreShared{{}, from}}; }
Operation ffma(std::int64_t count = 1) {
  return {Multiply{.pipe = Pipe::fma, .a = a, .b = b, .c = c, .input = DType::fp32}, count};
}
Operation mma(std::int64_t count = 1) { return {Multiply{.a = a, .b = b, .c = c}, count}; }
Loop loop(std::int64_t trips, std::vector<Statement> body) { return {trips, std::move(body)}; }

std::int64_t count_of(const CriticalPath& path, const std::string& field) {
  std::int64_t count = 0;
  for (const auto& term : path.cta)
    if (term.field == field) count += term.count;
  return count;
}

Cycles sum_of(const CriticalPath& path) {
  Cycles sum;
  for (const auto& term : path.cta) sum += term.count * term.each;
  return sum;
}

/// The synchronous worked example: a tile to shared memory, then `steps` dependent (load, multiply) steps.
std::vector<Statement> worked_example(std::int64_t steps, const Operation& multiply) {
  return {load_global(a), store_shared(a), Operation{CtaBarrier{}},
          loop(steps, {load_shared(a, 4), load_shared(b, 4), multiply}), Operation{StoreGlobal{{}, c}}};
}

/// `tiles` tiles through a pipeline of `stages` buffers filled by cp.async.
std::vector<Statement> pipelined(std::int64_t tiles, int stages) {
  const Operation copy{CopyAsync{}};
  Operation next = copy;
  next.guard = Bound{along(Coordinate::loop0), tiles - (stages - 1)};
  return {loop(stages - 1, {copy, Operation{CommitGroup{}}}),
          loop(tiles, {Operation{WaitGroup{stages - 2}}, Operation{CtaBarrier{}}, next, Operation{CommitGroup{}},
                       load_shared(a), load_shared(b), mma()})};
}

}  // namespace

TEST_SUITE("critical path: worked examples") {
  TEST_CASE("fp32 product, tile in L2: 200 + 8*34 + 8*4") {
    const auto path = critical_path(one_cta(worked_example(8, ffma(64)), 8), testing::textbook_machine(), warm);
    CHECK(path.total == Cycles(200 + 8 * 34 + 8 * 4));
    REQUIRE(path.cta.size() == 3);
    CHECK(path.cta[0].field == "l2.latency");
    CHECK(path.cta[0].each == Cycles(200));
    CHECK(path.cta[0].count == 1);
    CHECK(path.cta[1].field == "shared.latency");
    CHECK(path.cta[1].count == 8);
    CHECK(path.cta[2].field == "pipes.fma.latency");
    CHECK(path.cta[2].count == 8);
  }

  TEST_CASE("with tensor cores: 200 + 34 + 1") {
    const auto path = critical_path(one_cta(worked_example(1, mma(4)), 8), testing::textbook_machine(), warm);
    CHECK(path.total == Cycles(200 + 34 + 1));
    CHECK(path.cta.back().field == "tensor.modes.0.latency");
  }

  TEST_CASE("a cold L2 makes DRAM serve the load") {
    const auto path = critical_path(one_cta(worked_example(8, ffma())), testing::textbook_machine(), cold);
    CHECK(path.total == Cycles(380 + 8 * 34 + 8 * 4));
    CHECK(path.cta.front().field == "dram.latency");
  }

  TEST_CASE("without an L2, warm changes nothing") {
    Profile profile = testing::textbook_machine();
    profile.l2.reset();
    profile.dram.latency = Cycles(200);
    profile.shared.latency = Cycles(20);
    CHECK(critical_path(one_cta(worked_example(8, ffma())), profile, warm).total == Cycles(200 + 8 * 20 + 8 * 4));
    CHECK(critical_path(one_cta(worked_example(8, ffma())), profile, cold).total == Cycles(200 + 8 * 20 + 8 * 4));
  }

  TEST_CASE("copies that run ahead hide behind the tiles in flight") {
    const Profile machine = testing::textbook_machine();
    const auto tiles = [&](int stages) {
      return critical_path(one_cta(pipelined(100, stages), 8), machine, warm).total;
    };
    const std::int64_t compute = 34 + 1;
    CHECK(tiles(2) == Cycles(100 * 200 + compute));
    CHECK(tiles(3) == Cycles(50 * 200 + 2 * compute));
    CHECK(tiles(4) == Cycles(33 * 200 + 200 + compute));
    CHECK(tiles(8) == Cycles(3700));
  }
}

TEST_SUITE("critical path: mbarriers") {
  /// A producer that fills two buffers as they come free, a consumer that empties them.
  Schedule specialized(std::int64_t tiles) {
    const Layout slot = along(Coordinate::loop0, 1, 1, 2);
    const Layout phase = along(Coordinate::loop0, 1, 2);
    Schedule schedule = one_cta({});
    schedule.barriers = {{"full", 2, 1}, {"empty", 2, 1}};
    const BarrierSlot full{BarrierId(0), slot}, empty{BarrierId(1), slot};
    BulkCopy copy;
    copy.rows = copy.columns = 32;
    copy.done = full;
    schedule.roles = {{"producer",
                       1,
                       {{},
                        {loop(tiles, {Operation{BarrierWait{empty, phase + Layout(-1)}},
                                      Operation{BarrierArrive{full, Bytes(32 * 32 * 2)}}, Operation{copy}})}}},
                      {"consumer",
                       1,
                       {{"a", "b", "c"},
                        {loop(tiles, {Operation{BarrierWait{full, phase}}, load_shared(a), load_shared(b), mma(),
                                      Operation{BarrierArrive{empty, Bytes(0)}}})}}}};
    return schedule;
  }

  TEST_CASE("a producer warp refills each buffer when it is free") {
    const auto path = critical_path(specialized(100), testing::textbook_machine(), warm);
    CHECK(path.total == Cycles(50 * (200 + 34 + 1) + (34 + 1)));
  }

  TEST_CASE("a bulk copy and the barrier's completion have their own cost") {
    Profile profile = testing::textbook_machine();
    profile.tma->overhead = Cycles(170);
    profile.barrier.mbarrier_latency = Cycles(7);
    CHECK(critical_path(specialized(1), profile, warm).total == Cycles(200 + 170 + 7 + 34 + 1));
  }

  TEST_CASE("waiting for a phase that cannot complete is a deadlock that names the warp") {
    const Operation wait{BarrierWait{{BarrierId(0), 0}, 0}};
    CHECK_THROWS_WITH_AS((void)critical_path(one_cta({wait}), testing::textbook_machine()),
                         doctest::Contains("warp 0 waits at SYNCS.WAIT"), DeadlockError);
  }
}

TEST_SUITE("critical path: rules") {
  TEST_CASE("a run of instructions on a pipe: start + (count - 1) * interval + latency") {
    Profile profile = testing::textbook_machine();
    profile.pipes.fma.lanes = 64;  // 16 a sub-partition: a warp every 2 cycles
    const auto path = critical_path(one_cta({ffma(10)}), profile);
    CHECK(path.total == Cycles((10 - 1) * 2 + 4));
    CHECK(count_of(path, "pipes.fma.lanes") == 9);
  }

  TEST_CASE("a fractional interval is rounded up once for the whole run") {
    Profile profile = testing::textbook_machine();
    profile.pipes.fma.lanes = 96;  // 24 a sub-partition: a warp every 4/3 cycles
    CHECK(critical_path(one_cta({ffma(9)}), profile).total == Cycles(11 + 4));  // 8 * 4/3 = 10.67
  }

  TEST_CASE("the tensor pipe's interval follows from the shape and the SM's rate") {
    Profile profile = testing::textbook_machine();
    profile.tensor.modes[0].fma_per_clk = Rate::per_cycle(512);  // 128 a sub-partition: 16*8*16 takes 16 cycles
    CHECK(critical_path(one_cta({mma(3)}), profile).total == Cycles(2 * 16 + 1));
  }

  TEST_CASE("with a scoreboard, products into one accumulator wait for the first instruction alone") {
    Profile profile = testing::textbook_machine();
    profile.sm.issue = IssueMode::scoreboard;
    profile.sm.issue_per_clk = Rate::per_cycle(1);
    const std::int64_t issue = 8;  // of the first run; longer than its latency
    CHECK(critical_path(one_cta({ffma(8), ffma(8)}), profile).total == Cycles(issue + (8 - 1) + 4));
    CHECK(critical_path(one_cta({ffma(1), ffma(1)}), profile).total == Cycles(4 + 4));
  }

  TEST_CASE("with a scoreboard, independent loads overlap arithmetic") {
    Profile profile = testing::textbook_machine();
    profile.sm.issue = IssueMode::scoreboard;
    const std::vector<Statement> body{load_global(a), Operation{Arithmetic{.pipe = Pipe::fma, .writes = b}}};
    CHECK(critical_path(one_cta(body), profile, warm).total == Cycles(200));
    profile.sm.issue = IssueMode::serial;
    CHECK(critical_path(one_cta(body), profile, warm).total == Cycles(200 + 4));
  }

  TEST_CASE("loop arithmetic is exempt from serial issue") {
    Profile profile = testing::textbook_machine();
    profile.pipes.alu.latency = Cycles(5);
    const Operation overhead{Arithmetic{.pipe = Pipe::alu, .overhead = true}};
    CHECK(critical_path(one_cta({load_global(a), overhead, store_shared(a)}), profile, warm).total == Cycles(200));
  }

  TEST_CASE("a CTA barrier waits for shared stores and costs its latency and each warp") {
    Profile profile = testing::textbook_machine();
    profile.sm.issue = IssueMode::scoreboard;
    profile.shared.store_latency = Cycles(11);
    profile.barrier.latency = Cycles(20);
    profile.barrier.per_warp = Cycles(2);
    const auto path =
        critical_path(one_cta({load_global(a), store_shared(a), Operation{CtaBarrier{}}}, 8), profile, warm);
    CHECK(path.total == Cycles(200 + 11 + 20 + 8 * 2));
  }

  TEST_CASE("arrivals at a CTA barrier are counted one after another: one that comes late is counted alone") {
    Profile profile = testing::textbook_machine();
    profile.barrier.latency = Cycles(20);
    profile.barrier.per_warp = Cycles(2);
    Operation late = load_global(a);
    late.guard = Bound{along(Coordinate::warp), 1};
    CHECK(critical_path(one_cta({late, Operation{CtaBarrier{}}}, 8), profile, warm).total == Cycles(200 + 2 + 20));
  }

  TEST_CASE("what DRAM adds to L2 keeps its nanoseconds at another clock") {
    Profile profile = testing::textbook_machine();
    profile.dram.latency_clock_mhz = 1000;
    const RunOptions faster{.clock_mhz = 1500};
    CHECK(critical_path(one_cta({load_global(a)}), profile, faster).total == Cycles(200 + (380 - 200) * 3 / 2));
  }

  TEST_CASE("L2 state may differ by buffer") {
    const RunOptions by_buffer{.l2_by_buffer = {{"A", L2State::warm}}};
    CHECK(critical_path(one_cta({load_global(a)}), testing::textbook_machine(), by_buffer).total == Cycles(200));
  }

  TEST_CASE("a skipped operation costs nothing") {
    Operation skipped = ffma();
    skipped.guard = Bound{along(Coordinate::warp), 0};
    CHECK(critical_path(one_cta({skipped}), testing::textbook_machine()).total == Cycles(0));
  }

  TEST_CASE("waves follow each other with a hand-over") {
    Schedule schedule = one_cta(worked_example(8, ffma()), 8);
    schedule.grid_m = schedule.grid_n = 8;  // 64 CTAs, four resident on each of 8 SMs
    const auto path = critical_path(schedule, testing::textbook_machine(), warm);
    CHECK(path.waves == 2);
    CHECK(path.hand_over == Cycles(1 + 1));
    CHECK(path.total == Cycles(2 * 504 + 2));
  }

  TEST_CASE("terms sum to the CTA's cycles") {
    for (const int stages : {2, 3, 5}) {
      const auto path = critical_path(one_cta(pipelined(17, stages), 4), testing::textbook_machine(), cold);
      CHECK(sum_of(path) == path.cta_cycles);
    }
  }
}

}  // namespace gpusim::estimate_critical_path_test
