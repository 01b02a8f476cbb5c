// gpusim/gpu.h and gpusim/run_options.h
#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"
#include "gpusim/under_power.h"

#include <functional>
#include <string>
#include <variant>

#include "bindings.h"
#include "given.h"
#include "profile_edit.h"
#include "record.h"
#include "run_options.h"
#include "watch.h"
#include "watts.h"

namespace bindings {

namespace {

using gpusim::Progress;
using gpusim::Schedule;

/// Runs `simulate` with the options, other Python threads meanwhile.
template <class Simulate>
gpusim::Result watched(gpusim::RunOptions options, Watch& watch, const Simulate& simulate) {
  options.stop = std::ref(watch);
  const auto unlocked = [&] {
    const py::gil_scoped_release release;
    return simulate(options);
  };
  gpusim::Result result = unlocked();
  watch.raise();
  return result;
}

gpusim::Result run(const gpusim::Gpu& gpu, const Given<Schedules>& schedules, const Given<L2Before>& l2,
                   const Given<std::optional<std::int64_t>>& clock_mhz,
                   const Given<std::optional<gpusim::Cycles>>& max_cycles,
                   const Given<std::optional<std::int64_t>>& max_ctas, const Given<int>& l2_dirty_percent,
                   const Given<gpusim::CodeState>& code, const Given<bool>& exact, const py::object& stop,
                   const py::kwargs& unknown) {
  if (!unknown.empty())
    refuse_unknown("run", unknown,
                   {"l2", "clock_mhz", "max_cycles", "max_ctas", "l2_dirty_percent", "code", "exact", "stop"});
  const auto given = schedules.taken("schedules");
  gpusim::RunOptions options = run_options(l2.taken("l2"));
  options.clock_mhz = clock_mhz.taken("clock_mhz");
  options.max_cycles = max_cycles.taken("max_cycles");
  options.max_ctas = max_ctas.taken("max_ctas");
  options.l2_dirty_percent = l2_dirty_percent.taken("l2_dirty_percent");
  options.code = code.taken("code");
  options.exact = exact.taken("exact");
  refuse_unless_function(stop, "stop");
  Watch watch(stop);
  return watched(std::move(options), watch, [&](const gpusim::RunOptions& all) {
    if (const auto* one = std::get_if<Schedule>(&given)) return gpu.run(*one, all);
    return gpu.run(std::get<1>(given), all);
  });
}

gpusim::Result run_under_power(const gpusim::Gpu& gpu, const Given<Schedules>& schedules, const Given<L2Before>& l2,
                               const Given<int>& l2_dirty_percent, const py::object& watts, const Given<bool>& exact,
                               const py::object& stop, const py::kwargs& unknown) {
  if (!unknown.empty())
    refuse_unknown("run_under_power", unknown, {"l2", "l2_dirty_percent", "watts", "exact", "stop"});
  const auto given = schedules.taken("schedules");
  gpusim::RunOptions options = run_options(l2.taken("l2"));
  options.l2_dirty_percent = l2_dirty_percent.taken("l2_dirty_percent");
  options.exact = exact.taken("exact");
  const auto* const one = std::get_if<Schedule>(&given);
  const std::vector<Schedule> list = one != nullptr ? std::vector{*one} : std::get<1>(given);
  refuse_unless_function(stop, "stop");
  Watch watch(stop);
  const auto allowed = allowed_watts(watts, watch);
  return watched(std::move(options), watch,
                 [&](const gpusim::RunOptions& all) { return gpusim::run_under_power(gpu, list, all, allowed); });
}

constexpr const char* run_doc =
    R"(Simulates one schedule, or several one after another on one GPU, and returns the Result.

schedules   a Schedule, or a list of them: they share L2 and device memory, and each begins when the one before
            has drained; buffers of equal name are the same memory
l2          what L2 holds before: "cold" (nothing), "warm" (all buffers were touched once, in order; what fits
            remains), "dirty" (as warm, and written by a run before: DRAM has yet to get it), or by buffer:
            {"A": "warm"}; others are cold
clock_mhz   SM clock; None: the profile's boost clock
max_cycles  stop after so many cycles; Result.termination says so
max_ctas    each kernel has its first so many CTAs, in whole clusters; Result.termination says so
l2_dirty_percent
            of L2, what results of other kernels take that DRAM has yet to get: L2 is then full of others' lines,
            these evenly among clean ones; `l2` is what comes on top
code        what SMs hold of a kernel's instructions when it begins: "warm", all; "cold", none; or
            "repeated", what the kernel before left, the same run having come before: all where that one has
            the same instructions, else none
exact       simulate every cycle; else what repeats is skipped, as KernelResult.skipped says
stop        called now and then with a Progress; true stops the run. Without it only Ctrl-C does

Other Python threads run meanwhile; any number may run on one Gpu. Raises ScheduleError when the schedule does not fit
the GPU or an option makes no sense, DeadlockError when warps wait for what cannot come.)";

constexpr const char* run_under_power_doc =
    R"(Simulates as Gpu.run does, at the highest clock the board gives (estimate.highest_clock) at which it
draws no more than `watts`.

watts       average power, above 0, or a function that says so of a time in microseconds; infinity: no limit; None: the
            board's limit for long (profile.power.limit_w)

Runs once at the boost clock, then at the clock found from that, until the next would be within 1 %.)";

}  // namespace

void bind_gpu(py::module_& module) {
  Record<Progress>(module, "Progress", "A point on the way of a run.")
      .member("now", &Progress::now, "Cycles since the run began.")
      .member("ctas_done", &Progress::ctas_done, "CTAs that have ended.")
      .member("ctas", &Progress::ctas, "CTAs of all schedules.")
      .with_repr();

  py::class_<gpusim::Gpu>(
      module, "Gpu",
      "The simulated GPU. It does not change: threads may share it, and equal inputs give equal "
      "digests. Of a Profile, or of what load_profile takes: a name or alias, or a JSON file. Raises "
      "ProfileError when there is no such profile, and when check(profile) finds problems.")
      .def(py::init([](const std::variant<gpusim::Profile, py::object>& profile) {
             if (const auto* const given = std::get_if<gpusim::Profile>(&profile)) return gpusim::Gpu(*given);
             const py::object name = py::module_::import("os").attr("fspath")(std::get<py::object>(profile));
             return gpusim::Gpu(gpusim::load_profile(name.cast<std::string>()));
           }),
           py::arg("profile"))
      .def_property_readonly(
          "profile", [](const gpusim::Gpu& gpu) { return FrozenProfile(gpu.profile()); }, "What it was made from.")
      .def("run", &run, py::arg("schedules"), py::kw_only(), py::arg("l2") = "cold", py::arg("clock_mhz") = py::none(),
           py::arg("max_cycles") = py::none(), py::arg("max_ctas") = py::none(), py::arg("l2_dirty_percent") = 0,
           py::arg("code") = gpusim::CodeState::warm, py::arg("exact") = false, py::arg("stop") = py::none(), run_doc)
      .def("__repr__", [](const gpusim::Gpu& gpu) { return "<gpusim.Gpu " + gpu.profile().name + ">"; })
      .def(py::pickle([](const gpusim::Gpu& gpu) { return gpusim::to_json(gpu.profile()); },
                      [](const std::string& text) { return gpusim::Gpu(gpusim::parse_profile(text, "pickle")); }));
  module.def("run_under_power", &run_under_power, py::arg("gpu"), py::arg("schedules"), py::kw_only(),
             py::arg("l2") = "cold", py::arg("l2_dirty_percent") = 0, py::arg("watts") = py::none(),
             py::arg("exact") = false, py::arg("stop") = py::none(), run_under_power_doc);
}

}  // namespace bindings
