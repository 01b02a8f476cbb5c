// Results: what a run counted. Plain data; ratios and words about it are free functions and views.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpusim/profile.h"
#include "gpusim/receipt.h"
#include "gpusim/schedule.h"
#include "gpusim/stall.h"
#include "gpusim/units.h"

namespace gpusim {

/// What a role's warps did with their cycles. Stalls sum to `warp_cycles`.
struct RoleRow {
  std::string role;
  std::int64_t warps = 0;         ///< warps that ran, over all CTAs
  std::int64_t warp_cycles = 0;   ///< resident warp-cycles
  std::int64_t instructions = 0;  ///< warp instructions issued
  StallCycles stalls;
};

/// All servers of one kind, added up: "sm.issue", "sm.tensor", "l2.slice", "dram.channel" ...
struct ServerRow {
  std::string name;
  std::string unit;          ///< what `work` counts: "instructions", "bytes", "wavefronts"
  std::int64_t servers = 0;  ///< how many there are
  Rate rate;                 ///< of one, per cycle
  std::int64_t work = 0;
  double busy = 0;          ///< server-cycles spent serving: work / rate
  std::int64_t waited = 0;  ///< cycles that work stood before them
};

/// All pools of one kind, added up: "sm.lsu_queue", "sm.l1_miss_lines", "sm.cta_slots" ...
struct PoolRow {
  std::string name;
  std::int64_t pools = 0;
  Limited<std::int64_t> capacity;  ///< of one
  std::int64_t taken = 0;          ///< places given over the run
  std::int64_t peak = 0;           ///< most taken at a time in any one
  std::int64_t refused = 0;        ///< asked for and not there
};

/// Reads from beyond the SM, summed over their receipts.
struct HopTotals {
  std::int64_t receipts = 0;
  std::int64_t latency = 0;  ///< cycles the hop had to take
  std::int64_t waiting = 0;  ///< cycles stood in its queue
};

/// Bytes, by level. Sectors are 32 bytes.
struct Traffic {
  std::int64_t global_load_bytes =
      0;  ///< distinct bytes the programs' loads and copies ask for, instruction by instruction
  std::int64_t global_store_bytes = 0;
  std::int64_t shared_load_bytes = 0;
  std::int64_t shared_store_bytes = 0;  ///< including what copies write
  std::int64_t l1_read_sectors = 0;     ///< looked up by loads
  std::int64_t l1_hit_sectors = 0;
  std::int64_t l2_read_sectors = 0;       ///< asked of L2 (of DRAM where there is no L2)
  std::int64_t l2_hit_sectors = 0;        ///< found, or already on their way
  std::int64_t l2_coalesced_sectors = 0;  ///< of these, answered by a GPC's request coalescer: no slice was asked
  std::int64_t l2_far_sectors = 0;        ///< of those asked for, sent for to the other partition: looked up in both
  std::int64_t l2_delivered_sectors = 0;
  std::int64_t l2_write_sectors = 0;
  std::int64_t dram_read_bytes = 0;
  std::int64_t dram_write_bytes = 0;         ///< written back during the run; what stays dirty in L2 is not
  std::int64_t shared_wavefronts = 0;        ///< passes over the banks, and of bulk copies beside them
  std::int64_t shared_ideal_wavefronts = 0;  ///< without bank conflicts

  bool operator==(const Traffic&) const = default;
};

/// How a run ended.
enum class Termination : std::uint8_t { completed, max_cycles, max_ctas, stopped };
[[nodiscard]] constexpr std::string_view name(Termination termination) {
  constexpr std::array<std::string_view, 4> names{"completed", "max_cycles", "max_ctas", "stopped"};
  return names[static_cast<std::size_t>(termination)];
}

/// How much of a kernel was not simulated but taken to go on as what was (RunOptions::exact: nothing). All counts of
/// the kernel include it.
struct Skipped {
  std::int64_t k_tiles = 0;  ///< of its CTAs' k tiles
  std::int64_t ctas = 0;     ///< of its CTAs, those none of which was simulated
  Cycles cycles;             ///< of its cycles
  std::int64_t times = 0;    ///< how often something passed unsimulated; what passes in two halves counts twice
  /// The most by which two stretches differed in cycles that were taken to go on, in parts of a million.
  std::int64_t spread_ppm = 0;
};

/// One schedule of the run.
struct KernelResult {
  std::string schedule;  ///< its name
  std::vector<std::pair<std::string, std::string>> choices;
  Work work;
  Bytes buffer_bytes;  ///< of all its buffers
  /// Of them those that DRAM must move, however good L2 is: not what L2 has before (all of it, or what is warm counts
  /// as cold), what an earlier kernel of the run used, or what this one writes for a later one.
  Bytes compulsory_bytes;
  std::uint64_t schedule_digest = 0;
  Cycles cycles;                      ///< first CTA's first cycle to last warp's exit
  std::int64_t kernel_launch_ns = 0;  ///< host's launch to the dispatcher's start, from the profile; in no cycle count
  Cycles launch;               ///< run's (or previous kernel's) end to the first CTA's first cycle, in CTA start cycles
  Cycles drain;                ///< last warp's exit to the last store's arrival in L2
  std::int64_t ctas = 0;       ///< of the grid
  std::int64_t ctas_done = 0;  ///< fewer than ctas when stopped early
  double work_share = 1;       ///< of `work`, what was done: less when stopped early, by warp instructions
  /// Of the whole grid, those that pad its tiles included; none: not known, or there is no work.
  std::optional<double> multiply_adds;
  Occupancy occupancy;
  std::int64_t sms_used = 0;
  std::int64_t sm_active_cycles = 0;  ///< summed over SMs: cycles with a CTA resident
  std::vector<RoleRow> roles;
  Traffic traffic;
  std::array<HopTotals, hop_count> hops{};
  /// Mean cycles a k tile over the last half of a CTA's tiles, over all CTAs: total / tiles. Both 0 without k tiles.
  std::int64_t steady_tile_cycles = 0;
  std::int64_t steady_tiles = 0;
  std::int64_t k_tiles = 0;  ///< of all CTAs
  Skipped skipped;
};

struct Result {
  std::string version;  ///< of gpusim
  Profile profile;      ///< as simulated
  std::int64_t clock_mhz = 0;
  std::optional<Cycles> max_cycles;      ///< limits the run was given, met or not
  std::optional<std::int64_t> max_ctas;  ///< of each kernel
  Termination termination = Termination::completed;
  std::vector<KernelResult> kernels;
  std::vector<ServerRow> servers;
  std::vector<PoolRow> pools;
  /// State of each buffer in L2 before the run, resolved: ("A", "cold"). Empty when the GPU has no L2.
  std::vector<std::pair<std::string, std::string>> l2_before;
  int l2_dirty_percent = 0;  ///< of L2, that others had written, as asked for
  /// What SMs had of kernels' code when they began: "warm", or as asked for where the profile says what that costs.
  std::string code_before = "warm";
  std::uint64_t profile_digest = 0;
  std::uint64_t digest = 0;  ///< over every count above but l2_coalesced_sectors and l2_far_sectors
};

/// Whether every cycle was simulated.
[[nodiscard]] bool exact(const Result& result);
/// Cycles of all kernels, without launch and drain.
[[nodiscard]] Cycles cycles(const Result& result);
/// The same in microseconds at the run's clock.
[[nodiscard]] double time_us(const Result& result);
/// Useful operations a second of all kernels, in 10^12.
[[nodiscard]] double tflops(const Result& result);
/// The work of the first kernel that has useful operations, else of the first; kernels must not be empty. Kernels that
/// only move or finish data beside it (slices of k added up, cut tiles finished) have none.
[[nodiscard]] const Work& main_work(const Result& result);
/// The most the GPU could do on the types and pipe of the kernels that have useful operations, at the run's clock, in
/// 10^12; 0 when they differ.
[[nodiscard]] double peak_tflops(const Result& result);
/// Share of the grid's multiply-adds that are useful: the others pad tiles that reach beyond the problem. 1 where it is
/// not known.
[[nodiscard]] double useful_share(const KernelResult& kernel);
/// Mean over the last half of the tiles; nothing without k tiles.
[[nodiscard]] std::optional<double> steady_cycles_per_tile(const KernelResult& kernel);
/// All roles' stalls.
[[nodiscard]] StallCycles stalls(const KernelResult& kernel);
/// Share of its capacity a server kind used over the run, at most 1; 0 when unlimited.
[[nodiscard]] double utilisation(const ServerRow& server, Cycles over);

}  // namespace gpusim
