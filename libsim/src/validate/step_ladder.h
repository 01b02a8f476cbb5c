// The published ladder a measured step belongs to.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpusim/ladders.h"
#include "gpusim/profile.h"
#include "gpusim/validate.h"
#include "gpusim/validate_ladders.h"

namespace gpusim::validate {

struct StepOfLadder {
  const Ladder* ladder = nullptr;  ///< null: it belongs to none
  const LadderStep* step = nullptr;
};

/// What a table says of a kernel that somebody wrote.
struct PublishedKernel {
  std::string_view gpu;  ///< profile; "": any
  std::string_view source;
  std::string_view name;
  std::string_view step;  ///< "" where there are no steps
  std::int64_t m = 0, n = 0, k = 0;
  DType input = DType::fp32;
  DType accumulate = DType::fp32;
  double gflops = 0;
};

/// By the very figure; else by source, type and name: a step's, or one that ends in it ("siboehm k6 vectorized"); of
/// several so named the one that was measured nearest to that size.
[[nodiscard]] StepOfLadder find_step(const PublishedKernel& kernel, const std::vector<Ladder>& ladders);
[[nodiscard]] StepOfLadder find_step(const MeasuredStep& row, std::string_view gpu, const std::vector<Ladder>& ladders);

/// The step that a product was multiplied by, with a preset for that GPU; none where there is no such, or where the row
/// has another layout or type of C than the step.
[[nodiscard]] StepOfLadder find_preset(const MeasuredGemm& row, const Profile& profile,
                                       const std::vector<Ladder>& ladders);
/// "siboehm/SGEMM_CUDA" of "siboehm/SGEMM_CUDA:README.md"; of several sources the first.
[[nodiscard]] std::string_view repository_of(std::string_view source);

/// Whether it is a library's kernel, whose choices its name does not tell.
[[nodiscard]] bool is_of_library(const MeasuredStep& row);

/// "cta_tile=128x128x8" of a step's parameters, as notes of a product have it; "" where they state no tile.
[[nodiscard]] std::string tile_note(std::string_view tile_params);

}  // namespace gpusim::validate
