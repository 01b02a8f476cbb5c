// The published ladder a measured step belongs to.
#pragma once

#include <string>
#include <vector>

#include "gpusim/ladders.h"
#include "gpusim/validate_ladders.h"

namespace gpusim::validate {

struct StepOfLadder {
  const Ladder* ladder = nullptr;  ///< null: it belongs to none
  const LadderStep* step = nullptr;
};

/// By the very figure; else by source, type and name.
[[nodiscard]] StepOfLadder find_step(const MeasuredStep& row, const std::vector<Ladder>& ladders);

/// "siboehm/SGEMM_CUDA" of "siboehm/SGEMM_CUDA:README.md".
[[nodiscard]] std::string_view repository_of(std::string_view source);

/// Whether it is a library's kernel, whose choices its name does not tell.
[[nodiscard]] bool is_of_library(const MeasuredStep& row);

/// "cta_tile=128x128x8" of a step's parameters, as notes of a product have it; "" where they state no tile.
[[nodiscard]] std::string tile_note(std::string_view tile_params);

}  // namespace gpusim::validate
