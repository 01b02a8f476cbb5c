// How attention is shared out, and the parts all of its programs have.
#pragma once

#include <string>
#include <vector>

#include "gpusim/schedules/attention.h"
#include "schedules/gemm_access.h"
#include "schedules/kernel_parts.h"

namespace gpusim::schedules {

inline constexpr BufferId attention_q{0};
inline constexpr BufferId attention_k{1};
inline constexpr BufferId attention_v{2};
inline constexpr BufferId attention_o{3};
inline constexpr BufferId attention_maxima{4};
inline constexpr BufferId attention_sums{5};
inline constexpr TileId tile_q{0};
inline constexpr TileId tile_k{1};
inline constexpr TileId tile_v{2};
inline constexpr TileId tile_o{3};

[[nodiscard]] inline std::string_view variant_word(AttentionVariant variant) {
  return names_of(variant).at(static_cast<std::size_t>(variant));
}

struct AttentionPlan {
  AttentionProblem problem;
  AttentionTiling tiling;
  std::int64_t layers = 0;     ///< of Q
  std::int64_t rows = 0;       ///< of Q, each layer's
  std::int64_t sharing = 1;    ///< layers of Q that share one of K
  std::int64_t blocks = 0;     ///< of keys, a CTA's at most
  std::int64_t invisible = 0;  ///< keys before the first query's own place

  [[nodiscard]] int group_rows() const;  ///< of Q, a warp's (flash2) or a warp group's
  [[nodiscard]] int compute_warps() const;
  /// Elements of a thread.
  [[nodiscard]] std::int64_t scores() const { return std::int64_t{row_share()} * tiling.tile_n / lanes_per_warp; }
  [[nodiscard]] std::int64_t outputs() const { return std::int64_t{row_share()} * problem.head_dim / lanes_per_warp; }
  /// Rows a thread has scores of.
  [[nodiscard]] std::int64_t thread_rows() const { return row_share() / 8; }
  /// Rows of Q of one warp.
  [[nodiscard]] int row_share() const { return tiling.tile_m / compute_warps(); }
  [[nodiscard]] double scale() const;  ///< of the scores, for powers of 2

  [[nodiscard]] std::int64_t grid_m() const { return divided_up(rows, tiling.tile_m); }
  /// First row of Q, in memory; and what the tile's coordinates are less.
  [[nodiscard]] Layout first_row() const;
  [[nodiscard]] Layout row_origin() const;
  [[nodiscard]] Layout q_layer() const;
  [[nodiscard]] Layout kv_layer() const;
  [[nodiscard]] Layout result_layer() const;
  /// First key of the block `ahead` of the loop's.
  [[nodiscard]] Layout first_key(std::int64_t ahead = 0) const;
  /// Holds where there is such a block.
  [[nodiscard]] Bound inside(std::int64_t ahead = 0) const;
  /// Whether all CTAs have as many blocks: only then does a trip stand for a step of the whole grid.
  [[nodiscard]] bool even_trips() const { return !problem.causal; }
  /// The first so many blocks have keys that not all rows see.
  [[nodiscard]] std::int64_t masked_blocks() const;
};

/// With what is left open. Throws ScheduleError when it makes no sense.
[[nodiscard]] AttentionProblem complete_problem(const AttentionProblem& problem);
/// Resolves the tiling. Throws ScheduleError.
[[nodiscard]] AttentionPlan plan_attention(const AttentionProblem& problem, const AttentionTiling& tiling);
/// All of a block's work may have guards, and loops of more trips need some that has none. Throws ScheduleError for
/// more blocks, of each split's keys, than loops have trips then.
void check_blocks(const AttentionPlan& plan);

/// The fragments of a warp.
struct AttentionTokens {
  Token scores, output, maximum, before, sum, other, weights;
};
[[nodiscard]] AttentionTokens attention_tokens(Program& program);

/// Zeros and lowest numbers, before the first block.
void append_attention_start(Body& body, const AttentionTokens& tokens);
/// Scores become weights, of the block `ahead` of the loop's; `peeled`: before the loop, where it is the first. The
/// running maximum and sum follow; `before` becomes what the output is to be scaled down by.
void append_attention_softmax(Body& body, const AttentionPlan& plan, const AttentionTokens& tokens, std::int64_t ahead,
                              bool peeled);
/// The weights in the type they are multiplied in.
void append_attention_weights(Body& body, const AttentionPlan& plan, const AttentionTokens& tokens,
                              const std::optional<Bound>& guard);
/// output *= before
void append_attention_rescale(Body& body, const AttentionPlan& plan, const AttentionTokens& tokens,
                              const std::optional<Bound>& guard);
/// The output divided by the sums, or with splits as it is, with maxima and sums.
void append_attention_end(Body& body, const AttentionPlan& plan, const AttentionTokens& tokens, const Layout& warp_row);

[[nodiscard]] SharedTile attention_tile(const AttentionPlan& plan, const char* name, int rows, int stages);

/// Program and barriers of the variants.
[[nodiscard]] std::vector<Role> flash2_roles(const AttentionPlan& plan);
[[nodiscard]] std::vector<Role> flash3_roles(const AttentionPlan& plan);
[[nodiscard]] std::vector<Barrier> flash3_barriers(const AttentionPlan& plan);
/// Combines the splits' results.
[[nodiscard]] Schedule combine_splits(const AttentionPlan& plan);

}  // namespace gpusim::schedules
