// gpusim/estimate/*.h
#include "bindings.h"
#include "gpusim/estimate/critical_path.h"
#include "gpusim/estimate/power.h"
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

void bind_power_rows(py::module_& module) {
  Record<EnergyTerm>(module, "EnergyTerm", "Where a part of a run's energy goes.")
      .member("name", &EnergyTerm::name, "static, clocks, instructions, fma, tensor, shared, l2 or dram.")
      .member("millijoules", &EnergyTerm::millijoules, "Of the whole run.")
      .member("watts", &EnergyTerm::watts, "The same over the run's time.")
      .with_repr();
  Record<PowerEstimate>(module, "PowerEstimate", "What a run draws at a clock.")
      .member("clock_mhz", &PowerEstimate::clock_mhz, "The clock.")
      .member("us", &PowerEstimate::us, "First CTA's start to last store of all kernels there, in microseconds.")
      .member("watts", &PowerEstimate::watts, "Average power.")
      .member("limit_watts", &PowerEstimate::limit_watts, "What the board may draw for long.")
      .member("terms", &PowerEstimate::terms, "They add up to watts.")
      .with_repr();
}

}  // namespace

void bind_estimate(py::module_& module) {
  py::module_ estimate = module.def_submodule("estimate");
  bind_path_rows(estimate);
  bind_power_rows(estimate);
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
  estimate.def(
      "power",
      [](const gpusim::Result& result, std::optional<std::int64_t> clock_mhz) {
        return clock_mhz ? power(result, *clock_mhz) : power(result);
      },
      py::arg("result"), py::arg("clock_mhz") = py::none(),
      "What a run draws, by where it goes, at its own or another clock. None when its profile says nothing of power.");
  estimate.def(
      "clock_under_power", &clock_under_power, py::arg("result"), py::arg("watts"),
      "The highest clock up to highest_clock(result), in MHz, at which a run draws no more than `watts`; 1 when none "
      "does. Infinity is no limit; raises ScheduleError when `watts` is no number above 0.");
  py::class_<LoopUnderPower>(estimate, "LoopUnderPower", "The clock that power leaves a loop, and its time there.")
      .def_readonly("clock_mhz", &LoopUnderPower::clock_mhz, "The highest at which it draws no more than was asked.")
      .def_readonly("time_ratio", &LoopUnderPower::time_ratio,
                    "Of the loop's time there to that at the clock of the runs it is told from.");
  estimate.def(
      "loop_under_power", &loop_under_power, py::arg("begun"), py::arg("longer"), py::arg("times"), py::arg("watts"),
      "A loop from runs of few of its trips: it is `begun` once and `times` what `longer` has beyond it, at the "
      "highest clock at which that draws no more than `watts`, as of clock_under_power().");
  estimate.def("highest_clock", py::overload_cast<const gpusim::Profile&>(&highest_clock), py::arg("profile"),
               "What the board's controller gives a run that draws little, in MHz: power.max_mhz, or the boost clock.");
  estimate.def("highest_clock", py::overload_cast<const gpusim::Result&>(&highest_clock), py::arg("result"),
               "What it gives this run, in MHz: where a kernel multiplies on tensor cores no more than "
               "power.tensor_max_mhz, unless that is 0.");
  estimate.def("time_ratio", &time_ratio, py::arg("result"), py::arg("clock_mhz"),
               "The time of the same work at another clock over that at the result's. 1 where power() says nothing.");
}

}  // namespace bindings
