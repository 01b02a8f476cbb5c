// The run over all anchors, with the anchors and the way of measuring given.
#pragma once

#include <vector>

#include "validate/anchor_readings.h"
#include "validate/anchor_spec.h"

namespace gpusim::validate {

/// Of all GPUs, or of `gpu` alone.
[[nodiscard]] AnchorReport run_anchors(const std::vector<AnchorSpec>& specs, const Profile* gpu, const Measure& measure,
                                       const BeforeCheck& before_check = {});

}  // namespace gpusim::validate
