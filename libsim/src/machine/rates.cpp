#include "machine/rates.h"

#include <algorithm>
#include <numeric>

#include "gpusim/error.h"
#include "sizes.h"

namespace gpusim::machine {
namespace {

constexpr std::int64_t operand_bits = 256;  ///< of a row of a wgmma operand
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
  const auto include = [&parts](Rate rate) {
    if (rate.is_unlimited()) return;
    const std::int64_t factor = rate.amount() / std::gcd(parts, rate.amount());
    if (factor > most_parts / parts)
      throw ProfileError({Problem{"tensor.modes", "the modes' rates have no common measure; use rounder numbers"}});
    parts *= factor;
  };
  for (const TensorModeSpec& mode : profile.tensor.modes) {
    include(mma_rate(mode, profile.sm.sub_partitions));
    if (profile.tensor.wgmma) include(wgmma_rate(mode, profile));
  }
  return parts;
}

std::int64_t mma_parts(const TensorModeSpec& mode, const Profile& profile) {
  const Rate rate = mma_rate(mode, profile.sm.sub_partitions);
  return rate.is_unlimited() ? 0 : rate.period() * (tensor_parts_per_cycle(profile) / rate.amount());
}

Rate wgmma_rate(const TensorModeSpec& mode, const Profile& profile) {
  if (mode.peak_fma_per_clk.is_unlimited()) return Rate::unlimited();
  // Each warp has 16 of the 64 rows; k is 256 bits of the operands' type, and as much again of a sparse A's zeros.
  const std::int64_t k = (mode.sparse ? 2 : 1) * operand_bits / 8 / std::max(size_of(mode.input), 1);
  const std::int64_t fmas = std::int64_t{16} * 8 * k;
  return Rate::ratio(mode.peak_fma_per_clk.amount(), mode.peak_fma_per_clk.period() * profile.sm.sub_partitions * fmas);
}

std::int64_t wgmma_parts(const TensorModeSpec& mode, std::int64_t n, const Profile& profile) {
  const Rate rate = wgmma_rate(mode, profile);
  return rate.is_unlimited() ? 0 : n / 8 * rate.period() * (tensor_parts_per_cycle(profile) / rate.amount());
}

}  // namespace gpusim::machine
