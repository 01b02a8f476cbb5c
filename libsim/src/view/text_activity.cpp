// The text view's account of how full the GPU was: occupancy, and the figures monitoring tools show.
#include "view/facts.h"
#include "view/format.h"
#include "view/section.h"
#include "view/table.h"

namespace gpusim::view {

namespace {

/// Less of a tile than this goes without saying.
constexpr double little_padding = 0.05;

std::string unless_unlimited(const Limited<std::int64_t>& limit) {
  return limit.is_unlimited() ? "unlimited" : grouped(limit.value());
}

std::int64_t warp_cycles(const KernelResult& kernel) { return stalls(kernel).total(); }

/// A row for a server kind, where the machine has it and it has a limit.
void add_server(Table& table, const Result& result, std::string_view label, std::string_view server,
                std::string_view dcgm, std::string_view nsight) {
  const ServerRow* row = server_named(result, server);
  if (row == nullptr || row->rate.is_unlimited()) return;
  table.row({std::string(label), percent(utilisation(*row, cycles(result))), std::string(dcgm), std::string(nsight)});
}

}  // namespace

std::string occupancy_section(const Result& result, const KernelResult& kernel) {
  Table table("lrl");
  const std::int64_t at_a_time = result.profile.sm.count * kernel.occupancy.ctas;
  const std::string done = kernel.ctas_done == kernel.ctas ? "" : grouped(kernel.ctas_done) + " done; ";
  table.row({"CTAs", grouped(kernel.ctas),
             done + "on " + grouped(kernel.sms_used) + " of " + grouped(result.profile.sm.count) + " SMs"});
  table.row({"CTAs an SM", grouped(kernel.occupancy.ctas), "at a time, limited by " + kernel.occupancy.limiter});
  if (at_a_time > 0) {
    const double waves = static_cast<double>(kernel.ctas) / static_cast<double>(at_a_time);
    table.row({"waves", fixed(waves, 2), "of " + grouped(at_a_time) + " CTAs"});
  }
  const double useful = useful_share(kernel);
  if (useful < 1 - little_padding)
    table.row({"useful", percent(useful), "of multiply-adds; the others pad tiles that reach beyond the problem"});
  if (kernel.sm_active_cycles > 0) {
    const double resident = static_cast<double>(warp_cycles(kernel)) / static_cast<double>(kernel.sm_active_cycles);
    table.row({"warps an SM", fixed(resident, 1),
               "resident on average while active; room for " + unless_unlimited(result.profile.sm.warps)});
  }
  return "\nOccupancy\n" + table.text();
}

std::string activity_section(const Result& result) {
  const auto gpu_cycles = static_cast<double>(result.profile.sm.count * cycles(result).count());
  double active = 0, resident = 0;
  for (const KernelResult& kernel : result.kernels) {
    active += static_cast<double>(kernel.sm_active_cycles);
    resident += static_cast<double>(warp_cycles(kernel));
  }
  Table table("lrll");
  table.row({"", "", "DCGM_FI_", "Nsight Compute, .avg.pct_of_peak_sustained_elapsed"});
  table.row({"GPU busy", share(active > 0 ? 1 : 0, 1), "DEV_GPU_UTIL", "(any kernel running, as in nvidia-smi)"});
  table.row({"SM active", share(active, gpu_cycles), "PROF_SM_ACTIVE", "sm__cycles_active"});
  if (!result.profile.sm.warps.is_unlimited())
    table.row({"SM occupancy", share(resident, gpu_cycles * static_cast<double>(result.profile.sm.warps.value())),
               "PROF_SM_OCCUPANCY", "sm__warps_active"});
  add_server(table, result, "issue active", "sm.issue", "", "sm__inst_issued");
  add_server(table, result, "tensor active", "sm.tensor", "PROF_PIPE_TENSOR_ACTIVE", "sm__pipe_tensor_cycles_active");
  add_server(table, result, "FMA active", "sm.fma", "PROF_PIPE_FP32_ACTIVE", "sm__pipe_fma_cycles_active");
  add_server(table, result, "DRAM active", "dram.channel", "PROF_DRAM_ACTIVE", "dram__throughput");
  return "\nActivity\n" + table.text();
}

}  // namespace gpusim::view
