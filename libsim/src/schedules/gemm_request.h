// What a user fixed of a tiling.
#pragma once

#include "gpusim/schedules/gemm.h"

namespace gpusim::schedules {

/// The tiling with everything of the request that was given.
[[nodiscard]] GemmTiling with_request(GemmTiling tiling, const GemmRequest& request);

/// What of a request clashes with itself, or with what the GPU has, whatever the tiling.
[[nodiscard]] std::vector<Problem> request_problems(const Profile& profile, const GemmProblem& problem,
                                                    const GemmRequest& request);

/// The GPU's first instruction for the product's types. Throws ScheduleError when it has none.
[[nodiscard]] MmaShape tensor_instruction(const Profile& profile, const GemmProblem& problem);

/// As many CTAs as the GPU holds at a time, in whole clusters, at most one for each tile.
[[nodiscard]] std::int64_t persistent_ctas(const Profile& profile, const GemmProblem& problem,
                                           const GemmTiling& tiling);

}  // namespace gpusim::schedules
