// Problems of a GEMM, as they are found.
#pragma once

#include <string>
#include <vector>

#include "schedules/gemm_plan.h"

namespace gpusim::schedules {

class GemmCollector {
 public:
  void require(bool holds, const std::string& where, const std::string& what) {
    if (!holds) problems.push_back({where, what});
  }
  void within(std::int64_t value, std::int64_t low, std::int64_t high, const std::string& where) {
    require(value >= low && value <= high, where,
            "it must be " + std::to_string(low) + " to " + std::to_string(high) + ", not " + std::to_string(value));
  }

  std::vector<Problem> problems;
};

/// Choices that the variant, or another choice, leaves without a meaning; also those `given` with their defaults.
void check_unused_choices(const GemmProblem& problem, const GemmTiling& tiling, const GemmRequest& given,
                          GemmCollector& collect);

/// Stages, slices of k, clusters and persistence against each other and the problem.
void check_walks(const GemmProblem& problem, const GemmTiling& tiling, const GemmRequest& given,
                 GemmCollector& collect);

/// Sides of tiles that every tensor instruction divides, but for its k.
inline constexpr int multiple_of_parts = 16;
/// What the columns of a piece of C are a multiple of, where bulk stores take it: whole 16 bytes, and the eight that a
/// warp's registers have side by side.
[[nodiscard]] int piece_step(DType type, bool of_rows);
/// C as bulk stores take it.
void check_bulk_result(const GemmProblem& problem, const GemmTiling& tiling, GemmCollector& collect);

/// What the tensor variants cannot do.
void check_tensor_choices(const GemmProblem& problem, const GemmTiling& tiling, const GemmRequest& given,
                          GemmCollector& collect);

}  // namespace gpusim::schedules
