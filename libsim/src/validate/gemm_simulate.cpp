// One row of a table, simulated.
#include <algorithm>
#include <map>

#include "gpusim/estimate/power.h"
#include "gpusim/estimate/roofline.h"
#include "gpusim/validate.h"
#include "gpusim/view/bound.h"
#include "validate/figures.h"
#include "validate/gemm_choice.h"
#include "validate/gemm_protocol.h"
#include "validate/gemm_wave.h"
#include "validate/timed_run.h"

namespace gpusim::validate {
namespace {

/// Whether the clock follows from power.
bool is_powered(const GemmRun& run, const GemmProtocol& protocol, const Profile& profile) {
  if (!profile.power) return false;
  return run.clock == GemmClock::power || (run.clock == GemmClock::usual && !protocol.locked_mhz);
}

/// The row's clock, or where the search for it begins.
std::int64_t first_clock(const GemmRun& run, const GemmProtocol& protocol, const Profile& profile) {
  switch (run.clock) {
    case GemmClock::boost:
      return profile.clock.boost_mhz;
    case GemmClock::base:
      return profile.clock.base_mhz;
    case GemmClock::fixed:
      return run.clock_mhz;
    case GemmClock::sustained:
    case GemmClock::power:
    case GemmClock::usual:
      break;
  }
  const bool locked = run.clock == GemmClock::usual && protocol.locked_mhz;
  return locked ? *protocol.locked_mhz : profile.clock.sustained_mhz;
}

std::int64_t gap_ns(Gap gap, const LaunchSpec& launch) {
  switch (gap) {
    case Gap::none:
      return 0;
    case Gap::stream:
      return launch.gap_ns;
    case Gap::graph:
      return launch.graph_gap_ns;
  }
  return 0;
}

/// The matrices of all products, once each.
Bytes compulsory_bytes(const MeasuredGemm& row) {
  const std::int64_t elements = row.m * row.k + row.k * row.n + row.m * row.n;
  return Bytes(row.batch * elements * size_of(row.input));
}

constexpr double ns_a_us = 1000;

/// A wave of the kernel, the rest by proportion.
struct WaveOutcome {
  double us = 0;  ///< from the dispatcher's start to the last store
  std::string bound;
};

WaveOutcome wave_outcome(const GemmWave& wave, const GemmKernels& chosen, const Gpu& gpu, RunOptions options) {
  options.code = CodeState::warm;  // the first wave alone meets cold code
  const Result shorter = gpu.run(gemm_kernels(wave.parts[0], chosen.tiling), options);
  const Result longer = gpu.run(gemm_kernels(wave.parts[1], chosen.tiling), options);
  const KernelResult& kernel = longer.kernels.front();
  const double cycles = static_cast<double>((kernel.launch + kernel.drain).count()) +
                        wave.whole(shorter.kernels.front().cycles, kernel.cycles);
  return {cycles / static_cast<double>(longer.clock_mhz), view::bound(longer)};
}

/// What L2 holds after earlier runs of the same product. Runs over and over through more than L2 holds find nothing of
/// it: the least recently used is what they need next. Where the halves of L2 keep lines for each other, half of them
/// are there twice.
std::map<std::string, L2State> l2_after_runs(const MeasuredGemm& row, const GemmProtocol& protocol,
                                             const Profile& profile) {
  std::map<std::string, L2State> states{{"A", protocol.a}, {"B", protocol.b}};
  if (!profile.l2 || profile.l2->capacity.is_unlimited()) return states;
  const std::int64_t capacity = profile.l2->capacity.value().count();
  const std::int64_t usable = profile.l2->partitions > 1 ? capacity * 2 / 3 : capacity;
  const std::int64_t weights = row.batch * row.k * row.n * size_of(row.input);
  const std::int64_t one_run = compulsory_bytes(row).count();
  const bool fits = one_run <= usable;
  if (!fits) states["A"] = L2State::cold;
  if (protocol.copies == 0) {
    if (!fits) states["B"] = L2State::cold;
    return states;
  }
  const std::int64_t copies = std::min<std::int64_t>(protocol.copies, (capacity + weights - 1) / weights);
  states["B"] = one_run + (copies - 1) * weights <= usable ? L2State::warm : L2State::cold;
  return states;
}

/// What the board may draw when the row is simulated in `us`.
double allowed_watts(const MeasuredGemm& row, const GemmRun& run, const GemmProtocol& protocol, const PowerSpec& power,
                     double us) {
  if (run.clock == GemmClock::power) return static_cast<double>(power.limit_w);
  const double multiply_adds = static_cast<double>(row.batch) * static_cast<double>(row.m) *
                               static_cast<double>(row.n) * static_cast<double>(row.k);
  return estimate::allowed_watts(power, busy_us(protocol.repeats, multiply_adds, us));
}

TimedRun run_row(const MeasuredGemm& row, const std::vector<Schedule>& kernels, const Gpu& gpu, const GemmRun& run,
                 const GemmProtocol& protocol, const RunOptions& options) {
  if (!is_powered(run, protocol, gpu.profile())) return timed_run(gpu, kernels, options);
  return timed_run_under_power(gpu, kernels, options,
                               [&](double us) { return allowed_watts(row, run, protocol, *gpu.profile().power, us); });
}

double roofline_us(const MeasuredGemm& row, const GemmKernels& chosen, const Profile& profile, std::int64_t clock_mhz) {
  return estimate::roofline(chosen.kernels.front().work, compulsory_bytes(row), profile, clock_mhz).us;
}

}  // namespace

GemmOutcome simulate(const MeasuredGemm& row, const Gpu& gpu, const GemmRun& run) {
  GemmOutcome outcome;
  try {
    const GemmProtocol& protocol = protocol_of(row.source);
    RunOptions options;
    options.code = CodeState::cold;  // kernels of other shapes, or copies of the weights, come between
    options.l2_by_buffer = l2_after_runs(row, protocol, gpu.profile());
    options.clock_mhz = first_clock(run, protocol, gpu.profile());
    if (run.stop) options.stop = [&run](const Progress&) { return run.stop(); };
    const GemmKernels chosen = kernels_of(row, gpu, options);
    outcome.schedule = chosen.description;

    const double gap_us = static_cast<double>(gap_ns(protocol.gap, gpu.profile().launch)) / ns_a_us;
    if (const auto wave = run.waves ? wave_of(chosen.problem, chosen.tiling, gpu.profile()) : std::nullopt) {
      const WaveOutcome scaled = wave_outcome(*wave, chosen, gpu, options);
      outcome.bound = scaled.bound;
      outcome.clock_mhz = *options.clock_mhz;
      outcome.roofline_us = roofline_us(row, chosen, gpu.profile(), outcome.clock_mhz);
      outcome.simulated_us = scaled.us + gap_us;
      return outcome;
    }
    const TimedRun timed = run_row(row, chosen.kernels, gpu, run, protocol, options);
    outcome.roofline_us = roofline_us(row, chosen, gpu.profile(), timed.clock_mhz);
    outcome.clock_mhz = timed.clock_mhz;
    outcome.bound = view::bound(timed.result);
    outcome.simulated_us = timed.us + static_cast<double>(chosen.kernels.size()) * gap_us;
  } catch (const InputError& error) {
    outcome.refused = joined(error.problems());
  } catch (const DeadlockError& error) {
    outcome.refused = "deadlock: " + error.waits().front();
  }
  return outcome;
}

}  // namespace gpusim::validate
