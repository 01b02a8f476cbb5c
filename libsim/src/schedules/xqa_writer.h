// What the programs of XQA's two roles share.
#pragma once

#include <optional>
#include <string>

#include "schedules/attention_xqa.h"
#include "schedules/xqa_cost.h"

namespace gpusim::schedules {

class XqaWriter {
 protected:
  using Guard = std::optional<Bound>;
  explicit XqaWriter(const AttentionPlan& plan);

  [[nodiscard]] Body& body() { return program_.body; }
  [[nodiscard]] int element_bytes() const { return size_of(plan_.problem.dtype); }
  /// Elements of a rows x columns fragment, a lane's.
  [[nodiscard]] static std::int64_t share(std::int64_t rows, std::int64_t columns) {
    return rows * columns / lanes_per_warp;
  }
  [[nodiscard]] std::int64_t thread_rows() const { return shape_.rows / 8; }

  /// First key of the CTA's block, of the loop's trip or `ahead`; before the loop of the first.
  [[nodiscard]] Layout block(std::int64_t ahead, bool before_loop = false) const;
  /// Which of two buffers, of the step so many after the trip's first, where a trip has `steps`.
  [[nodiscard]] static Layout parity(std::int64_t steps, std::int64_t step, bool before_loop);
  /// One warp's copy of rows x columns.
  [[nodiscard]] static Access own_copy(std::int64_t rows, std::int64_t columns, int element_bytes);
  [[nodiscard]] BufferId lengths_buffer() const;
  [[nodiscard]] Layout sequence() const;
  /// Until the sequence's length is there.
  void begin();
  /// The number of the page at that place of the sequence's table.
  void load_page(Body& into, const Layout& place, const Guard& guard);
  void copy(Body& into, BufferId buffer, TileId tile, const Access& access, const Layout& row, const Layout& column,
            const Layout& stage, const Guard& guard);
  void multiply(Body& into, Token a, Token b, Token c, bool b_transposed, std::int64_t columns,
                const Guard& guard) const;
  /// Of keys or values, a piece: all of it is copied, or filled with zeros, whatever of it there is.
  void copy_piece(Body& into, BufferId buffer, TileId tile, const Access& access, const Layout& row,
                  const Layout& column, const Layout& stage, IndexCost cost, const Guard& guard);
  [[nodiscard]] Token half(const char* name, std::int64_t step);
  /// The same bound, for those alone where `beside` is 0.
  [[nodiscard]] static Bound only(const Bound& bound, const Layout& beside) {
    return {bound.value + beside * beyond_all, bound.limit};
  }
  [[nodiscard]] SharedAccess row_numbers(TileId tile, const Layout& stage) const;

  const AttentionPlan& plan_;
  XqaShape shape_;
  Program program_;
  Token lengths_, page_;
};

inline constexpr std::int64_t xqa_counted_rows = 16;  ///< of which the costs are
inline constexpr int xqa_depth = 16;                  ///< elements, or keys, of an mma

/// Barriers of the CTA that both roles meet at, after the loop.
[[nodiscard]] std::int64_t xqa_last_barriers(const XqaShape& shape);

[[nodiscard]] Program xqa_scores_program(const AttentionPlan& plan);
[[nodiscard]] Program xqa_values_program(const AttentionPlan& plan);

}  // namespace gpusim::schedules
