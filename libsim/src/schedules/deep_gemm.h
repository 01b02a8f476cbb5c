// The tile and cluster that DeepGEMM takes for a block-scaled fp8 product on Hopper.
//
// It compares all it has by an estimate of its own: the longer of what L2 and what shared memory need, over how full
// the waves are (csrc/jit_kernels/heuristics/sm90.hpp, MIT).
#pragma once

#include <cstdint>

#include "gpusim/schedules/gemm.h"

namespace gpusim::schedules {

struct DeepGemmLayout {
  int m = 0;  ///< rows of a CTA's tile; with few rows fewer than a wgmma has
  int n = 0;
  GemmShape cluster;
};

/// For a product of `problem`'s sizes on so many SMs; without a tile where k is so long that its scales leave no room
/// for one.
[[nodiscard]] DeepGemmLayout deep_gemm_layout(const GemmProblem& problem, std::int64_t sms);

}  // namespace gpusim::schedules
