// Measures a point: a probe's, or a matrix product's of the textbook examples.
#pragma once

#include "gpusim/probe.h"
#include "gpusim/profile.h"

namespace gpusim::validate {

/// As gpusim::measure; and kind "matmul": a product of m x n x k in tiles of `tile` by `schedule` (with `stages`), fp32
/// where that uses no tensor cores, warm L2; reads "cycles". Throws as the probe or the schedule does.
[[nodiscard]] ProbeReading measure_anchor(const Profile& profile, const ProbePoint& point);

}  // namespace gpusim::validate
