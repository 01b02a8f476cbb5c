// Kernels that people improved step by step, and published: what each step gained on silicon and what it gains here.
//
//   const validate::Ladder ladder = validate::ladder("siboehm-a6000");
//   const auto report = validate::run(ladder, {.jobs = 2});
//   std::cout << validate::text(*report);
//
// Presets follow the published parameters alone and are compiled into the library (libsim/data/ladders/); what a step
// does that no choice here expresses, its note says. A simulated time is the kernels', from the dispatcher's start to
// the last store, and what the source's way of measuring has after each (validate.h), with A and B touched before; at
// the clock the source locked, or that power leaves a board which is busy for as long as the source's was.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpusim/gpu.h"
#include "gpusim/schedules/gemm.h"

namespace gpusim::validate {

/// One published measurement.
struct LadderFigure {
  std::int64_t m = 0, n = 0, k = 0;
  double gflops = 0;
  std::string source;  ///< "repository:file"
};

struct LadderStep {
  std::string name;                             ///< "5.1"
  std::string title;                            ///< what its author calls it
  std::string chain;                            ///< steps of a chain follow one another; "" where the ladder has one
  std::string published;                        ///< its parameters as published
  bool of_library = false;                      ///< a library's kernel, for comparison; never simulated
  schedules::GemmProblem problem;               ///< without sizes
  std::optional<schedules::GemmTiling> preset;  ///< none: not simulated
  std::string note;                             ///< what differs from the source, or why there is no preset
  std::vector<LadderFigure> figures;
};

struct Ladder {
  std::string name;   ///< "siboehm-a6000"
  std::string title;  ///< "SGEMM on RTX A6000"
  std::string gpu;    ///< profile
  std::string source;
  std::string licence;                    ///< of the source
  std::string note;                       ///< on all steps
  std::optional<std::int64_t> clock_mhz;  ///< the source locked; none: what power leaves
  std::optional<std::int64_t> size;       ///< of the figures that are run unless asked otherwise; none: all
  bool gains = true;                      ///< its steps follow one another; else they are kernels side by side
  std::vector<LadderStep> steps;          ///< in published order
};

/// All of them, by name.
[[nodiscard]] std::vector<Ladder> ladders();

/// Throws InputError, with the nearest, when there is none of that name.
[[nodiscard]] Ladder ladder(std::string_view name);

/// The preset of a step (which has one) for such a problem: of persistent CTAs no more than it has tiles, in whole
/// clusters.
[[nodiscard]] schedules::GemmTiling tiling_of(const LadderStep& step, const schedules::GemmProblem& problem);

struct LadderRun {
  std::vector<std::string> steps;    ///< only these; empty: all
  std::optional<std::int64_t> size;  ///< only figures of m = n = k = size; 0: all; none: the ladder's
  bool exact = false;                ///< as in RunOptions
  int jobs = 1;                      ///< threads; they change nothing but the time it takes
  std::function<bool()> stop;        ///< asked now and then, by several threads; true gives up
  std::function<void(std::size_t done, std::size_t of)> progress;  ///< told after each figure, by one thread at a time
};

/// What a step gained over the one before it in its chain, both sides in percent of GFLOPS.
struct LadderGain {
  std::string over;  ///< that step's name
  double measured = 0;
  double simulated = 0;
  bool change = false;  ///< more than 5 % was measured
  bool right = false;   ///< a change: in the same direction; else: within 7 %
};

/// A figure of a step.
struct LadderOutcome {
  std::size_t step = 0;    ///< of the ladder
  std::size_t figure = 0;  ///< of the step
  double measured_us = 0;
  std::optional<double> simulated_us;      ///< none: not simulated
  std::optional<double> simulated_gflops;  ///< 2 m n k over the simulated time
  std::optional<double> error;             ///< of the time, in percent: 100 (simulated / measured - 1)
  std::optional<LadderGain> gain;          ///< none: nothing before it at this size, or not simulated
  std::string refused;                     ///< why it was not simulated; the library's steps say so
};

struct LadderSummary {
  std::size_t figures = 0;    ///< of steps that are not a library's
  std::size_t simulated = 0;  ///< of these
  std::size_t changes = 0;    ///< gains of more than 5 %
  std::size_t changes_right = 0;
  std::size_t steady = 0;  ///< smaller ones
  std::size_t steady_right = 0;
  std::optional<double> median_error;  ///< of absolute errors, in percent
  std::optional<double> worst_error;   ///< the one furthest from 0, by factor
};

struct LadderReport {
  Ladder ladder;
  bool exact = false;                   ///< every cycle was simulated
  std::vector<LadderOutcome> outcomes;  ///< by step, then by figure
  LadderSummary summary;
};

/// Simulates every figure that is asked for; nothing when `options.stop` gave up. Throws InputError for steps or sizes
/// the ladder does not have.
[[nodiscard]] std::optional<LadderReport> run(const Ladder& ladder, const LadderRun& options = {});

/// Simulated time of a step's figure in microseconds. Throws InputError when the GPU cannot run it.
using LadderSimulation = std::function<double(const Ladder&, const LadderStep&, const LadderFigure&, const LadderRun&)>;
[[nodiscard]] std::optional<LadderReport> run(const Ladder& ladder, const LadderRun& run,
                                              const LadderSimulation& simulation);

/// Columns for people.
[[nodiscard]] std::string text(const LadderReport& report);
/// An object with the ladder, `steps` and `summary`; ends with a newline.
[[nodiscard]] std::string json(const LadderReport& report);

}  // namespace gpusim::validate
