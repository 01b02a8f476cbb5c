// Masked multi-head attention as TensorRT-LLM has it: how keys are shared out, and what the kernel takes.
#pragma once

#include <cstdint>
#include <vector>

#include "schedules/attention_plan.h"

namespace gpusim::schedules {

/// A thread's: TensorRT-LLM counts on no more than 32 warps an SM.
inline constexpr int mmha_registers = 64;

inline constexpr TileId mmha_scores{1};
inline constexpr TileId mmha_meeting_tile{2};
inline constexpr TileId mmha_outputs{4};
inline constexpr std::int64_t mmha_page_keys = 64;

/// Who has which keys. Lanes side by side share a key, 16 bytes each.
struct MmhaShape {
  std::int64_t warps = 8;
  std::int64_t lanes = 16;    ///< that share a key: those of a head of the next power of 2
  std::int64_t elements = 8;  ///< of a key or value, a lane's
  std::int64_t unroll = 4;    ///< keys a lane loads before it makes scores of them
  std::int64_t cached = 0;    ///< keys of a CTA that come from the cache; of the last split some are beyond the end

  /// Keys of an instruction of one warp, and of all.
  [[nodiscard]] std::int64_t of_warp() const { return lanes_per_warp / lanes; }
  [[nodiscard]] std::int64_t of_cta() const { return of_warp() * warps; }
  [[nodiscard]] std::int64_t values_unroll() const { return 2 * unroll; }
};
[[nodiscard]] MmhaShape mmha_shape(const AttentionPlan& plan);
/// Lanes that share a key of a head of that size.
[[nodiscard]] std::int64_t mmha_lanes(const AttentionProblem& problem);

/// Adds what is wrong with the tiling of a problem that makes sense.
void check_mmha_tiling(const AttentionProblem& problem, const AttentionTiling& tiling, KernelCollector& collect);
/// Sequences' lengths, tables of pages and the frequencies that keys are turned with, behind the other buffers.
[[nodiscard]] std::vector<Buffer> mmha_buffers(const AttentionPlan& plan);
[[nodiscard]] std::vector<SharedTile> mmha_tiles(const AttentionPlan& plan);
[[nodiscard]] std::vector<Role> mmha_roles(const AttentionPlan& plan);

/// Warps and splits as TensorRT-LLM's launcher chooses them for that GPU.
void choose_mmha(const Profile& profile, const AttentionProblem& problem, const AttentionRequest& request,
                 AttentionTiling& tiling);

}  // namespace gpusim::schedules
