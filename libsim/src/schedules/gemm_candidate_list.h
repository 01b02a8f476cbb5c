// Tilings that fit a GPU, each once, in slices of k and with stages.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "gpusim/profile.h"
#include "gpusim/schedules/gemm.h"
#include "gpusim/schedules/gemm_candidates.h"

namespace gpusim::schedules {

/// The most that fit are taken.
struct StageRange {
  int least, most;
};

inline constexpr int swizzle_bytes = 128;  ///< a row of a k tile that bulk copies bring
inline constexpr int grouped_rows = 8;

/// What cuBLAS had before the recent one.
[[nodiscard]] constexpr bool is_older(GemmLibrary library) {
  return library == GemmLibrary::cublas_12_1 || library == GemmLibrary::cublas_10;
}

/// Shapes of the fixed tile; all when no tile is fixed.
template <class Shape, std::size_t count>
[[nodiscard]] std::vector<Shape> of_tile(const std::optional<GemmTile>& tile, const std::array<Shape, count>& shapes) {
  std::vector<Shape> found;
  for (const Shape& shape : shapes)
    if (!tile || (shape.m == tile->m && shape.n == tile->n)) found.push_back(shape);
  return found;
}
/// The same, or `other` with the tile's sides when there are none.
template <class Shape, std::size_t count>
[[nodiscard]] std::vector<Shape> of_tile(const std::optional<GemmTile>& tile, const std::array<Shape, count>& shapes,
                                         Shape other) {
  std::vector<Shape> found = of_tile(tile, shapes);
  if (!found.empty()) return found;
  other.m = tile->m;
  other.n = tile->n;
  return {other};
}

/// What a request fixes is fixed in every one. The arguments must outlive the list.
class CandidateList {
 public:
  CandidateList(const Profile& profile, const GemmProblem& problem, const GemmRequest& request,
                const std::optional<GemmTile>& tile)
      : profile_(profile), problem_(problem), request_(request), tile_(tile) {}

  /// The k of a tile that was fixed, which added tilings have in any case.
  void fix_k(GemmTiling& tiling) const;
  /// In as many slices of k as were asked for, else whole.
  void add_whole(GemmTiling tiling, StageRange stages);
  /// Whole and, where tiles are fewer than SMs, in slices of k.
  void add_sliced(GemmTiling tiling, StageRange stages);
  /// As it is, known to fit.
  void add(const GemmTiling& tiling) { found_.push_back(tiling); }

  /// Whether a tiling, as the request leaves it, may be what it is at `where`: as `interleave`, `pingpong`.
  [[nodiscard]] bool allows(std::string_view where, const GemmTiling& tiling) const;
  /// Of C.
  [[nodiscard]] std::int64_t tiles(const GemmTiling& tiling) const;
  [[nodiscard]] bool empty() const { return found_.empty(); }
  [[nodiscard]] std::vector<GemmTiling> take() { return std::move(found_); }

 private:
  void add_in_slices(GemmTiling tiling, int split, StageRange stages);
  /// That shared memory could hold, were there nothing else: more need not be tried.
  [[nodiscard]] int most_stages(const GemmTiling& tiling) const;
  [[nodiscard]] bool add_deepest(GemmTiling tiling, StageRange stages);
  [[nodiscard]] GemmRequest request_of(const GemmTiling& tiling) const;
  [[nodiscard]] bool can_store_matrices(const GemmTiling& tiling) const;
  [[nodiscard]] bool add_if_it_fits(const GemmTiling& tiling);

  const Profile& profile_;
  const GemmProblem& problem_;
  const GemmRequest& request_;
  const std::optional<GemmTile>& tile_;
  std::vector<GemmTiling> found_;
  std::set<std::uint64_t> digests_;  ///< of those found: what is fixed may make them equal
};

}  // namespace gpusim::schedules
