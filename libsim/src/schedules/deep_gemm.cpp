#include "schedules/deep_gemm.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "schedules/gemm_plan.h"
#include "sizes.h"

namespace gpusim::schedules {
namespace {

constexpr std::int64_t tile_k = 128;  ///< elements of one byte
constexpr std::int64_t result_bytes = 2;
constexpr int column_step = 16;
constexpr int most_columns = 192;  ///< beyond them registers are spilled
constexpr int large_side = 128;    ///< one side of a tile at most is longer

constexpr std::int64_t shared_bytes = 232448;
constexpr std::int64_t barrier_bytes = 256;
constexpr std::int64_t alignment = 128;          ///< of a stage's scales
constexpr std::int64_t result_alignment = 1024;  ///< of the tile of C in shared memory
constexpr std::int64_t stages_it_has = 16;

/// What it takes the memories to move in a cycle, in bytes; of L2 8 TB/s at 1.3 GHz.
constexpr std::int64_t l1_bytes_an_sm = 128;
constexpr std::int64_t l2_bytes_an_sm = 64;
constexpr std::int64_t l2_bytes = 6153;

std::int64_t rounded_up(std::int64_t value, std::int64_t step) { return pieces(value, step) * step; }

/// Beyond 128 columns the two scales of a tile change after a number of columns that the kernel's loops must share.
bool has_whole_scales(int columns) {
  const int beyond = columns - static_cast<int>(tile_k);
  return beyond <= 0 || columns % beyond == 0 || static_cast<int>(tile_k) % beyond == 0;
}

std::int64_t stages(const DeepGemmLayout& layout, std::int64_t k) {
  const std::int64_t scales_of_b =
      pieces(k, tile_k) * static_cast<std::int64_t>(sizeof(float)) * (tile_k % layout.n == 0 ? 1 : 2);
  const std::int64_t extra = rounded_up(std::int64_t{layout.m} * layout.n * result_bytes, result_alignment) +
                             barrier_bytes + rounded_up(scales_of_b, 8);
  const std::int64_t scales_of_a =
      rounded_up(std::int64_t{layout.m} * static_cast<std::int64_t>(sizeof(float)), alignment);
  return std::min((shared_bytes - extra) / ((layout.m + layout.n) * tile_k + scales_of_a), stages_it_has);
}

/// To hide a copy's latency.
bool has_enough_stages(const DeepGemmLayout& layout, std::int64_t k) {
  const bool is_small = layout.m * layout.n < large_side * most_columns;
  return stages(layout, k) >= (is_small ? 4 : 3);
}

/// Cycles by the library's estimate, which has whole ones; no end of them for a cluster in a single wave.
double cycles(const DeepGemmLayout& layout, const GemmProblem& problem, std::int64_t sms) {
  const std::int64_t blocks = pieces(problem.m, layout.m) * pieces(problem.n, layout.n) * problem.batch;
  const std::int64_t waves = pieces(blocks, sms);
  if (layout.cluster.m * layout.cluster.n > 1 && waves <= 1) return std::numeric_limits<double>::infinity();
  const std::int64_t of_result = std::int64_t{layout.m} * layout.n * result_bytes;
  const std::int64_t from_l2 = problem.k * (layout.m / layout.cluster.n + layout.n / layout.cluster.m);
  const std::int64_t to_shared = problem.k * (layout.m + layout.n);
  const std::int64_t to_tensor = problem.k * (std::max(wgmma_rows, layout.m) + layout.n) + of_result;
  const auto of_all = [blocks](std::int64_t bytes, std::int64_t a_cycle) {
    return std::floor(static_cast<double>(bytes) * static_cast<double>(blocks) / static_cast<double>(a_cycle));
  };
  const double in_l2 = of_all(from_l2 + of_result, std::min(l2_bytes_an_sm * sms, l2_bytes));
  const double in_l1 = of_all(to_shared + to_tensor + of_result, l1_bytes_an_sm * sms);
  const double filled = static_cast<double>(blocks) / static_cast<double>(waves * sms);
  return std::floor(std::max(in_l1, in_l2) / filled);
}

}  // namespace

DeepGemmLayout deep_gemm_layout(const GemmProblem& problem, std::int64_t sms) {
  DeepGemmLayout best;
  double least = 0;
  for (const GemmShape& cluster : {GemmShape{1, 1}, GemmShape{1, 2}, GemmShape{2, 1}})
    for (const int m : {64, 128, 16, 32, 256}) {
      if (m < wgmma_rows && problem.m > m) continue;
      for (int n = column_step; n <= most_columns; n += column_step) {
        const DeepGemmLayout layout{m, n, cluster};
        if ((m > large_side && n > large_side) || !has_whole_scales(n) || !has_enough_stages(layout, problem.k))
          continue;
        const double taken = cycles(layout, problem, sms);
        if (best.m > 0 && taken >= least) continue;
        best = layout;
        least = taken;
      }
    }
  return best;
}

}  // namespace gpusim::schedules
