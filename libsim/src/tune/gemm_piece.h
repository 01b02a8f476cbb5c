// The part of a product that is simulated in its place.
#pragma once

#include <optional>

#include "gpusim/profile.h"
#include "gpusim/schedules/gemm.h"
#include "gpusim/tune.h"

namespace gpusim::tune {

/// A piece of one wave of CTAs, or all where they are few, and a few k tiles, each way of cutting its own; nothing when
/// the whole is not much more.
[[nodiscard]] std::optional<GemmPiece> piece_of(const schedules::GemmProblem& problem,
                                                const schedules::GemmTiling& tiling, const Profile& profile);

/// The piece as a product, at one length of k, and how it is cut.
[[nodiscard]] schedules::GemmProblem problem_of(const GemmPiece& piece, std::int64_t k,
                                                const schedules::GemmProblem& whole);
[[nodiscard]] schedules::GemmTiling tiling_of(const GemmPiece& piece, const schedules::GemmTiling& whole);

}  // namespace gpusim::tune
