// Where the CTAs of a kernel that strides over its arrays in a loop begin to have one trip less.
#pragma once

#include <cstdint>
#include <vector>

#include "gpusim/schedule.h"

namespace gpusim::machine {

/// Numbers of CTAs, ascending, from each of which on some access in a loop leaves its buffer a trip earlier: what of it
/// lies outside is not asked for, though the trip is run. Of grids of one row of CTAs alone; elsewhere borders come
/// again in each row, and a machine's worth of CTAs has its share of them.
[[nodiscard]] std::vector<std::int64_t> strided_borders(const Schedule& schedule);

}  // namespace gpusim::machine
