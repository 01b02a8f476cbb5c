// What the tensor variants cannot do, whatever the GPU.
#include <algorithm>

#include "schedules/gemm_collect.h"

namespace gpusim::schedules {
namespace {

constexpr int swizzle_rows = 8;  ///< after which a swizzle's pattern begins again

bool copies_in_bulk(const GemmTiling& tiling) { return tiling.variant >= GemmVariant::tma; }

std::string nearest_depth(int k, int depth) {
  return depth > 0 ? "; " + std::to_string(std::max(k / depth, 1) * depth) + " is" : "";
}

void check_sparse_groups(const GemmProblem& problem, const GemmTiling& tiling, GemmCollector& collect) {
  collect.require(size_of(problem.dtype) == half_bytes, "sparse",
                  "wgmma multiplies sparse matrices of fp16 and bf16 here, not of " + std::string(name(problem.dtype)) +
                      "; tensor, async and tma do");
  collect.require(!tiling.double_buffer, "double_buffer",
                  "a sparse A's metadata are read into registers that the tile still being multiplied needs; turn it "
                  "off: with two consumers one multiplies while the other waits");
}

/// C's transpose is not read again from shared memory, and nothing that goes by rows of A is turned.
void check_swap(const GemmProblem& problem, const GemmTiling& tiling, GemmCollector& collect) {
  const bool of_groups = groups_can_read(problem.dtype, tiled_problem(problem, tiling).layout);
  const std::string otherwise = of_groups ? "; without swap_ab it can" : "; tma and async can, or wgmma of layout nt";
  const auto refuse = [&](bool is_there, const std::string& where, const std::string& what) {
    collect.require(!is_there, where, what + otherwise);
  };
  refuse(tiling.epilogue == Epilogue::staged, "epilogue",
         "C's transpose (swap_ab) leaves the registers directly or by bulk stores (tma), not staged");
  refuse(tiling.stream_k, "stream_k", "parts of tiles of C's transpose (swap_ab) cannot be dealt out");
  refuse(problem.batch_interleave > 1, "batch_interleave", "B cannot lie by turns as rows of A and C do (swap_ab)");
  refuse(problem.sparse && size_of(problem.dtype) == half_bytes, "sparse",
         "a sparse A cannot take the place of B (swap_ab), which wgmma reads whole");
  refuse(problem.block_scales, "block_scales", "blocks of A and B cannot change places (swap_ab)");
}

void check_layout(const GemmProblem& problem, const GemmTiling& tiling, GemmCollector& collect) {
  const std::string posed(name(tiled_problem(problem, tiling).layout));
  const std::string type(name(problem.dtype));
  const bool of_words = size_of(problem.dtype) == register_bytes;
  collect.require(groups_can_read(problem.dtype, problem.layout), "layout",
                  (of_words ? "wgmma needs k along the rows of one of two matrices of " + type +
                                  ": nt, tt, or nn with swap_ab, not "
                            : "wgmma reads " + type + " with k along the rows only: nt, not ") +
                      posed + (of_words && tiling.swap_ab ? " with swap_ab" : ""));
}

void check_through_registers(const GemmProblem& problem, const GemmTiling& tiling, GemmCollector& collect) {
  collect.require(
      !tiling.promote, "promote",
      "a fragment that passes through registers is multiplied for all rows of a group at a time, not for 64 "
      "whose sums are promoted; turn it off");
  collect.require(!tiling.double_buffer || can_double_buffer_groups(problem, tiling.tile), "tile.k",
                  "a fragment of the tile still being multiplied (double_buffer) is in the registers that a tile of " +
                      std::to_string(tiling.tile.k) + " needs; " + std::to_string(2 * wgmma_k(problem)) +
                      " would do, or double_buffer turned off");
}

void check_warp_groups(const GemmProblem& problem, const GemmTiling& tiling, GemmCollector& collect) {
  if (tiling.variant != GemmVariant::wgmma) return;
  const int depth = wgmma_k(problem);
  collect.require(depth > 0 && tiling.tile.k % depth == 0, "tile.k",
                  std::to_string(tiling.tile.k) + " is not a multiple of " + (problem.sparse ? "sparse " : "") +
                      "wgmma's " + std::to_string(depth) + nearest_depth(tiling.tile.k, depth));
  if (problem.sparse) check_sparse_groups(problem, tiling, collect);
  if (tiling.swap_ab) check_swap(problem, tiling, collect);
  check_layout(problem, tiling, collect);
  if (passes_through_registers(problem)) check_through_registers(problem, tiling, collect);
}

void check_persistence(const GemmTiling& tiling, const GemmRequest& given, GemmCollector& collect) {
  collect.require(tiling.ctas == 0 || !copies_in_bulk(tiling) || tiling.specialize,
                  given.persistent ? "persistent" : "ctas",
                  "persistent " + std::string(name(tiling.variant)) +
                      " needs a producer warp that goes on to the next tile: specialize");
}

/// The most CTAs, at most so many, that share rows in groups of eight.
int shared_by(int extent, int sharers) {
  while (sharers > 1 && (extent % sharers != 0 || extent / sharers % swizzle_rows != 0)) --sharers;
  return sharers;
}

void check_multicast(const GemmProblem& problem, const GemmTiling& tiling, GemmCollector& collect) {
  const bool shares = copies_in_bulk(tiling) && tiling.multicast && !(tiling.cluster == GemmShape{1, 1});
  if (!shares) return;
  collect.require(tiling.specialize, "multicast",
                  "who fills another CTA's stage waits until it is empty there: a producer warp does (specialize); "
                  "without, turn multicast off");
  if (tiling.multicast_by == MulticastBy::first) return;
  const GemmTile& tile = tiling.tile;
  // Each brings rows of a tile that is swizzled in groups of eight.
  const auto shared_out = [&](int extent, int sharers, const std::string& where) {
    collect.require(sharers == 1 || (extent % sharers == 0 && extent / sharers % swizzle_rows == 0), where,
                    std::to_string(extent) + " rows are not shared out by " + std::to_string(sharers) +
                        " CTAs in groups of eight; " + std::to_string(shared_by(extent, sharers)) +
                        (shared_by(extent, sharers) == 1 ? " has them all" : " share them") +
                        "; multicast_by first shares out none");
  };
  const bool a_transposed = is_a_transposed(problem.layout);
  const bool b_transposed = is_b_transposed(problem.layout);
  shared_out(a_transposed ? tile.k : tile.m, tiling.cluster.n, "cluster.n");
  shared_out(b_transposed ? tile.n : tile.k, tiling.cluster.m, "cluster.m");
}

}  // namespace

void check_tensor_choices(const GemmProblem& problem, const GemmTiling& tiling, const GemmRequest& given,
                          GemmCollector& collect) {
  collect.require(tiling.load_batch >= 0, "load_batch",
                  std::to_string(tiling.load_batch) + " loads at a time; 0 is a whole tile's, 1 the fewest");
  check_warp_groups(problem, tiling, collect);
  check_persistence(tiling, given, collect);
  check_multicast(problem, tiling, collect);
}

}  // namespace gpusim::schedules
