// Programs and machines nobody would write, for laws that hold whatever runs.
#pragma once

#include <random>
#include <string>

#include "support/mixed_runs.h"
#include "support/unit_probes.h"

namespace gpusim::testing {

class RandomRun {
 public:
  explicit RandomRun(std::uint32_t seed) : generator_(seed) {}

  MixedRun make() {
    MixedRun run{"random", machine(), {}, {}};
    add_details(run.profile);
    const std::int64_t sections = from(1, 3);
    std::vector<Role> roles{role("worker", sections, false, static_cast<int>(from(1, 6)))};
    if (from(0, 1) == 1) roles.push_back(role("copier", sections, true, 1));
    run.schedules = {probe_schedule(std::move(roles), from(1, 20))};
    if (from(0, 3) == 0) run.schedules.push_back(run.schedules.front());
    run.options.l2 = from(0, 1) == 1 ? L2State::warm : L2State::cold;
    return run;
  }

 private:
  // Each draw is a statement or a member of a braced list, and the generator's own: the same run from every compiler.
  std::int64_t from(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(generator_() % static_cast<std::uint64_t>(high - low + 1));
  }
  Rate rate(std::int64_t most) {
    if (from(0, 3) == 0) return Rate::unlimited();
    const std::int64_t amount = from(1, most);
    return Rate::ratio(amount, from(1, 7));
  }
  Limited<std::int64_t> number(std::int64_t low, std::int64_t high) {
    return from(0, 3) == 0 ? Limited<std::int64_t>::unlimited() : Limited<std::int64_t>(from(low, high));
  }
  Cycles latency(std::int64_t least, std::int64_t most) { return Cycles(from(0, 2) == 0 ? least : from(least, most)); }

  Profile machine() {
    Profile profile = limited_machine();
    profile.sm.count = from(1, 5);
    profile.sm.sub_partitions = from(1, 4);
    profile.sm.issue = from(0, 3) == 0 ? IssueMode::serial : IssueMode::scoreboard;
    profile.sm.scheduler = from(0, 1) == 0 ? SchedulerPolicy::gto : SchedulerPolicy::lrr;
    profile.sm.issue_per_clk = rate(8);
    profile.sm.ctas = number(1, 4);
    for (PipeSpec* const pipe : {&profile.pipes.fma, &profile.pipes.alu, &profile.pipes.sfu})
      *pipe = {.lanes = number(4, 128), .latency = latency(0, 30)};
    profile.tensor.modes[0].fma_per_clk = rate(4096);
    profile.tensor.modes[0].latency = latency(0, 40);
    profile.lsu = {.queue = number(1, 8), .issue_per_clk = rate(4), .accept_per_clk = rate(4)};
    profile.shared.bytes_per_clk = rate(512);
    profile.shared.latency = latency(0, 40);
    profile.shared.store_latency = latency(0, 40);
    if (from(0, 2) == 0)
      profile.l1.reset();
    else
      profile.l1 = L1Spec{.capacity = Bytes(1024 * from(40, 120)),
                          .ways = from(1, 8),
                          .latency = latency(0, 60),
                          .bytes_per_clk = rate(256),
                          .tag_banks = number(1, 4),
                          .miss_lines = number(16, 64)};
    profile.async_copy->overhead = latency(0, 30);
    profile.tma = TmaSpec{
        .copies_per_clk = rate(2), .bytes_per_clk = rate(256), .queue = number(1, 4), .overhead = latency(0, 50)};
    profile.barrier = {.latency = latency(0, 30), .per_warp = latency(0, 5), .mbarrier_latency = latency(0, 30)};
    profile.crossbar = {.sm_read_bytes_per_clk = rate(256), .sm_write_bytes_per_clk = rate(256)};
    if (from(0, 4) == 0)
      profile.l2.reset();
    else
      profile.l2 = L2Spec{.capacity = Bytes(1024 * from(16, 600)),
                          .slices = from(1, 7),
                          .ways = from(1, 8),
                          .slice_bytes_per_clk = rate(256),
                          .slice_write_bytes_per_clk = rate(256),
                          .slice_request_bytes = Bytes(from(0, 128)),
                          .latency = latency(2, 300)};
    profile.dram.channels = profile.l2 ? from(1, profile.l2->slices) : from(1, 4);
    profile.dram.bandwidth_gb_per_s = rate(400);
    profile.dram.latency = latency(2, 600);
    profile.launch = {
        .cta_start = latency(1, 300), .cta_exit = latency(1, 300), .ctas_per_clk = rate(2), .kernel_ns = 0};
    return profile;
  }

  /// What only silicon's profiles state.
  void add_details(Profile& profile) {
    profile.sm.sms_per_tpc = from(1, 2);
    profile.sm.gpcs = from(1, 2);
    profile.sm.tpcs_per_cpc = from(0, 1);
    CrossbarSpec& ports = profile.crossbar;
    for (Rate* const port :
         {&ports.tpc_read_bytes_per_clk, &ports.tpc_write_bytes_per_clk, &ports.cpc_read_bytes_per_clk,
          &ports.gpc_read_bytes_per_clk, &ports.gpc_write_bytes_per_clk})
      *port = rate(256);
    LsuSpec& lsu = profile.lsu;
    lsu.register_bytes_per_clk = rate(128);
    for (Cycles* const read :
         {&lsu.load_read, &lsu.store_read, &lsu.copy_read, &lsu.global_address_read, &lsu.global_store_address_read,
          &lsu.shared_store_address_read, &lsu.constant_read, &lsu.constant_latency, &lsu.constant_indexed_latency})
      *read = latency(0, 30);
    profile.shared.conflict_latency = latency(0, 3);
    profile.launch.warps_per_clk = rate(2);
    profile.tma->rows_per_clk = rate(4);
    profile.tma->write_bytes_per_clk = rate(256);
    profile.tma->copy_bytes_per_clk = rate(128);
    profile.tma->stored_lines = number(16, 64);
    profile.tma->tensor_overhead = latency(0, 50);
    profile.tma->dimension_overhead = latency(0, 50);
    profile.tensor.reissue = latency(0, 3);
    if (profile.l2) {
      L2Spec& l2 = *profile.l2;
      if (l2.slices % 2 == 0 && profile.dram.channels % 2 == 0) l2.partitions = from(1, 2);
      l2.far_latency = latency(0, 100);
      l2.partition_bytes_per_clk = rate(128);
      l2.atomics_per_clk = rate(2);
      l2.atomic_latency = latency(0, 50);
    }
    DramSpec& dram = profile.dram;
    dram.banks = from(1, 16);
    dram.row_bytes = Bytes(128 * from(1, 16));
    dram.row_miss_ns = from(0, 40);
    dram.row_cycle_ns = from(0, 80);
    dram.column_percent = from(100, 200);
    dram.turnaround_ns = from(0, 30);
    dram.write_batch = from(1, 16);
    dram.refresh_ns = from(0, 50);
    dram.refresh_interval_ns = from(0, 1) * 1000;
  }

  /// The same number of bar.syncs whatever the role, or nobody would pass.
  Role role(const std::string& name, std::int64_t sections, bool copies, int warps) {
    Probe probe(name);
    for (const char* const token : {"a", "b", "c"}) (void)probe.token(token);
    std::int64_t phases = 0;
    for (std::int64_t section = 0; section < sections; ++section) {
      Probe body;
      if (copies) {
        const std::int64_t rows = from(1, 32);
        body.add(BarrierArrive{full(), Bytes(rows * 128)}).add(bulk_lines(line(), rows, full()));
        if (from(0, 1) == 0) add_operations(body);
        probe.loop(1, body.add(BarrierWait{full(), phases++}));
      } else {
        add_operations(body);
        probe.loop(from(0, 6), std::move(body));
      }
      probe.add(CtaBarrier{});
    }
    return probe.role(warps);
  }

  Layout line() {
    Layout line = along(Coordinate::loop0, from(0, 40));
    line += along(Coordinate::warp, from(0, 20));
    line += along(Coordinate::block_m, from(0, 300));
    return line += from(0, 3000);
  }
  Layout lines() {
    Layout lines = line();
    lines += along(Coordinate::repeat, from(0, 5));
    return lines += along(Coordinate::lane, from(0, 2), 8);
  }
  Token token() { return Token(from(0, 2)); }
  Pipe pipe() { return static_cast<Pipe>(from(0, 2)); }
  SharedAccess shared() { return from(0, 1) == 0 ? one_bank() : one_wavefront(from(0, 31)); }

  void add_operations(Probe& probe) {
    for (std::int64_t i = from(1, 8); i > 0; --i) add_operation(probe, from(1, 6));
  }
  void add_operation(Probe& probe, std::int64_t count) {
    switch (from(0, 11)) {
      case 0:
        probe.add(LoadGlobal{one_line(lines()), token()}, count);
        break;
      case 1:
        probe.add(LoadGlobal{one_sector(lines()), token()}, count);
        break;
      case 2:
        probe.add(StoreGlobal{one_line(lines()), token()}, count);
        break;
      case 3:
        probe.add(LoadShared{shared(), token()}, count);
        break;
      case 4:
        probe.add(StoreShared{shared(), token()}, count);
        break;
      case 5:
        probe.add(CopyAsync{one_line(lines()), one_wavefront(), from(0, 1) == 1}, count).add(CommitGroup{});
        break;
      case 6:
        probe.add(WaitGroup{static_cast<int>(from(0, 2))});
        break;
      case 7:
        probe.add(Multiply{.a = token(), .b = token(), .c = token()}, 2 * count);
        break;
      case 8:
        probe.add(Arithmetic{pipe(), {token()}, token(), from(0, 1) == 0}, 2 * count);
        break;
      case 9:
        probe.add(AtomicAdd{one_sector(lines()), token(), from(0, 1) == 1 ? std::optional(token()) : std::nullopt},
                  count);
        break;
      case 10:
        probe.add(LoadConstant{token(), from(0, 1) == 1 ? std::optional(token()) : std::nullopt}, count);
        break;
      default:
        probe.add(Arithmetic{pipe(), {token()}, std::nullopt, false}, 2 * count);
    }
  }

  std::mt19937 generator_;
};

}  // namespace gpusim::testing
