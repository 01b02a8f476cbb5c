// PyTorch's sums (Reduce.cuh, setReduceConfig): how many threads, warps and CTAs share a number.
#include <algorithm>

#include "integers.h"
#include "sizes.h"
#include "validate/kernel_pytorch.h"

namespace gpusim::validate {
namespace {

using schedules::ReduceFinish;
using schedules::ReduceTiling;
using schedules::RowMeeting;

constexpr std::int64_t most_threads = 512;

std::int64_t threads_up_to(std::int64_t value) {
  return power_of_two_up_to(std::clamp<std::int64_t>(value, 1, most_threads));
}

/// A CTA's threads along a row, and along rows or its next part.
struct Block {
  std::int64_t width = 1;
  std::int64_t height = 1;
};

Block block_of(std::int64_t along_row, std::int64_t rows) {
  const std::int64_t most_width = threads_up_to(along_row);
  const std::int64_t most_height = threads_up_to(rows);
  Block block;
  block.height = std::min(most_height, most_threads / std::min(most_width, std::int64_t{lanes_per_warp}));
  block.width = std::min(most_width, most_threads / block.height);
  return block;
}

/// CTAs of a number that one CTA's threads would have `values` of each: as many as fill the GPU, if that leaves each
/// thread 16, and no thread more than 256.
std::int64_t ctas_of_number(const Profile& profile, std::int64_t values, std::int64_t threads, std::int64_t numbers) {
  constexpr std::int64_t fewest_values = 16;
  constexpr std::int64_t most_values = 256;
  if (values < most_values || profile.sm.warps.is_unlimited()) return 1;
  const std::int64_t filling = profile.sm.count * (profile.sm.warps.value() * std::int64_t{lanes_per_warp} / threads);
  if (numbers > filling) return 1;
  return std::max(std::min(divided_up(filling, numbers), divided_up(values, fewest_values)),
                  divided_up(values, most_values));
}

}  // namespace

ReduceTiling pytorch_reduce(const Profile& profile, DType dtype, std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t least_for_vectors = 128;
  constexpr std::int64_t most_values_of_lane = 256;
  constexpr std::int64_t values_for_warps = 16;
  const bool narrow = size_of(dtype) < size_of(DType::fp32);
  const std::int64_t vector = columns >= least_for_vectors ? chunk_bytes / size_of(dtype) : 1;
  const Block block = block_of(columns / vector, rows);
  const bool warps_share =
      divided_up(columns, block.width) >= std::min<std::int64_t>(block.height * values_for_warps, most_values_of_lane);
  ReduceTiling tiling;
  tiling.vector = columns % vector == 0 ? static_cast<int>(vector) : 0;
  tiling.unroll = 1;
  tiling.registers = 32;
  tiling.threads =
      static_cast<int>(std::max(warps_share ? block.width * block.height : block.width, std::int64_t{lanes_per_warp}));
  tiling.rows_per_cta = warps_share ? 1 : static_cast<int>(block.width * block.height / tiling.threads);
  tiling.beside.load = narrow ? 6 : 2;
  // Compiled code of one output has no division of its index.
  tiling.beside.begin = (rows > 1 ? 74 : 55) + (narrow ? 8 : 0);
  tiling.beside.store = rows > 1 ? 54 : 35;
  tiling.beside.meet = 53;
  if (tiling.threads == std::int64_t{lanes_per_warp}) return tiling;
  tiling.meeting = tiling.rows_per_cta == 1 ? RowMeeting::halving_warps : RowMeeting::shuffles;
  tiling.beside.meet = 60;
  if (!warps_share) return tiling;
  tiling.splits = ctas_of_number(profile, divided_up(columns, tiling.threads), tiling.threads, rows);
  if (tiling.splits > 1 && rows == 1) tiling.finish = ReduceFinish::last_cta;
  return tiling;
}

}  // namespace gpusim::validate
