// One check: from the probe's readings to a verdict.
#pragma once

#include "validate/anchor_readings.h"
#include "validate/anchor_spec.h"

namespace gpusim::validate {

/// Measures a check on its GPU and judges it. What the GPU or the model cannot do is a miss whose note says why.
[[nodiscard]] AnchorCheck run_check(const CheckSpec& spec, const Profile& profile, Readings& readings);

/// In percent of what was expected; of the nearer end of a range, 0 inside it.
[[nodiscard]] double percent_error(Expected expected, double simulated);

[[nodiscard]] bool is_within(Expected expected, const Tolerance& tolerance, double simulated);

}  // namespace gpusim::validate
