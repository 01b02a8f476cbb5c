// gpusim/estimate/*.h
#include "bindings.h"
#include "gpusim/estimate/critical_path.h"
#include "gpusim/estimate/roofline.h"
#include "record.h"
#include "run_options.h"

namespace bindings {

namespace {

using namespace gpusim::estimate;

void bind_path_rows(py::module_& module) {
  Record<PathTerm>(module, "PathTerm", "count * each cycles, because of a profile field.")
      .member("field", &PathTerm::field, "\"l2.latency\", \"pipes.fma.latency\" ...")
      .member("what", &PathTerm::what, "\"global load served by L2\", \"FFMA\" ...")
      .member("each", &PathTerm::each, "Cycles.")
      .member("count", &PathTerm::count, "How many times.")
      .with_repr();
  Record<CriticalPath>(module, "CriticalPath", "The chain of latencies a kernel cannot be shorter than.")
      .member("cta", &CriticalPath::cta, "Terms of one CTA, in order of first appearance.")
      .member("cta_cycles", &CriticalPath::cta_cycles, "Their sum.")
      .member("waves", &CriticalPath::waves, "CTAs over what the GPU holds at a time, rounded up.")
      .member("hand_over", &CriticalPath::hand_over, "Cycles between waves.")
      .member("total", &CriticalPath::total, "waves * cta_cycles + (waves - 1) * hand_over.")
      .with_repr();
  Record<Roofline>(module, "Roofline", "The larger of arithmetic at peak and every buffer once at DRAM's bandwidth.")
      .member("compute_us", &Roofline::compute_us, "Useful operations at the pipe's peak, in microseconds.")
      .member("memory_us", &Roofline::memory_us, "Every buffer once at DRAM's bandwidth, in microseconds.")
      .member("us", &Roofline::us, "The larger.")
      .member("bound", &Roofline::bound, "compute or memory.")
      .with_repr();
}

}  // namespace

void bind_estimate(py::module_& module) {
  py::module_ estimate = module.def_submodule("estimate");
  bind_path_rows(estimate);
  estimate.def(
      "critical_path",
      [](const gpusim::Schedule& schedule, const gpusim::Profile& profile, const L2Before& l2) {
        return critical_path(schedule, profile, run_options(l2));
      },
      py::arg("schedule"), py::arg("profile"), py::kw_only(), py::arg("l2") = "cold",
      "The closed form of a schedule's time: latencies alone, no queue and no contention. `l2`, as for Gpu.run, says "
      "what "
      "serves global loads: DRAM when cold, L2 when warm. Shares no code with the simulator.");
  estimate.def("roofline", py::overload_cast<const gpusim::Schedule&, const gpusim::Profile&, std::int64_t>(&roofline),
               py::arg("schedule"), py::arg("profile"), py::arg("clock_mhz"),
               "The least time a schedule's work can take at `clock_mhz`.");
}

}  // namespace bindings
