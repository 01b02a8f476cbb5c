// How a GEMM is shared out: k tiles, warps, and what each warp and lane computes. Everything gemm() needs to write
// programs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpusim/error.h"
#include "gpusim/schedules/gemm.h"

namespace gpusim::schedules {

inline constexpr int lanes_per_warp = 32;

/// A rows x columns block.
struct Extent {
  int rows = 0;
  int columns = 0;
  bool operator==(const Extent&) const = default;
};

struct GemmPlan {
  GemmProblem problem;
  GemmTiling tiling;  ///< stages, fragment_k and registers resolved
  std::int64_t k_tiles = 0;
  Extent warps;        ///< that compute: their grid over the CTA's tile
  Extent warp_tile;    ///< of C, computed by one warp
  Extent lanes;        ///< simt: grid of lanes over the warp's tile
  Extent thread_tile;  ///< simt: of C, computed by one lane

  [[nodiscard]] int compute_warps() const { return warps.rows * warps.columns; }
  [[nodiscard]] bool on_tensor_cores() const { return tiling.variant != GemmVariant::simt; }
  /// Steps in which a warp reads its fragments of one k tile.
  [[nodiscard]] int fragment_steps() const { return tiling.tile.k / tiling.fragment_k; }
  /// Elements of C that a lane accumulates.
  [[nodiscard]] int accumulators() const { return warp_tile.rows * warp_tile.columns / lanes_per_warp; }
};

/// Throws ScheduleError when the problem or tiling makes no sense on any GPU.
[[nodiscard]] GemmPlan plan_gemm(const GemmProblem& problem, const GemmTiling& tiling);

/// The problem's and the tiling's own problems, before any sharing out.
[[nodiscard]] std::vector<Problem> gemm_problems(const GemmProblem& problem, const GemmTiling& tiling);

/// "128x128x32"
[[nodiscard]] std::string to_string(const GemmTile& tile);

}  // namespace gpusim::schedules
