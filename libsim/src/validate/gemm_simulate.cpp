// One row of a table, simulated.
#include "gpusim/estimate/roofline.h"
#include "gpusim/validate.h"
#include "gpusim/view/bound.h"
#include "validate/figures.h"
#include "validate/gemm_choice.h"
#include "validate/gemm_protocol.h"
#include "validate/gemm_wave.h"

namespace gpusim::validate {
namespace {

std::int64_t clock_mhz(const GemmRun& run, const GemmProtocol& protocol, const Profile& profile) {
  switch (run.clock) {
    case GemmClock::boost:
      return profile.clock.boost_mhz;
    case GemmClock::base:
      return profile.clock.base_mhz;
    case GemmClock::sustained:
      return profile.clock.sustained_mhz;
    case GemmClock::fixed:
      return run.clock_mhz;
    case GemmClock::usual:
      break;
  }
  return protocol.locked_mhz.value_or(profile.clock.sustained_mhz);
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

WaveOutcome wave_outcome(const GemmWave& wave, const GemmKernels& chosen, const Gpu& gpu, const RunOptions& options) {
  const Result shorter = gpu.run(gemm_kernels(wave.parts[0], chosen.tiling), options);
  const Result longer = gpu.run(gemm_kernels(wave.parts[1], chosen.tiling), options);
  const KernelResult& kernel = longer.kernels.front();
  const double cycles = static_cast<double>((kernel.launch + kernel.drain).count()) +
                        wave.whole(shorter.kernels.front().cycles, kernel.cycles);
  return {cycles / static_cast<double>(longer.clock_mhz), view::bound(longer)};
}

/// From the dispatcher's start to the last store of each, and what is between it and the next.
double kernels_us(const Result& result, std::int64_t gap) {
  double us = 0;
  for (const KernelResult& kernel : result.kernels) {
    const Cycles whole = kernel.launch + kernel.cycles + kernel.drain;
    us +=
        static_cast<double>(whole.count()) / static_cast<double>(result.clock_mhz) + static_cast<double>(gap) / ns_a_us;
  }
  return us;
}

}  // namespace

GemmOutcome simulate(const MeasuredGemm& row, const Gpu& gpu, const GemmRun& run) {
  GemmOutcome outcome;
  try {
    const GemmProtocol& protocol = protocol_of(row.source);
    RunOptions options;
    options.l2_by_buffer = {{"A", protocol.a}, {"B", protocol.b}};
    options.clock_mhz = clock_mhz(run, protocol, gpu.profile());
    if (run.stop) options.stop = [&run](const Progress&) { return run.stop(); };
    const GemmKernels chosen = kernels_of(row, gpu, options);
    outcome.schedule = chosen.description;

    const auto line =
        estimate::roofline(chosen.kernels.front().work, compulsory_bytes(row), gpu.profile(), *options.clock_mhz);
    outcome.roofline_us = line.us;
    if (const auto wave = run.waves ? wave_of(chosen.problem, chosen.tiling, gpu.profile()) : std::nullopt) {
      const WaveOutcome scaled = wave_outcome(*wave, chosen, gpu, options);
      outcome.bound = scaled.bound;
      outcome.simulated_us = scaled.us + static_cast<double>(gap_ns(protocol.gap, gpu.profile().launch)) / ns_a_us;
      return outcome;
    }
    const Result result = gpu.run(chosen.kernels, options);
    outcome.bound = view::bound(result);
    outcome.simulated_us = kernels_us(result, gap_ns(protocol.gap, gpu.profile().launch));
  } catch (const InputError& error) {
    outcome.refused = joined(error.problems());
  } catch (const DeadlockError& error) {
    outcome.refused = "deadlock: " + error.waits().front();
  }
  return outcome;
}

}  // namespace gpusim::validate
