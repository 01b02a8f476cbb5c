// The ways a good library would multiply on a GPU: what an automatic choice chooses from.
//
//   for (const GemmTiling& tiling : schedules::gemm_candidates(profile, problem)) ...
//
// Tiles with their warp tiles, stages as shared memory holds them, fragments in two halves of the registers, tiles
// numbered in groups; where there is wgmma, persistent producers and consumers in clusters; slices of k where there
// are fewer tiles than SMs. What the GPU has decides, not its name. Every one fits the GPU. Pure: nothing is run.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "gpusim/profile.h"
#include "gpusim/schedules/gemm.h"

namespace gpusim::schedules {

/// Whose kernels there are to choose from. What differs are the sides of tiles and how wgmma is used.
enum class GemmLibrary : std::uint8_t {
  /// cuBLAS of 2024 and later: wgmma kernels are persistent and have sides of 192, too; tiles of 128 rows also 80 to
  /// 240 columns in steps of 16, or 320; of 64 rows also 96 or 112. With A and B swapped there are 128 columns by 80 to
  /// 240 rows, too, 256 by 96, 144 or 160, 192 by 96 or 144, and 64 by 96, 112 or 176. Tiles of 64 rows, and up to
  /// 128x176, are one group's, and two take them in turns. wgmma of tf32 is as in `cublas_12_1`. async ones of fp16
  /// have
  /// sides of 96, 160 and 192.
  recent,
  /// Of 2023, as PyTorch 2.0 and 2.1 have it: sides are powers of 2 but for 96, 160 and 192 columns of fp16; wgmma
  /// kernels are persistent, two warp groups share a tile of 128x256 or 256x128 and take smaller ones in turns.
  cublas_12_1,
  /// vLLM's fp8 kernels of CUTLASS 3 for Hopper: a tile that depends on m and k alone, where m is more than 64
  /// persistent, two warp groups taking tiles of up to 128x128 in turns; never slices of k.
  vllm_fp8,
  /// DeepGEMM's block-scaled fp8: the one tile and cluster that its own estimate finds the shortest, persistent,
  /// promoted sums, never slices of k.
  deep_gemm,
  /// cuBLAS of 2018 and 2019 (9.2 to 10.2): int8 by DP4A, in 128x128, where a side is at most 32 in tiles of 8 or
  /// 32 along it, never slices of k. Other types as in `cublas_12_1`, without wgmma.
  cublas_10,
  /// cuBLAS 12 as it chooses, not as would be fastest: as `recent`, but of a 16-bit type with k up to 128, and both
  /// sides of C from 64 on, it takes a tile of 128x256 or more wherever that leaves two waves of CTAs, and int8 on
  /// Hopper has no wgmma, but four of Ampere's kernels (64x64 to 256x128), never slices of k.
  cublas_12,
  /// cuBLAS 12 on GPUs of compute capability 8.6 and 8.9: as `cublas_12`, but 2 to 16 rows of a 16-bit type with k from
  /// 512 to 4095 are one-warp CTAs of 16x16, k tiles of 128, without stages or slices of k.
  cublas_12_ada,
};
[[nodiscard]] constexpr std::array<std::string_view, 7> names_of(GemmLibrary) {
  return {"recent", "cublas-12.1", "vllm-fp8", "deep-gemm", "cublas-10", "cublas-12", "cublas-12-ada"};
}

/// What `request` fixes is fixed in every one; its tile is not looked at, `tile` is (its k 0: any). Where a fixed tile
/// is none of a library's, each variant takes it as choose() would. Throws ScheduleError when the GPU lacks the types,
/// and what choose() throws when nothing fits.
[[nodiscard]] std::vector<GemmTiling> gemm_candidates(const Profile& profile, const GemmProblem& problem,
                                                      const GemmRequest& request = {},
                                                      const std::optional<GemmTile>& tile = std::nullopt,
                                                      GemmLibrary library = GemmLibrary::recent);

}  // namespace gpusim::schedules
