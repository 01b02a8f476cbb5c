// One row of a table, simulated.
#include <algorithm>
#include <map>
#include <utility>

#include "gpusim/estimate/roofline.h"
#include "gpusim/validate.h"
#include "gpusim/view/bound.h"
#include "validate/figures.h"
#include "validate/gemm_choice.h"
#include "validate/gemm_l2.h"
#include "validate/gemm_protocol.h"
#include "validate/gemm_quantise.h"
#include "validate/gemm_wave.h"
#include "validate/gemm_wave_run.h"
#include "validate/measured_run.h"
#include "validate/timed_run.h"

namespace gpusim::validate {
namespace {

double multiply_adds(const MeasuredGemm& row) {
  return static_cast<double>(row.batch) * static_cast<double>(row.m) * static_cast<double>(row.n) *
         static_cast<double>(row.k);
}

/// All that the source timed with a product, but what has a run of its own.
std::vector<Schedule> timed_kernels(const MeasuredGemm& row, const GemmKernels& chosen, const GemmProtocol& protocol) {
  std::vector<Schedule> kernels;
  if (!chosen.own_code) kernels = quantisation(row, protocol);
  kernels.insert(kernels.end(), chosen.kernels.begin(), chosen.kernels.end());
  return kernels;
}

/// The same, and before it what ran before where L2 keeps a part of that; `options` then say what L2 holds.
Launches launches_of(const MeasuredGemm& row, const GemmKernels& chosen, const GemmProtocol& protocol,
                     const Profile& profile, RunOptions& options) {
  Launches all = timed_launches(timed_kernels(row, chosen, protocol));
  if (residence_of_weights(row, protocol, profile) != Residence::part) {
    if (protocol.activations && !chosen.own_code)
      options.l2_by_buffer[activations_buffer] = activations_after_runs(row, protocol, profile);
    all.kernels = as_begun(all.kernels, protocol, profile);
    return all;
  }
  std::vector<std::string> copied{"B"};
  if (chosen.problem.block_scales) copied.emplace_back("scales_b");
  if (protocol.own_activations) copied.emplace_back(protocol.activations ? activations_buffer : "A");
  all.kernels = launches(all.kernels, copies_of_weights(row, protocol, profile), copied);
  options.l2_by_buffer.clear();
  return all;
}

/// What a library quantises before a kernel that finds its code, which what quantises does not: in a run of its own.
TimedRun quantised_apart(const MeasuredGemm& row, const Gpu& gpu, const GemmProtocol& protocol,
                         std::int64_t clock_mhz) {
  const std::vector<Schedule> kernels = quantisation(row, protocol);
  if (kernels.empty()) return {};
  RunOptions options;
  options.code = protocol.code;
  options.clock_mhz = clock_mhz;
  options.l2_by_buffer = {{activations_buffer, activations_after_runs(row, protocol, gpu.profile())}};
  return timed_run(gpu, timed_launches(kernels), options);
}

/// Whether a trial has run just these, at the clock at which they are to run, or near it where power decides.
bool is_trial(const Launches& all, const GemmKernels& chosen, const GemmProtocol& protocol, const RunOptions& options,
              bool under_power) {
  // What runs before, or beside, changes L2; and so do operands that no trial has.
  const bool are_these = all.timed == all.kernels.size() && !protocol.activations && !chosen.problem.block_scales;
  if (!chosen.simulated || !are_these || !options.clock_mhz) return false;
  const std::int64_t clock = chosen.simulated->clock_mhz;
  return under_power ? is_near_clock(*options.clock_mhz, clock) : *options.clock_mhz == clock;
}

double roofline_us(const MeasuredGemm& row, const GemmKernels& chosen, const Profile& profile, std::int64_t clock_mhz) {
  Bytes bytes = compulsory_bytes(row);
  if (chosen.problem.beta != 0) bytes += Bytes(row.batch * row.m * row.n * size_of(result_of(row)));  // C is read, too
  return estimate::roofline(chosen.kernels.front().work, bytes, profile, clock_mhz).us;
}

}  // namespace

GemmOutcome simulate(const MeasuredGemm& row, const Gpu& any_gpu, const GemmRun& run) {
  GemmOutcome outcome;
  try {
    const GemmProtocol protocol = protocol_of(row, row.library, row.input);
    const Gpu gpu = as_measured(any_gpu, protocol, row.input);
    RunOptions options;
    options.code = protocol.code;
    options.l2_by_buffer = l2_after_runs(row, protocol, gpu.profile());
    options.l2_dirty_percent = dirty_percent_at_begin(protocol, gpu.profile());
    options.clock_mhz = first_clock(run, protocol, gpu.profile());
    if (run.stop) options.stop = [&run](const Progress&) { return run.stop(); };
    const std::int64_t copies = copies_of_weights(row, protocol, gpu.profile());
    const std::function<double(double us)> watts = watts_of(gpu, run, protocol, {multiply_adds(row), copies});
    GemmKernels chosen = kernels_of(row, gpu, options, protocol.kernels, watts);
    outcome.schedule = chosen.description;
    if (chosen.own_code) options.code = CodeState::warm;  // `code` of profiles is fitted to libraries, which have more
    if (chosen.problem.block_scales) {                    // where what they scale is
      options.l2_by_buffer["scales_a"] = options.l2_by_buffer["A"];
      options.l2_by_buffer["scales_b"] = options.l2_by_buffer["B"];
    }

    // What is timed beside the product has no waves that stand for it.
    const auto wave =
        protocol.activations || chosen.gemv ? std::nullopt : wave_of(chosen.problem, chosen.tiling, gpu.profile());
    if (wave && run.waves && wave->saves()) {
      const WaveOutcome scaled = run_waves(*wave, chosen.tiling, gpu, options, watts);
      outcome.bound = scaled.bound;
      outcome.clock_mhz = scaled.clock_mhz;
      outcome.roofline_us = roofline_us(row, chosen, gpu.profile(), outcome.clock_mhz);
      outcome.simulated_us = scaled.us + time_beside(protocol, gpu.profile().launch, 1, copies);
      return outcome;
    }
    // Near the clock that power leaves it, one run is enough.
    if (watts && chosen.clock_mhz)
      options.clock_mhz = chosen.clock_mhz;
    else if (watts && wave)
      options.clock_mhz = clock_of_waves(*wave, chosen.tiling, gpu, options, watts);
    const Launches kernels = launches_of(row, chosen, protocol, gpu.profile(), options);
    TimedRun whole = is_trial(kernels, chosen, protocol, options, watts != nullptr)
                         ? timed_run_of(kernels, std::move(*chosen.simulated))
                         : timed_run(gpu, kernels, options);
    if (watts) whole = timed_under_power(std::move(whole), gpu, kernels, options, watts);
    outcome.roofline_us = roofline_us(row, chosen, gpu.profile(), whole.clock_mhz);
    outcome.clock_mhz = whole.clock_mhz;
    outcome.bound = view::bound(whole.result);
    TimedRun apart;
    if (chosen.own_code) apart = quantised_apart(row, gpu, protocol, whole.clock_mhz);
    outcome.simulated_us =
        apart.us + whole.us +
        time_beside(protocol, gpu.profile().launch, apart.result.kernels.size() + kernels.timed, copies);
  } catch (const InputError& error) {
    outcome.refused = joined(error.problems());
  } catch (const DeadlockError& error) {
    outcome.refused = "deadlock: " + error.waits().front();
  }
  return outcome;
}

}  // namespace gpusim::validate
