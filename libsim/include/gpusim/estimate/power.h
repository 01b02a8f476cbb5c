// Power: what a run draws, and the clock a board's limit leaves it.
//
// A run's energy is what its Result counted times the profile's energies (spec/power.h):
//   static        static_w, for as long as the run takes
//   clocks        cycles of SMs that have a CTA
//   instructions  warp instructions
//   fma           multiply-adds of the fp32 pipe
//   tensor        useful multiply-adds of the tensor cores, by the width of their operands: what pads a tile is zeros,
//                 which switch nothing, and so are those that a 2:4 sparse A leaves out
//   shared        passes over the data banks that shared memory and L1 have together, 128 bytes each
//   l2            bytes between L2 and SMs
//   dram          bytes between DRAM and L2
// All but the first and the last are the chip's: they go with the square of its voltage, and so with more than the
// square of its clock when seen as power. A board's controller holds the average power at the limit by lowering the
// clock; what it allows falls from burst_percent of the limit to the limit with the time constant reaction_ms.
//
//   const auto drawn = estimate::power(result);                      // at the result's clock
//   const auto clock = estimate::clock_under_power(result, 350);     // the highest that draws no more
//
// From one Result to another clock: SM cycles stay as they are, and DRAM gives no more than it gave. run_under_power()
// (under_power.h) runs again there. Not modelled: the operands' values (random ones draw more than zeros, by 10 % and
// more; validate has a third of "tensor" for sources whose weights are zeros), temperature, differences between cards
// of a kind, limits other than the board's power.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "gpusim/result.h"

namespace gpusim::estimate {

/// Where a part of the energy goes.
struct EnergyTerm {
  std::string_view name;  ///< "static", "clocks", "instructions", "fma", "tensor", "shared", "l2", "dram"
  double millijoules = 0;
  double watts = 0;  ///< the same over the run's time
};

struct PowerEstimate {
  std::int64_t clock_mhz = 0;
  double us = 0;  ///< of all kernels: first CTA's start to last store
  double watts = 0;
  double limit_watts = 0;         ///< what the board may draw for long
  std::vector<EnergyTerm> terms;  ///< in the order above; they add up to `watts`
};

/// At the result's clock. Nothing when the profile says nothing of power, or the run did nothing.
[[nodiscard]] std::optional<PowerEstimate> power(const Result& result);

/// The same work at another clock. Throws ScheduleError when that is not 1 to fastest_mhz.
[[nodiscard]] std::optional<PowerEstimate> power(const Result& result, std::int64_t clock_mhz);

/// The time of the same work at another clock over that at the result's: SM cycles stay, and DRAM gives no more than it
/// gave. 1 when power() says nothing. Throws ScheduleError when that is not 1 to fastest_mhz.
[[nodiscard]] double time_ratio(const Result& result, std::int64_t clock_mhz);

/// What a board's controller gives a run that draws little: power.max_mhz, or the boost clock where the profile says
/// nothing of it.
[[nodiscard]] std::int64_t highest_clock(const Profile& profile);

/// What the controller gives this run: where one of its kernels multiplies on tensor cores no more than
/// power.tensor_max_mhz, unless that is 0. MHz.
[[nodiscard]] std::int64_t highest_clock(const Result& result);

/// The highest clock up to highest_clock() of the run at which the run draws no more than `watts`; 1 when none does.
/// Infinity is no limit; throws ScheduleError when `watts` is no number above 0.
[[nodiscard]] std::int64_t clock_under_power(const Result& result, double watts);

struct LoopUnderPower {
  std::int64_t clock_mhz = 0;
  double time_ratio = 1;  ///< of the loop's time there to that at the runs' clock
};

/// A loop from runs of few of its trips: it is `begun` once and `times` what `longer` has beyond it, at the highest
/// clock up to highest_clock() at which that draws no more than `watts`. Both runs are of one profile and at one clock.
/// Where `longer` took no longer than `begun` it is all there is to go by; without a power section the ratio is 1.
/// `watts` as of clock_under_power().
[[nodiscard]] LoopUnderPower loop_under_power(const Result& begun, const Result& longer, double times, double watts);

/// What the controller lets the board draw once it has been busy for `busy_us`.
[[nodiscard]] double allowed_watts(const PowerSpec& power, double busy_us);

}  // namespace gpusim::estimate
