// What the outcomes of a ladder say: gains, and how many are right.
#pragma once

#include "gpusim/ladders.h"

namespace gpusim::validate {

/// Fills in gains and the summary.
void score(LadderReport& report);

}  // namespace gpusim::validate
