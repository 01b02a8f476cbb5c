// gpusim/result.h: what one schedule of a run counted.
#include "bindings.h"
#include "digest.h"
#include "gpusim/result.h"
#include "pairs.h"
#include "record.h"
#include "traffic.h"

namespace bindings {

namespace {

using gpusim::HopTotals;
using gpusim::KernelResult;
using gpusim::RoleRow;

void bind_role_rows(py::module_& module) {
  Record<RoleRow>(module, "RoleRow", "What a role's warps did with their cycles.")
      .member("role", &RoleRow::role, "Its name.")
      .member("warps", &RoleRow::warps, "Warps that ran, over all CTAs.")
      .member("warp_cycles", &RoleRow::warp_cycles, "Resident warp-cycles.")
      .member("instructions", &RoleRow::instructions, "Warp instructions issued.")
      .member("stalls", &RoleRow::stalls, "Warp-cycles by reason; they sum to warp_cycles.")
      .picklable()
      .with_repr();
  Record<HopTotals>(module, "HopTotals", "Reads from beyond the SM at one hop, summed over their receipts.")
      .member("receipts", &HopTotals::receipts, "How many.")
      .member("latency", &HopTotals::latency, "Cycles the hop had to take.")
      .member("waiting", &HopTotals::waiting, "Cycles stood in its queue.")
      .picklable()
      .with_repr();

  Record<gpusim::Traffic> traffic(module, "Traffic", "Bytes and 32-byte sectors by level of the memory hierarchy.");
  for (const TrafficCount& count : traffic_counts) traffic.member(count.name, count.pointer, count.doc);
  traffic.picklable().with_repr().def(
      "__eq__", [](const gpusim::Traffic& left, const gpusim::Traffic& right) { return left == right; },
      py::is_operator());
  traffic.bound().attr("__hash__") = py::none();
}

py::dict hops_by_name(const KernelResult& kernel) {
  py::dict hops;
  for (std::size_t i = 0; i < gpusim::hop_count; ++i)
    hops[py::str(gpusim::hop_names[i].data())] = py::cast(kernel.hops[i]);
  return hops;
}

}  // namespace

void bind_kernel_result(py::module_& module) {
  bind_role_rows(module);
  Record<gpusim::Skipped>(module, "Skipped", "How much of a kernel was not simulated but taken to go on.")
      .member("k_tiles", &gpusim::Skipped::k_tiles, "Of its CTAs' k tiles.")
      .member("ctas", &gpusim::Skipped::ctas, "Of its CTAs, those none of which was simulated.")
      .member("cycles", &gpusim::Skipped::cycles, "Of its cycles.")
      .member("times", &gpusim::Skipped::times, "How often something was skipped.")
      .member("spread_ppm", &gpusim::Skipped::spread_ppm,
              "The most by which two stretches differed that were taken to go on, in parts of a million.")
      .picklable()
      .with_repr();
  Record<KernelResult>(module, "KernelResult", "What one schedule of a run counted.")
      .member("schedule", &KernelResult::schedule, "The schedule's name.")
      .computed(
          "choices", [](const KernelResult& kernel) { return dict_of(kernel.choices); },
          "What it was generated from, resolved, as text by name.")
      .member("work", &KernelResult::work, "Useful operations, and their types.")
      .member("buffer_bytes", &KernelResult::buffer_bytes, "Bytes of all its buffers.")
      .member(
          "compulsory_bytes", &KernelResult::compulsory_bytes,
          "Of them those that DRAM must move, however good L2 is: not what L2 has before, what an earlier kernel of "
          "the run used, or what this one writes for a later one.")
      .computed(
          "schedule_digest", [](const KernelResult& kernel) { return hexadecimal(kernel.schedule_digest); },
          "The schedule's digest.")
      .member("cycles", &KernelResult::cycles, "First CTA's first cycle to last warp's exit.")
      .member("kernel_launch_ns", &KernelResult::kernel_launch_ns,
              "Nanoseconds from the host's launch to the dispatcher's start, from the profile. In no cycle count.")
      .member("launch", &KernelResult::launch, "Cycles before: to the first CTA's first cycle. Not in `cycles`.")
      .member("drain", &KernelResult::drain, "Cycles after: to the last store's arrival in L2. Not in `cycles`.")
      .member("ctas", &KernelResult::ctas, "CTAs of the grid.")
      .member("ctas_done", &KernelResult::ctas_done, "Fewer than `ctas` when stopped early.")
      .member("work_share", &KernelResult::work_share,
              "Of `work`, what was done: less than 1 when stopped early, by warp instructions.")
      .member("multiply_adds", &KernelResult::multiply_adds,
              "Of the whole grid, those that pad its tiles included; None: not known.")
      .computed("useful_share", &gpusim::useful_share,
                "Share of the multiply-adds that are useful: the others pad tiles. 1 where it is not known.")
      .member("occupancy", &KernelResult::occupancy, "CTAs an SM holds at a time.")
      .member("sms_used", &KernelResult::sms_used, "SMs that ran a CTA.")
      .member("sm_active_cycles", &KernelResult::sm_active_cycles, "Cycles with a CTA resident, summed over SMs.")
      .member("roles", &KernelResult::roles, "What each role's warps did.")
      .member("traffic", &KernelResult::traffic, "Bytes by level.")
      .member("k_tiles", &KernelResult::k_tiles, "k tiles of all CTAs.")
      .member("skipped", &KernelResult::skipped, "What was not simulated; all counts include it.")
      .computed("hops", hops_by_name, "Reads from beyond the SM by hop: where their cycles went.")
      .computed("stalls", py::overload_cast<const KernelResult&>(&gpusim::stalls),
                "Warp-cycles of all roles by reason.")
      .computed("steady_cycles_per_tile", &gpusim::steady_cycles_per_tile,
                "Mean cycles over the last half of a CTA's k tiles; None without k tiles.")
      .kept(&KernelResult::choices)
      .kept(&KernelResult::schedule_digest)
      .kept(&KernelResult::hops)
      .kept(&KernelResult::steady_tile_cycles)
      .kept(&KernelResult::steady_tiles)
      .picklable()
      .bound()
      .def("__repr__", [](const KernelResult& kernel) {
        return "<gpusim.KernelResult " + kernel.schedule + ": " + std::to_string(kernel.cycles.count()) + " cycles>";
      });
}

}  // namespace bindings
