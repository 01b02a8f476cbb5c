// Where the CTAs of a kernel that strides over its arrays in a loop begin to have one trip less.
#pragma once

#include <cstdint>
#include <vector>

#include "gpusim/schedule.h"

namespace gpusim::machine {

/// Numbers of CTAs, ascending, from each of which on some access in a loop leaves its buffer a trip earlier, or, in the
/// next row of CTAs, later: what of it lies outside is not asked for, though the trip is run. Of loops that are not
/// within others. None where a row of CTAs is at most a `wave`: each has its share of those with a trip less.
[[nodiscard]] std::vector<std::int64_t> strided_borders(const Schedule& schedule, std::int64_t wave);

}  // namespace gpusim::machine
