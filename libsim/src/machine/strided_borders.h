// Where the CTAs of a kernel begin to have less of its arrays than those before them.
#pragma once

#include <cstdint>
#include <vector>

#include "gpusim/schedule.h"

namespace gpusim::machine {

/// Numbers of CTAs, ascending, from each of which on some access leaves its buffer, in a loop a trip earlier, or, in
/// the next row of CTAs, later: what of it lies outside is not asked for, though the instructions are run. None where a
/// row of CTAs is at most a `wave`: each has its share of those with less.
[[nodiscard]] std::vector<std::int64_t> strided_borders(const Schedule& schedule, std::int64_t wave);

}  // namespace gpusim::machine
