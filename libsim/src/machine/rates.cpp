#include "machine/rates.h"

#include <numeric>

#include "gpusim/error.h"

namespace gpusim::machine {
namespace {

constexpr std::int64_t lanes_per_warp = 32;
constexpr std::int64_t most_parts = std::int64_t{1} << 40;

}  // namespace

Rate lane_rate(const PipeSpec& pipe, std::int64_t sub_partitions) {
  return pipe.lanes.is_unlimited() ? Rate::unlimited()
                                   : Rate::ratio(pipe.lanes.value(), sub_partitions * lanes_per_warp);
}

Rate mma_rate(const TensorModeSpec& mode, std::int64_t sub_partitions) {
  if (mode.fma_per_clk.is_unlimited()) return Rate::unlimited();
  return Rate::ratio(mode.fma_per_clk.amount(), mode.fma_per_clk.period() * sub_partitions * mode.m * mode.n * mode.k);
}

std::int64_t tensor_parts_per_cycle(const Profile& profile) {
  std::int64_t parts = 1;
  for (const TensorModeSpec& mode : profile.tensor.modes) {
    const Rate rate = mma_rate(mode, profile.sm.sub_partitions);
    if (rate.is_unlimited()) continue;
    const std::int64_t factor = rate.amount() / std::gcd(parts, rate.amount());
    if (factor > most_parts / parts)
      throw ProfileError({Problem{"tensor.modes", "the modes' rates have no common measure; use rounder numbers"}});
    parts *= factor;
  }
  return parts;
}

std::int64_t mma_parts(const TensorModeSpec& mode, const Profile& profile) {
  const Rate rate = mma_rate(mode, profile.sm.sub_partitions);
  return rate.is_unlimited() ? 0 : rate.period() * (tensor_parts_per_cycle(profile) / rate.amount());
}

}  // namespace gpusim::machine
