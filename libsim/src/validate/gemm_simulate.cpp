// One row of a table, simulated.
#include <algorithm>
#include <map>

#include "gpusim/estimate/roofline.h"
#include "gpusim/validate.h"
#include "gpusim/view/bound.h"
#include "validate/figures.h"
#include "validate/gemm_choice.h"
#include "validate/gemm_protocol.h"

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

/// From the dispatcher's start to the last store of each, and what is between it and the next.
double kernels_us(const Result& result, std::int64_t gap) {
  constexpr double ns_a_us = 1000;
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
    options.code = CodeState::cold;  // kernels of other shapes, or copies of the weights, come between
    options.l2_by_buffer = l2_after_runs(row, protocol, gpu.profile());
    options.clock_mhz = clock_mhz(run, protocol, gpu.profile());
    if (run.stop) options.stop = [&run](const Progress&) { return run.stop(); };
    const GemmKernels chosen = kernels_of(row, gpu, options);
    outcome.schedule = chosen.description;

    const Result result = gpu.run(chosen.kernels, options);
    const auto line =
        estimate::roofline(chosen.kernels.front().work, compulsory_bytes(row), gpu.profile(), *options.clock_mhz);
    outcome.roofline_us = line.us;
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
