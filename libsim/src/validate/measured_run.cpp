#include "validate/measured_run.h"

#include <cmath>
#include <utility>

#include "gpusim/estimate/power.h"
#include "validate/replay.h"

namespace gpusim::validate {
namespace {

constexpr double ns_of_us = 1000;
/// What two events around a launch take beside the gap between kernels. Fitted to do_bench's times
/// of the smallest arrays on V100 and A100.
constexpr std::int64_t events_ns = 3500;
/// Of the energy of a tensor core's multiply-add, what is left when both operands are zero, as measured on the H100 and
/// the H200 (data/silicon, power: wgmma and wgmma_zero, less what shared memory draws); of one, while the other still
/// moves through the array, fitted to vLLM's rows of the L40S above 0.3 ms.
constexpr double share_of_zeros = 0.2;
constexpr double share_of_one_zero = 0.4;
/// Of moving data that is all zeros, as measured of shared memory there (less instructions); assumed of L2 and DRAM.
constexpr double share_of_moving_zeros = 0.47;

void take_share(std::int64_t& energy, double share) { energy = std::llround(share * static_cast<double>(energy)); }

/// Whether the clock follows from power.
bool is_powered(const RowRun& run, const GemmProtocol& protocol, const Profile& profile) {
  if (!profile.power) return false;
  return run.clock == RowClock::power || (run.clock == RowClock::usual && !protocol.locked_mhz);
}

/// What the board may draw when the row is simulated in `us`.
double allowed_watts(const RowRun& run, const GemmProtocol& protocol, const PowerSpec& power, RepeatedWork work,
                     double us) {
  if (run.clock == RowClock::power) return static_cast<double>(power.limit_w);
  const auto copies = static_cast<double>(work.copies);
  return estimate::allowed_watts(power, busy_us(protocol.repeats, copies * work.multiply_adds, copies * us));
}

/// Microseconds that each kernel has beside its cycles.
double gap_after(Gap gap, const LaunchSpec& launch) {
  switch (gap) {
    case Gap::trace:
      return static_cast<double>(launch.trace_ns) / ns_of_us;
    case Gap::stream:
      return static_cast<double>(launch.gap_ns) / ns_of_us;
    case Gap::graph:
      return static_cast<double>(launch.graph_gap_ns) / ns_of_us;
  }
  return 0;
}

}  // namespace

std::int64_t first_clock(const RowRun& run, const GemmProtocol& protocol, const Profile& profile) {
  switch (run.clock) {
    case RowClock::boost:
      return profile.clock.boost_mhz;
    case RowClock::base:
      return profile.clock.base_mhz;
    case RowClock::fixed:
      return run.clock_mhz;
    case RowClock::sustained:
    case RowClock::power:
    case RowClock::usual:
      break;
  }
  const bool locked = run.clock == RowClock::usual && protocol.locked_mhz;
  return locked ? *protocol.locked_mhz : profile.clock.sustained_mhz;
}

bool stays_in_l2(std::int64_t bytes, const Profile& profile) {
  if (!profile.l2 || profile.l2->capacity.is_unlimited()) return true;
  const std::int64_t capacity = profile.l2->capacity.value().count();
  return bytes <= (profile.l2->partitions > 1 ? capacity * 2 / 3 : capacity);
}

double time_beside(const GemmProtocol& protocol, const LaunchSpec& launch, std::size_t kernels, std::int64_t copies) {
  constexpr double dropped_us = 0.5;  // of a time in whole microseconds, in the mean
  const std::size_t told = !protocol.whole_us ? 0 : protocol.gap == Gap::trace ? kernels : 1;
  std::int64_t of_call_ns = protocol.beside_ns;
  if (protocol.between_events) of_call_ns += events_ns;
  double us = static_cast<double>(of_call_ns) / ns_of_us - static_cast<double>(told) * dropped_us;
  const double gap = gap_after(protocol.gap, launch);
  const double first = static_cast<double>(launch.kernel_ns) / ns_of_us;  // of a launch of its own
  if (protocol.waited_for)
    us += first - gap;
  else if (protocol.graph_of_calls)
    us += (first - gap) / static_cast<double>(protocol.copies > 0 ? copies : protocol.calls_of_graph);
  return us + static_cast<double>(kernels) * gap;
}

Gpu as_measured(const Gpu& gpu, const GemmProtocol& protocol, DType operands) {
  Profile profile = gpu.profile();
  if (!profile.power) return Gpu(std::move(profile));
  PowerSpec& power = *profile.power;
  const bool all_zero = protocol.zeros_of == operands;
  if (protocol.zero_weights || all_zero) take_share(power.tensor_fma_fj, all_zero ? share_of_zeros : share_of_one_zero);
  if (all_zero) {
    power.fma_pj = 0;  // what FFMAs of values draw beyond those of zeros
    for (std::int64_t PowerSpec::*energy :
         {&PowerSpec::shared_byte_fj, &PowerSpec::l2_byte_fj, &PowerSpec::dram_byte_fj})
      take_share(power.*energy, share_of_moving_zeros);
  }
  return Gpu(std::move(profile));
}

std::vector<Schedule> as_begun(const std::vector<Schedule>& launch, const GemmProtocol& protocol,
                               const Profile& profile) {
  return protocol.begins_cold() && !protocol.cleared ? after_others(launch, profile) : launch;
}

int dirty_percent_at_begin(const GemmProtocol& protocol, const Profile& profile) {
  return protocol.begins_cold() && protocol.cleared ? dirty_percent_after_clearing(profile) : 0;
}

std::function<double(double us)> watts_of(const Gpu& gpu, const RowRun& run, const GemmProtocol& protocol,
                                          RepeatedWork work) {
  if (!is_powered(run, protocol, gpu.profile())) return {};
  return
      [&gpu, &run, &protocol, work](double us) { return allowed_watts(run, protocol, *gpu.profile().power, work, us); };
}

TimedRun run_as_measured(const Launches& launches, const Gpu& gpu, const RowRun& run, const GemmProtocol& protocol,
                         const RunOptions& options, RepeatedWork work) {
  const auto watts = watts_of(gpu, run, protocol, work);
  TimedRun first = timed_run(gpu, launches, options);
  return watts ? timed_under_power(std::move(first), gpu, launches, options, watts) : first;
}

}  // namespace gpusim::validate
