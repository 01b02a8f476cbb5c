// The pieces that GEMM programs are made of. A GemmProgram writes one warp role; each call appends operations.
#pragma once

#include <optional>
#include <vector>

#include "gpusim/program.h"
#include "schedules/gemm_access.h"
#include "schedules/gemm_plan.h"

namespace gpusim::schedules {

/// Indices into the schedule's buffers, tiles and barriers.
inline constexpr BufferId buffer_a{0};
inline constexpr BufferId buffer_b{1};
inline constexpr BufferId buffer_c{2};
inline constexpr TileId tile_a{0};
inline constexpr TileId tile_b{1};
inline constexpr BarrierId barrier_full{0};
inline constexpr BarrierId barrier_empty{1};

/// A k tile as a copy sees it: its number, the stage it goes to, and when it is one at all.
struct TileStep {
  Layout number;
  Layout stage;
  bool may_be_beyond = false;  ///< the number may be k_tiles or more: nothing is copied then
};

using Body = std::vector<Statement>;

class GemmProgram {
 public:
  explicit GemmProgram(const GemmPlan& plan);

  /// Index arithmetic before the first tile, and the accumulators' zeros.
  void begin();
  /// Index arithmetic of a warp that only copies.
  void begin_producer();
  void overhead(Body& body, std::int64_t instructions) const;

  /// LDG and STS of one tile.
  void load_tile(Body& body, const TileStep& step);
  void store_tile(Body& body) const;
  /// LDGSTS of one tile, without the commit.
  void copy_tile(Body& body, const TileStep& step) const;
  /// Expected bytes and both bulk copies of one tile, on the full barrier of its stage.
  void bulk_copy_tile(Body& body, const TileStep& step) const;
  /// Reads the fragments of the tile in `stage` and multiplies them.
  void multiply_tile(Body& body, const Layout& stage);

  /// Scales, converts and stores C.
  void finish();

  [[nodiscard]] Body& body() { return program_.body; }
  /// Copy instructions of one warp for one tile.
  [[nodiscard]] std::int64_t copies_per_tile() const { return copy_a_.count + copy_b_.count; }
  [[nodiscard]] Program take() { return std::move(program_); }

 private:
  [[nodiscard]] std::optional<Bound> guard(const TileStep& step, const Access& access) const;
  void convert(Body& body, Token fragment, std::int64_t elements) const;
  void multiply_fragment(Body& body, const Layout& stage, const Layout& k);
  Token fragment(std::optional<Token>& token, const char* name);

  const GemmPlan& plan_;
  Access copy_a_;
  Access copy_b_;
  Program program_;
  std::optional<Token> a_, b_, c_, staged_a_, staged_b_, source_;
};

/// Appends one operation.
void append(Body& body, Action action, std::int64_t count = 1, std::optional<Bound> guard = std::nullopt);

}  // namespace gpusim::schedules
