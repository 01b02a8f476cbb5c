// TensorRT-LLM's XQA: heads that share keys are a tile's rows, warps have keys of their own, scores and values are
// different warps' work.
#pragma once

#include <cstdint>
#include <vector>

#include "schedules/attention_plan.h"

namespace gpusim::schedules {

inline constexpr std::int64_t xqa_warps = 4;  ///< that make scores, and as many that add up values
inline constexpr std::int64_t xqa_keys = 64;  ///< of a warp at a time
inline constexpr std::int64_t xqa_block = xqa_warps * xqa_keys;
inline constexpr std::int64_t xqa_page_keys = 64;
/// Splits are chosen for so many, though a CTA takes blocks of 256: every second may have none.
inline constexpr std::int64_t xqa_keys_of_split = 128;

/// Tiles in shared memory, in their order.
inline constexpr TileId xqa_q{0};
inline constexpr TileId xqa_k{1};
inline constexpr TileId xqa_v{2};
inline constexpr TileId xqa_x{3};
inline constexpr TileId xqa_maxima{4};
inline constexpr TileId xqa_sums{5};
inline constexpr TileId xqa_out{6};
/// Barriers: the query is there; a warp's weights are; they have been used.
inline constexpr BarrierId xqa_query_there{0};
inline constexpr BarrierId xqa_produced{1};
inline constexpr BarrierId xqa_consumed{2};

struct XqaShape {
  std::int64_t rows = 16;
  std::int64_t head = 128;  ///< elements, up to the next power of 2
  std::int64_t piece = 64;  ///< elements of keys, and keys of values, that are copied at a time
  std::int64_t blocks = 0;  ///< of keys, of the sequence
  std::int64_t splits = 1;

  [[nodiscard]] std::int64_t parts() const { return head / piece; }
  /// Of the warps that add up values so many have a piece of the head each, and groups of them keys of their own.
  [[nodiscard]] std::int64_t of_group() const { return head / xqa_keys; }
  [[nodiscard]] std::int64_t groups() const { return xqa_warps / of_group(); }
  [[nodiscard]] std::int64_t halves() const { return xqa_keys / piece; }  ///< of a warp's weights
  /// Groups that use one warp's weights at the same time.
  [[nodiscard]] std::int64_t sharing() const { return std::min(halves(), groups()); }
  /// Pieces of values that a group takes of a block.
  [[nodiscard]] std::int64_t steps() const { return xqa_block / (piece * groups()); }
  [[nodiscard]] std::int64_t trips() const { return divided_up(blocks, splits); }
};
[[nodiscard]] XqaShape xqa_shape(const AttentionPlan& plan);

/// Adds what is wrong with the tiling of a problem that makes sense.
void check_xqa_tiling(const AttentionProblem& problem, const AttentionTiling& tiling, KernelCollector& collect);
[[nodiscard]] std::vector<Buffer> xqa_buffers(const AttentionPlan& plan);
[[nodiscard]] std::vector<SharedTile> xqa_tiles(const AttentionPlan& plan);
[[nodiscard]] std::vector<Barrier> xqa_barriers(const AttentionPlan& plan);
[[nodiscard]] std::vector<Role> xqa_roles(const AttentionPlan& plan);
/// Rows, pieces and splits as TensorRT-LLM chooses them for that GPU.
void choose_xqa(const Profile& profile, const AttentionProblem& problem, const AttentionRequest& request,
                AttentionTiling& tiling);

}  // namespace gpusim::schedules
