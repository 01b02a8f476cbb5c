#include <doctest/doctest.h>

#include "gpusim/estimate/critical_path.h"
#include "support/probe_machine.h"
#include "support/probe_programs.h"

namespace gpusim::estimate_memory_test {

using testing::Probe;

namespace {

constexpr Token x{0}, y{1};
const RunOptions warm{.l2 = L2State::warm};

Probe with_tokens() {
  Probe probe;
  (void)probe.token("x");
  (void)probe.token("y");
  return probe;
}

/// Cycles of one warp that does this.
Cycles cycles_of(const Probe& probe, const Profile& profile, int warps = 1) {
  return estimate::critical_path(probe.schedule(warps), profile, warm).cta_cycles;
}
Cycles cycles_of(Action action, const Profile& profile) {
  return cycles_of(with_tokens().add(std::move(action)), profile);
}

/// A probe machine whose instructions issue in no time, so that sums are of latencies alone.
Profile machine() {
  Profile profile = testing::probe_machine();
  profile.sm.issue_per_clk = Rate::unlimited();
  return profile;
}

const Cycles shared = machine().shared.latency;
const Cycles l2 = machine().l2->latency;

/// 16 bytes a lane, one after another: four wavefronts at best.
SharedAccess wide() { return {TileId(0), 0, along(Coordinate::lane, 1, 8), along(Coordinate::lane, 4, 1, 8), 4}; }

}  // namespace

TEST_CASE("a bank conflict adds its latency for each wavefront beyond the fewest") {
  Profile profile = machine();
  profile.shared.bytes_per_clk = Rate::per_cycle(128);
  profile.shared.conflict_latency = Cycles(2);
  CHECK(cycles_of(LoadShared{testing::one_wavefront(), x}, profile) == shared);
  CHECK(cycles_of(LoadShared{testing::one_bank(), x}, profile) == shared + 31 * Cycles(2));
}

TEST_CASE(
    "eight lanes are served at a time, of ldmatrix and of 16 bytes a lane: each of the four parts conflicts by "
    "itself") {
  Profile profile = machine();
  profile.shared.conflict_latency = Cycles(2);
  const SharedAccess rows{TileId(0), 0, along(Coordinate::lane, 1, 1, 8), along(Coordinate::lane, 4, 8), 4};
  constexpr std::int64_t fewest = 4;
  CHECK(cycles_of(LoadShared{rows, x}, profile) == shared + (4 * 8 - fewest) * Cycles(2));
  CHECK(cycles_of(LoadShared{rows, x, SharedRead::ldmatrix}, profile) == shared + (4 * 8 - fewest) * Cycles(2));
}

TEST_CASE("two wavefronts of a shared load come in the time of one, more take their own") {
  Profile profile = machine();
  profile.shared.bytes_per_clk = Rate::per_cycle(128);
  profile.shared.conflict_latency = Cycles(2);
  SharedAccess half = wide();
  half.lanes = Bound{along(Coordinate::lane), 16};
  CHECK(cycles_of(LoadShared{half, x}, profile) == shared);
  CHECK(cycles_of(LoadShared{wide(), x}, profile) == shared + Cycles(4 - 2));
}

TEST_CASE("wide global loads take the time their registers take beyond one a lane") {
  Profile profile = machine();
  profile.lsu.register_bytes_per_clk = Rate::per_cycle(64);
  const GlobalAccess vectors{BufferId(0), 0, along(Coordinate::lane, 4), 4};
  CHECK(cycles_of(LoadGlobal{testing::one_line(0), x}, profile) == l2);
  CHECK(cycles_of(LoadGlobal{vectors, x}, profile) == l2 + Cycles((4 - 1) * 128 / 64));
}

TEST_CASE("a uniform address makes a load quicker") {
  Profile profile = machine();
  profile.lsu.global_uniform_saving = Cycles(5);
  profile.lsu.shared_uniform_saving = Cycles(3);
  GlobalAccess line = testing::one_line(0);
  SharedAccess words = testing::one_wavefront();
  line.uniform = words.uniform = true;
  CHECK(cycles_of(LoadGlobal{line, x}, profile) == l2 - Cycles(5));
  CHECK(cycles_of(LoadShared{words, x}, profile) == shared - Cycles(3));
}

TEST_CASE("a chain of loads through their addresses is as long as all of them") {
  GlobalAccess next = testing::one_line(0);
  next.address = x;
  CHECK(cycles_of(with_tokens().loop(7, with_tokens().add(LoadGlobal{next, x})), machine()) == 7 * l2);
}

TEST_CASE("a constant load takes its latency, by whether its address is a register's") {
  Profile profile = machine();
  profile.lsu.constant_latency = Cycles(8);
  profile.lsu.constant_indexed_latency = Cycles(29);
  CHECK(cycles_of(LoadConstant{x}, profile) == Cycles(8));
  CHECK(cycles_of(LoadConstant{x, x}, profile) == Cycles(29));
}

TEST_CASE("an atomic that returns a value is a load and the atomic's own time; one that does not is posted") {
  Profile profile = machine();
  profile.l2->atomic_latency = Cycles(40);
  CHECK(cycles_of(AtomicAdd{testing::one_line(0), x, y}, profile) == l2 + Cycles(40));
  CHECK(cycles_of(AtomicAdd{testing::one_line(0), x}, profile) == Cycles(0));
}

TEST_CASE("registers are overwritten once they have been read") {
  Profile profile = machine();
  profile.lsu.store_read = Cycles(14);
  profile.lsu.global_store_address_read = Cycles(6);
  profile.lsu.register_bytes_per_clk = Rate::per_cycle(64);
  Probe probe = with_tokens();
  probe.add(StoreGlobal{testing::one_line(0), x}).add(Arithmetic{Pipe::fma, {}, x, false});
  CHECK(cycles_of(probe, profile) == Cycles(14 + 6 + 128 / 64) + profile.pipes.fma.latency);
  Probe other = with_tokens();
  other.add(StoreGlobal{testing::one_line(0), x}).add(Arithmetic{Pipe::fma, {}, y, false});
  CHECK(cycles_of(other, profile) == profile.pipes.fma.latency);
}

TEST_CASE("a bulk copy with a tensor map costs its overhead, and each dimension beyond the first") {
  Profile profile = machine();
  profile.tma->tensor_overhead = Cycles(100);
  profile.tma->dimension_overhead = Cycles(10);
  const auto copied = [&](int rank) {
    BulkCopy copy = testing::bulk_lines(0, 1, testing::full());
    copy.rank = rank;
    Probe probe = with_tokens();
    probe.add(BarrierArrive{testing::full(), Bytes(128)}).add(copy).add(BarrierWait{testing::full(), 0});
    return cycles_of(probe, profile);
  };
  const Cycles plain = l2 + profile.tma->overhead + profile.barrier.mbarrier_latency;
  CHECK(copied(0) == plain);
  CHECK(copied(1) == plain + Cycles(100));
  CHECK(copied(3) == plain + Cycles(100 + 2 * 10));
}

TEST_CASE("planes of a bulk copy bring bytes of their own") {
  BulkCopy copy = testing::bulk_lines(0, 2, testing::full());
  copy.rank = 3;
  copy.planes = 4;
  copy.plane_rows = 8;
  Probe probe = with_tokens();
  probe.add(BarrierArrive{testing::full(), Bytes(4 * 2 * 128)}).add(copy).add(BarrierWait{testing::full(), 0});
  CHECK(cycles_of(probe, machine()) == l2 + machine().tma->overhead + machine().barrier.mbarrier_latency);
}

TEST_CASE("the warps of a CTA begin one after another") {
  Profile profile = machine();
  profile.launch.warps_per_clk = Rate::ratio(1, 2);
  CHECK(cycles_of(with_tokens().add(LoadShared{testing::one_wavefront(), x}), profile, 8) == 7 * Cycles(2) + shared);
}

}  // namespace gpusim::estimate_memory_test
