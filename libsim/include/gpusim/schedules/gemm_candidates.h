// The ways a good library would multiply on a GPU: what an automatic choice chooses from.
//
//   for (const GemmTiling& tiling : schedules::gemm_candidates(profile, problem)) ...
//
// Tiles with their warp tiles, stages as shared memory holds them, fragments in two halves of the registers, tiles
// numbered in groups; where there is wgmma, persistent producers and consumers in clusters; slices of k where there
// are fewer tiles than SMs. What the GPU has decides, not its name. Every one fits the GPU. Pure: nothing is run.
#pragma once

#include <optional>
#include <vector>

#include "gpusim/profile.h"
#include "gpusim/schedules/gemm.h"

namespace gpusim::schedules {

/// What `request` fixes is fixed in every one; its tile is not looked at, `tile` is (its k 0: any). Where a fixed tile
/// is none of a library's, each variant takes it as choose() would. Throws ScheduleError when the GPU lacks the types,
/// and what choose() throws when nothing fits.
[[nodiscard]] std::vector<GemmTiling> gemm_candidates(const Profile& profile, const GemmProblem& problem,
                                                      const GemmRequest& request = {},
                                                      const std::optional<GemmTile>& tile = std::nullopt);

}  // namespace gpusim::schedules
