// How the product is cut over CTAs: stages, slices of k, persistence, clusters.
#include "schedules/gemm_collect.h"

namespace gpusim::schedules {
namespace {

std::string counted(std::int64_t number, const std::string& what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

bool on_tensor_cores(const GemmTiling& tiling) { return tiling.variant >= GemmVariant::tensor; }

void check_stages(const GemmTiling& tiling, GemmCollector& collect) {
  const std::string variant(name(tiling.variant));
  if (tiling.stages == 0) return;
  if (tiling.variant == GemmVariant::wgmma && !tiling.specialize) {
    const int least = tiling.double_buffer ? 2 : 1;
    return collect.require(tiling.stages >= least, "stages", "a tile is multiplied while the next is begun: 2 or more");
  }
  if (tiling.variant == GemmVariant::async) return;
  if (tiling.variant >= GemmVariant::tma) {
    collect.require(tiling.stages >= 2, "stages", variant + " copies one tile while it multiplies another: 2 or more");
    return;
  }
  const bool through_shared = tiling.variant >= GemmVariant::simt && (tiling.stage_a || tiling.stage_b);
  collect.require(tiling.stages == 1 || through_shared, "stages",
                  "no operand goes through shared memory, so there is nothing to have " +
                      std::to_string(tiling.stages) + " of; leave it at 1");
  if (tiling.prefetch)
    collect.require(
        tiling.stages <= 2, "stages",
        "with prefetch, one tile is multiplied while the next is stored: 1 or 2, not " + std::to_string(tiling.stages));
  else if (on_tensor_cores(tiling))
    collect.require(tiling.stages == 1, "stages",
                    "tensor has one buffer in shared memory, with prefetch two, not " + std::to_string(tiling.stages) +
                        (tiling.stages == 2 ? "; prefetch would do" : "; 2 with prefetch would do"));
}

void check_slices(const GemmProblem& problem, const GemmTiling& tiling, GemmCollector& collect) {
  const std::int64_t k_tiles = pieces(problem.k, tiling.tile.k);
  const std::int64_t slice = pieces(k_tiles, tiling.split_k);
  const std::int64_t filled = pieces(k_tiles, slice);
  collect.require(tiling.split_k == filled, "split_k",
                  counted(k_tiles, "k tile") + " in " + std::to_string(tiling.split_k) +
                      " equal slices: " + std::to_string(tiling.split_k - filled) + " would be empty; " +
                      counted(filled, "slice") + " of " + std::to_string(slice) + " would do");
  if (tiling.stream_k) {
    collect.require(tiling.ctas > 0, "stream_k", "its k tiles are dealt to persistent CTAs: give their number (ctas)");
    collect.require(tiling.split_k == 1, "stream_k",
                    "it cuts k itself; " + std::to_string(tiling.split_k) + " slices (split_k) beside it clash");
    collect.require(
        tiling.cluster == GemmShape{1, 1}, "stream_k",
        "a cluster's CTAs walk side by side, and its k tiles are dealt to each CTA for itself: a cluster of " +
            std::to_string(std::int64_t{tiling.cluster.m} * tiling.cluster.n) +
            " beside it clashes; without one (cluster 1x1) it would do");
    collect.require(tiling.variant < GemmVariant::tma || tiling.specialize, "stream_k",
                    std::string(name(tiling.variant)) +
                        " has persistent CTAs with a producer warp (specialize), which goes from item to item");
  }
  if (tiling.split_k == 1 || tiling.reduction != SplitReduction::atomics) return;
  const std::string where = "reduction";
  const std::string instead = "the reduction kernel can";
  const DType result = result_type(problem);
  collect.require(result == DType::fp32 || result == DType::tf32, where,
                  "atomics add fp32, and C is " + std::string(name(result)) + "; " + instead);
  collect.require(problem.beta == 0, where, "atomics add to a C of zeros and cannot scale an old one; " + instead);
  collect.require(!problem.bias && problem.activation == Activation::none, where,
                  "no CTA sees the whole sum, which bias and activation need; " + instead);
}

/// Two groups, each with whole tiles of its own.
void check_pingpong(const GemmProblem& problem, const GemmTiling& tiling, GemmCollector& collect) {
  if (!tiling.pingpong || tiling.variant != GemmVariant::wgmma) return;
  const auto clashes = [&](bool holds, const std::string& what) { collect.require(holds, "pingpong", what); };
  clashes(tiling.ctas > 0,
          "its groups take a persistent CTA's tiles in turns: give the number of CTAs (ctas), or have as many as fit "
          "(persistent)");
  clashes(tiling.consumers == 1, "a tile is one group's: " + std::to_string(tiling.consumers) +
                                     " that share it (consumers) clash; 1 would do");
  clashes(!tiling.stream_k && tiling.split_k == 1,
          std::string(tiling.stream_k ? "stream_k" : "split_k") + " cuts tiles, which its groups take whole");
  clashes(!tiling.consumers_arrive,
          "a group that waits for its turn would arrive for the other's stages (consumers_arrive); turn that off");
  clashes(!problem.block_scales, "blocks' scales are there for the groups of one tile");
  clashes(tiling.epilogue != Epilogue::staged, "a staged epilogue has one tile of C; direct and tma would do");
}

void check_clusters(const GemmProblem& problem, const GemmTiling& tiling, GemmCollector& collect) {
  const std::int64_t grid_m = pieces(problem.m, tiling.tile.m);
  const std::int64_t grid_n = pieces(problem.n, tiling.tile.n);
  const auto whole = [&](std::int64_t grid, int side, const std::string& where) {
    collect.require(grid % side == 0, where,
                    std::to_string(grid) + " tiles cannot be cut into clusters of " + std::to_string(side) +
                        "; the nearest number that they can is " + std::to_string([&] {
                          int fits = side;
                          while (grid % fits != 0) --fits;
                          return fits;
                        }()));
  };
  whole(grid_m, tiling.cluster.m, "cluster.m");
  whole(grid_n, tiling.cluster.n, "cluster.n");
  const std::int64_t size = std::int64_t{tiling.cluster.m} * tiling.cluster.n;
  collect.require(tiling.ctas % size == 0, "ctas",
                  std::to_string(tiling.ctas) + " CTAs are not whole clusters of " + std::to_string(size) + "; " +
                      std::to_string(pieces(tiling.ctas, size) * size) + " are");
}

void check_persistent(const GemmProblem& problem, const GemmTiling& tiling, GemmCollector& collect) {
  const std::int64_t tiles =
      pieces(problem.m, tiling.tile.m) * pieces(problem.n, tiling.tile.n) * problem.batch * tiling.split_k;
  const std::int64_t items = tiling.stream_k ? tiles * pieces(problem.k, tiling.tile.k) : tiles;
  collect.require(tiling.ctas <= items, "ctas",
                  std::to_string(tiling.ctas) + " CTAs and " + std::to_string(items) +
                      (tiling.stream_k ? " k tiles" : " tiles") + ": " + std::to_string(tiling.ctas - items) +
                      " would have nothing to do; " + std::to_string(items) + " is the most");
}

}  // namespace

void check_walks(const GemmProblem& problem, const GemmTiling& tiling, const GemmRequest& given,
                 GemmCollector& collect) {
  check_stages(tiling, collect);
  check_slices(problem, tiling, collect);
  check_clusters(problem, tiling, collect);
  check_pingpong(problem, tiling, collect);
  if (!given.persistent) check_persistent(problem, tiling, collect);  // their number is chosen
}

}  // namespace gpusim::schedules
