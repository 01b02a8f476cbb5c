// What is wrong with a schedule's grid: tiles, clusters, and how CTAs walk them.
#pragma once

#include "gpusim/schedule.h"
#include "schedule/collector.h"

namespace gpusim::schedule {

void check_grid(const Schedule& schedule, Collector& collect);

}  // namespace gpusim::schedule
