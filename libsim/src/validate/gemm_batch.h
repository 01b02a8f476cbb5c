// Products in batches: one kernel whose CTAs walk all tiles of one product after another.
#pragma once

#include <cstdint>

#include "gpusim/schedules/gemm.h"

namespace gpusim::validate {

/// gemm() for `batch` products of equal shape, each with matrices of its own. The grid is the product's, `batch` times
/// along m. In memory the products' A and C lie side by side, with each begun at a whole tile, and their B one below
/// the other. Throws what gemm() throws.
[[nodiscard]] Schedule batched_gemm(const schedules::GemmProblem& problem, const schedules::GemmTiling& tiling,
                                    std::int64_t batch);

}  // namespace gpusim::validate
