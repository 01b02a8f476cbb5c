// Tiled matrix multiplication: C = alpha A B + beta C, row-major, as GPU kernels write it.
//
// A CTA computes one tile.m x tile.n block of C, walking k in steps of tile.k through shared memory. Variants differ in
// how a tile reaches shared memory and what multiplies it:
//   simt    LDG -> registers -> STS, barrier, LDS, FFMA
//   tensor  LDG -> registers -> STS, barrier, LDS or ldmatrix, mma.sync
//   async   cp.async into `stages` buffers, stages - 1 tiles in flight ahead of the one computed, mma.sync
//   tma     bulk tensor copies completing on mbarriers; with `specialize`, from a producer warp of their own
//
// Edges: rows of every buffer begin at 16-byte multiples (pitch >= columns), vectors may read that padding, rows and
// columns outside the matrix are predicated off.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "gpusim/dtype.h"
#include "gpusim/profile.h"
#include "gpusim/schedule.h"

namespace gpusim::schedules {

struct GemmProblem {
  std::int64_t m = 0, n = 0, k = 0;
  DType dtype = DType::fp16;  ///< of A and B; C has it too
  DType accumulate = DType::fp32;
  double alpha = 1;
  double beta = 0;
};

enum class GemmVariant : std::uint8_t { simt, tensor, async, tma };
[[nodiscard]] std::string_view name(GemmVariant variant);
[[nodiscard]] std::optional<GemmVariant> gemm_variant_named(std::string_view text);

struct GemmTile {
  int m = 128, n = 128, k = 32;
  bool operator==(const GemmTile&) const = default;
};

/// How the product is cut and scheduled. gemm() takes it as it stands; choose() fills one in for a GPU.
struct GemmTiling {
  GemmTile tile;
  GemmVariant variant = GemmVariant::async;
  int stages = 4;           ///< buffers in shared memory (async, tma); the others use one
  bool specialize = false;  ///< tma: a producer warp issues the copies and fills every free buffer
  int fragment_k = 0;    ///< k elements read from shared memory at a time; 0: 16 bytes for simt, tile.k for the others
  int registers = 0;     ///< a thread; 0: estimate_registers
  MmaShape instruction;  ///< tensor variants
};

/// The schedule. Throws ScheduleError when the problem or tiling makes no sense on any GPU (zero or overflowing sizes,
/// a tile the warps cannot share); what a particular GPU cannot hold is check()'s to say.
[[nodiscard]] Schedule gemm(const GemmProblem& problem, const GemmTiling& tiling = {});

/// What the user fixed; the rest is chosen.
struct GemmRequest {
  GemmTile tile;
  std::optional<GemmVariant> variant;  ///< none: the best the GPU has: tma, async, tensor, simt
  std::optional<int> stages;           ///< none: what shared memory holds, at most 4
  bool specialize = false;
  std::optional<int> registers;
  std::optional<int> fragment_k;
};

/// The tiling for a GPU. Throws ScheduleError when the GPU lacks the dtype or variant (naming those it has) or the tile
/// does not fit (saying by how much, and what would).
[[nodiscard]] GemmTiling choose(const Profile& profile, const GemmProblem& problem, const GemmRequest& request = {});

/// fp16 with fp32 accumulation where the GPU multiplies it on tensor cores, else fp32 with fp32.
[[nodiscard]] std::pair<DType, DType> default_dtypes(const Profile& profile);

/// Variants this GPU can run on these types, best first.
[[nodiscard]] std::vector<GemmVariant> variants(const Profile& profile, DType input, DType accumulate);

/// Registers a thread the kernel needs: accumulators, the largest of fragments, staged vectors and C read back, and 16
/// for addresses and indices; rounded up to 8 (docs/schedules.md).
[[nodiscard]] int estimate_registers(const GemmProblem& problem, const GemmTiling& tiling);

}  // namespace gpusim::schedules
