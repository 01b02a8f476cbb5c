#include "gpusim/result.h"

#include <algorithm>

namespace gpusim {

bool exact(const Result& result) {
  return std::all_of(result.kernels.begin(), result.kernels.end(),
                     [](const KernelResult& kernel) { return kernel.skipped.times == 0; });
}

namespace {

double flops_done(const KernelResult& kernel) { return kernel.work.flops * kernel.work_share; }

}  // namespace

Cycles cycles(const Result& result) {
  Cycles sum;
  for (const KernelResult& kernel : result.kernels) sum += kernel.cycles;
  return sum;
}

double time_us(const Result& result) {
  if (result.clock_mhz == 0) return 0;
  return static_cast<double>(cycles(result).count()) / static_cast<double>(result.clock_mhz);
}

double tflops(const Result& result) {
  const double us = time_us(result);
  if (us == 0) return 0;
  double flops = 0;
  for (const KernelResult& kernel : result.kernels) flops += flops_done(kernel);
  return flops / us / 1e6;
}

const Work& main_work(const Result& result) {
  const auto main = std::find_if(result.kernels.begin(), result.kernels.end(),
                                 [](const KernelResult& kernel) { return kernel.work.flops > 0; });
  return main == result.kernels.end() ? result.kernels.front().work : main->work;
}

double peak_tflops(const Result& result) {
  if (result.kernels.empty()) return 0;
  const Work& work = main_work(result);
  const auto differs = [&](const KernelResult& kernel) {
    const Work& own = kernel.work;
    return own.flops > 0 && (own.pipe != work.pipe || own.input != work.input || own.accumulate != work.accumulate ||
                             own.sparse != work.sparse);
  };
  if (std::any_of(result.kernels.begin(), result.kernels.end(), differs)) return 0;
  return peak_flops(result.profile, work.pipe == Pipe::tensor, work.input, work.accumulate, result.clock_mhz,
                    work.sparse) /
         1e12;
}

double useful_share(const KernelResult& kernel) {
  if (kernel.multiply_adds.value_or(0) == 0) return 1;
  return std::min(kernel.work.flops / 2 / *kernel.multiply_adds, 1.0);
}

std::optional<double> steady_cycles_per_tile(const KernelResult& kernel) {
  if (kernel.steady_tiles == 0) return std::nullopt;
  return static_cast<double>(kernel.steady_tile_cycles) / static_cast<double>(kernel.steady_tiles);
}

StallCycles stalls(const KernelResult& kernel) {
  StallCycles sum;
  for (const RoleRow& role : kernel.roles) sum += role.stalls;
  return sum;
}

double utilisation(const ServerRow& server, Cycles over) {
  if (server.rate.is_unlimited() || server.servers == 0 || over.count() == 0) return 0;
  // Write-backs may be booked beyond the last warp's exit.
  return std::min(server.busy / (static_cast<double>(server.servers) * static_cast<double>(over.count())), 1.0);
}

}  // namespace gpusim
