// One row of a table of kernels, simulated.
#include <algorithm>
#include <map>

#include "gpusim/estimate/roofline.h"
#include "gpusim/validate_kernels.h"
#include "gpusim/view/bound.h"
#include "validate/kernel_choice.h"
#include "validate/measured_compare.h"
#include "validate/measured_run.h"
#include "validate/replay.h"

namespace gpusim::validate {
namespace {

std::map<std::string, Bytes> sizes_of_buffers(const std::vector<Schedule>& kernels) {
  std::map<std::string, Bytes> sizes;
  for (const Schedule& kernel : kernels)
    for (const Buffer& buffer : kernel.buffers) sizes.insert_or_assign(buffer.name, size_of(buffer));
  return sizes;
}

/// What L2 holds after earlier runs of the same kernels: everything where it fits; else of what they read nothing that
/// they need next, and of what they wrote its share.
std::map<std::string, L2State> l2_after_kernels(const ChosenKernels& chosen, const GemmProtocol& protocol,
                                                const Profile& profile) {
  const bool fits = stays_in_l2(footprint(chosen.kernels), profile);
  std::map<std::string, L2State> states;
  for (const auto& [name, size] : sizes_of_buffers(chosen.kernels)) states[name] = fits ? protocol.a : L2State::cold;
  for (const std::string& name : chosen.written)
    if (const auto found = states.find(name); found != states.end()) found->second = L2State::dirty;
  return states;
}

double kernel_roofline_us(const ChosenKernels& chosen, const Profile& profile, std::int64_t clock_mhz) {
  double us = 0;
  for (const Schedule& kernel : chosen.kernels) us += estimate::roofline(kernel, profile, clock_mhz).us;
  return us;
}

RowOutcome simulate_kernels(const MeasuredKernel& row, const Gpu& any_gpu, const RowRun& run) {
  const GemmProtocol protocol = protocol_of(row, row.name, row.input);
  const ChosenKernels chosen = kernels_of(row, any_gpu.profile());
  const Gpu gpu = row.input ? as_measured(any_gpu, protocol, *row.input) : any_gpu;
  const Profile& profile = gpu.profile();
  std::vector<Schedule> kernels = chosen.kernels;
  RunOptions options;
  // The same few kernels again and again: their code stays where it is. What differs from products, whose tables go
  // from one library kernel to the next.
  options.l2_by_buffer = l2_after_kernels(chosen, protocol, profile);
  if (protocol.begins_cold()) {
    for (auto& [name, state] : options.l2_by_buffer) state = L2State::cold;
    kernels = as_begun(kernels, protocol, profile);
    options.l2_dirty_percent = dirty_percent_at_begin(protocol, profile);
  }
  options.clock_mhz = first_clock(run, protocol, profile);
  if (run.stop) options.stop = [&run](const Progress&) { return run.stop(); };
  double flops = 0;
  for (const Schedule& kernel : chosen.kernels) flops += kernel.work.flops;
  if (!protocol.begins_cold() && residence(footprint(kernels), profile) == Residence::part) {
    kernels = launches(kernels, 1, {});
    options.l2_by_buffer.clear();
  }
  const TimedRun timed =
      run_as_measured({std::move(kernels), chosen.kernels.size()}, gpu, run, protocol, options, {flops / 2});
  RowOutcome outcome;
  outcome.schedule = chosen.description;
  outcome.clock_mhz = timed.clock_mhz;
  outcome.roofline_us = kernel_roofline_us(chosen, profile, timed.clock_mhz);
  outcome.bound = view::bound(timed.result);
  outcome.simulated_us = timed.us + time_beside(protocol, profile.launch, chosen.kernels.size());
  return outcome;
}

}  // namespace

RowOutcome simulate(const MeasuredKernel& row, const Gpu& gpu, const RowRun& run) {
  return or_refused([&] { return simulate_kernels(row, gpu, run); });
}

std::optional<std::vector<RowOutcome>> compare(const KernelTable& table, const std::vector<std::size_t>& rows,
                                               const RowRun& run) {
  return compare_rows(table, rows, run,
                      [&](std::size_t row, const Gpu& gpu) { return simulate(table.rows[row], gpu, run); });
}

}  // namespace gpusim::validate
