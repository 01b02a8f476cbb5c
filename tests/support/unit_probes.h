// Programs that live on one unit of the machine each, and a machine that has a limit to everything.
#pragma once

#include <string>
#include <vector>

#include "gpusim/run_options.h"
#include "support/probe_machine.h"
#include "support/probe_programs.h"

namespace gpusim::testing {

inline Profile limited_machine() {
  Profile profile = probe_machine();
  profile.sm.sub_partitions = 4;
  profile.sm.scheduler = SchedulerPolicy::lrr;  // an old warp first would leave a young one to end alone
  profile.pipes.fma.lanes = 64;
  profile.pipes.alu.lanes = 256;  // two instructions a cycle: here the issue port is the limit
  profile.pipes.sfu.lanes = 16;
  profile.tensor.modes[0].fma_per_clk = Rate::per_cycle(1024);
  profile.lsu = {.queue = 4, .issue_per_clk = Rate::one_every(2), .accept_per_clk = Rate::per_cycle(1)};
  profile.shared.capacity = Bytes(32 * 1024);
  profile.shared.bytes_per_clk = Rate::per_cycle(256);
  profile.l1 = L1Spec{.capacity = Bytes(64 * 1024),
                      .ways = 4,
                      .latency = Cycles(37),
                      .bytes_per_clk = Rate::per_cycle(64),
                      .tag_banks = 1,
                      .miss_lines = 32};
  profile.tma = TmaSpec{
      .copies_per_clk = Rate::one_every(8), .bytes_per_clk = Rate::per_cycle(32), .queue = 8, .overhead = Cycles(17)};
  profile.crossbar = {.sm_read_bytes_per_clk = Rate::per_cycle(40), .sm_write_bytes_per_clk = Rate::per_cycle(20)};
  profile.l2 = L2Spec{.capacity = Bytes(256 * 1024),
                      .slices = 4,
                      .ways = 16,
                      .slice_bytes_per_clk = Rate::per_cycle(16),
                      .latency = Cycles(200)};
  profile.dram.channels = 2;
  profile.dram.bandwidth_gb_per_s = Rate::per_cycle(30);
  profile.launch.ctas_per_clk = Rate::one_every(2);
  return profile;
}

struct UnitProbe {
  std::string unit;
  Schedule schedule;
  L2State l2 = L2State::cold;
};

namespace detail {

/// `body`, which works on fragment 0, `trips` times; "x" is that fragment.
inline Probe around(std::int64_t trips, const Probe& body) {
  Probe probe;
  (void)probe.token("x");
  return probe.loop(trips, body);
}

/// Loads four lines at a time, of `lines` in a circle that begins at line `first`.
inline Probe walk(std::int64_t lines, std::int64_t trips, std::int64_t first = 0) {
  const Layout line = along(Coordinate::loop0, 4, 1, lines / 4) + along(Coordinate::repeat) + first;
  return around(trips, Probe().add(LoadGlobal{one_line(line), Token(0)}, 4).add(needs(Token(0))));
}

/// What a warm L2 of the limited machine still holds of the buffer, and more.
inline constexpr std::int64_t warm_lines = 1024;
inline constexpr std::int64_t first_warm_line = 65536 - warm_lines;

}  // namespace detail

inline std::vector<UnitProbe> arithmetic_probes() {
  const Token x(0);
  std::vector<UnitProbe> probes;
  for (const Pipe pipe : {Pipe::fma, Pipe::alu, Pipe::sfu}) {
    const Arithmetic independent{.pipe = pipe, .reads = {}, .writes = {}, .overhead = false};
    probes.push_back(
        {std::string(name(pipe)) + " chain", detail::around(40, Probe().add(changes(x, pipe))).schedule()});
    probes.push_back(
        {std::string(name(pipe)) + " throughput", detail::around(4, Probe().add(independent, 40)).schedule(8)});
  }
  const Multiply conflicts{.pipe = Pipe::fma, .a = x, .b = x, .c = x, .reads = RegisterReads{11, 4}};
  probes.push_back({"register banks", detail::around(4, Probe().add(conflicts, 40)).schedule(8)});
  const Multiply mma{.a = x, .b = x, .c = x};
  probes.push_back({"tensor chain", detail::around(10, Probe().add(mma)).schedule()});
  probes.push_back({"tensor throughput", detail::around(10, Probe().add(mma, 8)).schedule(8)});
  probes.push_back({"barrier", detail::around(20, Probe().add(CtaBarrier{})).schedule(8)});
  probes.push_back({"CTA launches", Probe().add(CommitGroup{}).schedule(1, 100)});
  probes.push_back({"CTA hand-over", detail::around(3, Probe().add(CtaBarrier{})).schedule(1, 100)});
  return probes;
}

inline std::vector<UnitProbe> shared_and_copy_probes() {
  const Token x(0);
  Probe stores, copies, box;
  stores.add(StoreShared{one_bank(), x}).add(CtaBarrier{});
  copies.add(CopyAsync{one_line(along(Coordinate::loop0, 4) + along(Coordinate::repeat)), one_wavefront()}, 4);
  copies.add(CommitGroup{}).add(WaitGroup{1});
  box.add(BarrierArrive{full(), Bytes(16 * 128)}).add(bulk_lines(along(Coordinate::loop0, 16), 16, full()));
  box.add(BarrierWait{full(), along(Coordinate::loop0)});
  const auto boxes = [](std::int64_t count, std::int64_t rows) {
    const Layout row = along(Coordinate::loop0, rows) + detail::first_warm_line;
    Probe all;
    all.add(BarrierArrive{full(), Bytes(count * rows * 128)}).loop(count, Probe().add(bulk_lines(row, rows, full())));
    return all.add(BarrierWait{full(), 0}).schedule();
  };
  const SharedAccess broadcast{TileId(0), 0, 0, 0, 1, std::nullopt};
  return {
      {"shared latency", detail::around(20, Probe().add(LoadShared{one_wavefront(), x})).schedule()},
      {"shared bandwidth", detail::around(20, Probe().add(LoadShared{one_bank(), x}, 2)).schedule(8)},
      {"shared accesses of a warp", detail::around(20, Probe().add(LoadShared{one_wavefront(), x}, 4)).schedule()},
      {"shared accesses of all", detail::around(20, Probe().add(LoadShared{broadcast, x}, 4)).schedule(8)},
      {"shared stores", detail::around(10, stores).schedule(4)},
      {"cp.async", detail::around(40, copies).schedule()},
      {"bulk copy after bulk copy", detail::around(20, box).schedule()},
      {"many small bulk copies", boxes(40, 1), L2State::warm},
      {"many large bulk copies", boxes(40, 16), L2State::warm},
  };
}

inline std::vector<UnitProbe> global_probes() {
  const Token x(0);
  const Layout own_line = along(Coordinate::loop0, 4) + along(Coordinate::repeat);
  const GlobalAccess every_line{BufferId(0), along(Coordinate::lane), 0, 1, std::nullopt};
  return {
      {"L1 latency", detail::around(20, Probe().add(LoadGlobal{one_sector(0), x})).schedule()},
      {"L1 bandwidth", detail::walk(64, 64).schedule(8)},
      {"L1 tags", detail::around(20, Probe().add(LoadGlobal{every_line, x}, 2)).schedule(8)},
      {"L1 capacity", detail::walk(640, 640).schedule()},  // 80 KiB in a circle
      {"L2 latency", detail::walk(detail::warm_lines, 40, detail::first_warm_line).schedule(), L2State::warm},
      {"L2 bandwidth",
       detail::around(1, Probe().add(LoadGlobal{one_line(own_line + detail::first_warm_line), x}, 400)).schedule(),
       L2State::warm},
      {"L2 capacity", detail::walk(3072, 3 * 768).schedule()},  // 384 KiB in a circle
      {"DRAM latency", detail::around(20, Probe().add(LoadGlobal{one_sector(along(Coordinate::loop0)), x})).schedule()},
      {"DRAM bandwidth", detail::around(1, Probe().add(LoadGlobal{one_line(own_line), x}, 400)).schedule()},
      {"stores", detail::around(40, Probe().add(StoreGlobal{one_line(own_line), x}, 4)).schedule()},
  };
}

}  // namespace gpusim::testing
