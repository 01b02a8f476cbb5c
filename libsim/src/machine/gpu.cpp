#include "gpusim/gpu.h"

#include <string>

#include "clocks.h"
#include "gpusim/profile_io.h"
#include "machine/machine.h"

namespace gpusim {

Gpu::Gpu(Profile profile) : profile_(std::move(profile)) {
  std::vector<Problem> problems = check(profile_);
  if (!problems.empty()) throw ProfileError(std::move(problems));
}

Result Gpu::run(const Schedule& schedule, const RunOptions& options, std::span<Observer* const> observers) const {
  return run(std::span<const Schedule>(&schedule, 1), options, observers);
}

Result Gpu::run(std::span<const Schedule> schedules, const RunOptions& options,
                std::span<Observer* const> observers) const {
  std::vector<Problem> problems;
  if (schedules.empty()) problems.push_back({"schedules", "there is none to run"});
  for (const Schedule& schedule : schedules)
    for (Problem& problem : check(schedule, profile_)) problems.push_back(std::move(problem));
  if (options.clock_mhz)
    if (const auto problem = problem_of_clock(*options.clock_mhz)) problems.push_back(*problem);
  if (options.max_cycles && *options.max_cycles <= Cycles(0)) problems.push_back({"max_cycles", "must be at least 1"});
  if (options.max_ctas && *options.max_ctas <= 0) problems.push_back({"max_ctas", "must be at least 1"});
  if (const int percent = options.l2_dirty_percent; percent < 0 || percent > 100)
    problems.push_back({"l2_dirty_percent", std::to_string(percent) + " is not within 0 and 100"});
  else if (percent != 0 && (!profile_.l2 || profile_.l2->capacity.is_unlimited()))
    problems.push_back({"l2_dirty_percent", "the profile '" + profile_.name + "' has no L2 that others could fill"});
  if (!problems.empty()) throw ScheduleError(std::move(problems));
  return machine::Machine(profile_, options, observers).run(schedules);
}

}  // namespace gpusim
