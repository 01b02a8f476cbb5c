// A step of a published ladder, run as its source ran it.
#pragma once

#include <cstdint>
#include <vector>

#include "gpusim/gpu.h"
#include "gpusim/ladders.h"
#include "gpusim/measured.h"
#include "validate/timed_run.h"

namespace gpusim::validate {

struct PublishedRun {
  std::vector<Schedule> kernels;
  TimedRun timed;
  double us = 0;  ///< with what the source's way of measuring has beside the kernels
};

/// The step, which has a preset, of that size: the same launch again and again, A and B touched before, with the gaps
/// and for the time that the source's protocol says. At the clock the ladder's source locked, if it did and `run` asks
/// for no other; `exact` as in RunOptions.
[[nodiscard]] PublishedRun run_published(const Ladder& ladder, const LadderStep& step, const LadderFigure& size,
                                         const Gpu& gpu, const RowRun& run, bool exact = false);

/// The step's problem, of those sizes.
[[nodiscard]] schedules::GemmProblem problem_of(const LadderStep& step, std::int64_t m, std::int64_t n, std::int64_t k);

}  // namespace gpusim::validate
