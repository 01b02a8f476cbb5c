// gpusim/tune.h
#include "gpusim/tune.h"

#include <future>
#include <utility>

#include "bindings.h"
#include "given.h"
#include "pairs.h"
#include "record.h"
#include "run_options.h"
#include "watch.h"
#include "watts.h"

namespace bindings {

namespace {

using gpusim::GemmChoice;
using gpusim::GemmPiece;
using gpusim::GemmTrial;
using gpusim::schedules::GemmLibrary;
using gpusim::schedules::GemmProblem;
using gpusim::schedules::GemmRequest;
using gpusim::schedules::GemmTile;

/// Calls `work`, which has not Python's lock, in a thread of its own: the one that was called handles signals, which it
/// could not while it waits for other threads.
template <class Work>
auto watched_from_beside(Watch& watch, const Work& work) {
  auto done = [&] {
    const py::gil_scoped_release release;
    auto working = std::async(std::launch::async, work);
    while (working.wait_for(Watch::between_looks) != std::future_status::ready) watch.look();
    return working;
  }();
  watch.raise();
  return done.get();
}

/// `problem` is a copy: Python may change its own meanwhile.
GemmChoice choose(const gpusim::Gpu& gpu, GemmProblem problem, const GemmRequest& request,
                  const Given<std::optional<GemmTile>>& tile, const Given<GemmLibrary>& library,
                  const Given<int>& simulated, const Given<bool>& usual, const Given<double>& within,
                  const Given<bool>& whole, const Given<double>& settle_within, const Given<L2Before>& l2,
                  const Given<int>& l2_dirty_percent, const Given<std::optional<std::int64_t>>& clock_mhz,
                  const Given<gpusim::CodeState>& code, const Given<bool>& exact, const py::object& watts,
                  const Given<bool>& keep_results, const Given<int>& jobs, const py::object& progress,
                  const py::object& stop) {
  refuse_unless_function(progress, "progress");
  refuse_unless_function(stop, "stop");
  Watch watch(stop);
  gpusim::GemmChoiceOptions options;
  options.tile = tile.taken("tile");
  options.request = request;
  options.library = library.taken("library");
  options.simulated = simulated.taken("simulated");
  options.usual = usual.taken("usual");
  options.within = within.taken("within");
  options.whole = whole.taken("whole");
  options.settle_within = settle_within.taken("settle_within");
  options.run = run_options(l2.taken("l2"));
  options.run.l2_dirty_percent = l2_dirty_percent.taken("l2_dirty_percent");
  options.run.clock_mhz = clock_mhz.taken("clock_mhz");
  options.run.code = code.taken("code");
  options.run.exact = exact.taken("exact");
  options.run.stop = std::ref(watch);
  options.watts = allowed_watts(watts, watch);
  options.keep_results = keep_results.taken("keep_results");
  options.jobs = jobs.taken("jobs");
  if (!progress.is_none())
    options.progress = [&](std::size_t done, std::size_t of) { watch.call([&] { progress(done, of); }); };
  return watched_from_beside(watch, [&] { return gpusim::choose_gemm(gpu, problem, options); });
}

std::string time_text(const GemmTrial& trial) {
  return py::str("{:.1f} us {}")
      .format(trial.simulated_us.value_or(trial.quick_us), trial.simulated_us ? "simulated" : "by the quick model")
      .cast<std::string>();
}

void bind_trial(py::module_& module) {
  Record<GemmPiece>(module, "GemmPiece", "What was simulated for a product too large to be.")
      .member("m", &GemmPiece::m, "Rows of C.")
      .member("n", &GemmPiece::n, "Columns of C.")
      .member("batch", &GemmPiece::batch, "Products.")
      .member("k_short", &GemmPiece::k_short, "The one length of k.")
      .member("k_long", &GemmPiece::k_long, "The other; equal to k_short when the whole of k was simulated.")
      .picklable()
      .with_repr();
  Record<GemmTrial>(module, "GemmTrial", "One way that was looked at.")
      .computed(
          "tiling", [](const GemmTrial& trial) { return trial.tiling; }, "How it cuts the product: a copy.")
      .kept(&GemmTrial::tiling)
      .computed(
          "choices", [](const GemmTrial& trial) { return dict_of(trial.choices); },
          "The tiling in words, as Schedule.choices has them.")
      .kept(&GemmTrial::choices)
      .member("quick_us", &GemmTrial::quick_us, "Microseconds by the quick model.")
      .member("simulated_us", &GemmTrial::simulated_us,
              "Microseconds of the whole product, by a piece where there is one; None: it was not simulated.")
      .member("clock_mhz", &GemmTrial::clock_mhz, "The clock of simulated_us where `watts` decides, or None.")
      .member("piece", &GemmTrial::piece, "The GemmPiece that was simulated; None: the whole, or nothing.")
      .member("result", &GemmTrial::result,
              "The Result of the whole product at the run's clock, where that was simulated and kept, or None.")
      .picklable()
      .bound()
      .def("__repr__", [](const GemmTrial& trial) {
        return "<gpusim.GemmTrial " + gpusim::summary(trial.tiling) + ": " + time_text(trial) + ">";
      });
}

void bind_choice(py::module_& module) {
  Record<GemmChoice>(module, "GemmChoice",
                     "How to cut a product, and what was tried. print() shows the reason and a table of the first "
                     "trials. pickle copies it.")
      .computed(
          "tiling", [](const GemmChoice& choice) { return choice.tiling; }, "The chosen one: a copy.")
      .kept(&GemmChoice::tiling)
      .member("trials", &GemmChoice::trials,
              "A GemmTrial each. The chosen one first: those simulated whole to settle it, simulated ones, and the "
              "others, each by their times.")
      .member("reason", &GemmChoice::reason, "What was tried and why this one, in a sentence.")
      .member("stopped", &GemmChoice::stopped, "`stop` gave up: not all that should be were simulated.")
      .picklable()
      .bound()
      .def("to_text", &gpusim::choice_text, py::arg("most") = gpusim::usual_trials,
           "The reason, what was simulated, and a table of the first `most` trials.")
      .def("to_json", &gpusim::choice_json, "reason, stopped and trials as JSON text, as the command writes it.")
      .def("to_csv", &gpusim::choice_csv,
           "A line for each trial: rank, schedule, its times in microseconds, and the choices it is made of.")
      .def("__str__", [](const GemmChoice& choice) { return choice_text(choice); })
      .def("__repr__", [](const GemmChoice& choice) {
        return "<gpusim.GemmChoice " + gpusim::summary(choice.tiling) + ": " + time_text(choice.trials.front()) + ">";
      });
}

}  // namespace

void bind_tune(py::module_& module) {
  bind_trial(module);
  bind_choice(module);
  module.attr("settled_within") = gpusim::settled_within;
  const gpusim::GemmChoiceOptions usual;
  module.def("choose_gemm", &choose, py::arg("gpu"), py::arg("problem"), py::arg("request"), py::kw_only(),
             py::arg("tile") = usual.tile, py::arg("library") = usual.library, py::arg("simulated") = usual.simulated,
             py::arg("usual") = usual.usual, py::arg("within") = usual.within, py::arg("whole") = usual.whole,
             py::arg("settle_within") = usual.settle_within, py::arg("l2") = usual.run.l2,
             py::arg("l2_dirty_percent") = usual.run.l2_dirty_percent, py::arg("clock_mhz") = usual.run.clock_mhz,
             py::arg("code") = usual.run.code, py::arg("exact") = usual.run.exact, py::arg("watts") = py::none(),
             py::arg("keep_results") = usual.keep_results, py::arg("jobs") = usual.jobs,
             py::arg("progress") = py::none(), py::arg("stop") = py::none());
}

}  // namespace bindings
