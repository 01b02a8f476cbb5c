// Tilings of warp groups (wgmma) that libraries have.
#pragma once

#include <optional>

#include "schedules/gemm_candidate_list.h"

namespace gpusim::schedules {

/// The library's own, or of the fixed tile.
void add_group_candidates(const Profile& profile, const GemmProblem& problem, const GemmRequest& request,
                          const std::optional<GemmTile>& tile, GemmLibrary library, CandidateList& list);

}  // namespace gpusim::schedules
