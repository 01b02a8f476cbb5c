// Layer norm and RMS norm of each row:
//
//   layer   Y = (X - mean) / sqrt(variance + 1e-5) * weight + bias
//   rms     Y = X / sqrt(mean of squares + 1e-5) * weight
//
// With `residual` X is first X + R, and stored as S too. Mean and variance come from one pass: sums and sums of
// squares, or, with `welford`, a running mean and variance (a division an element, and more instructions to bring
// lanes' together). With `scalar_weights` each element of weight and bias is a load of its own, however wide X's are.
//
//   const auto schedule = schedules::layernorm({.rows = 4096, .columns = 4096, .norm = NormKind::rms});
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "gpusim/dtype.h"
#include "gpusim/schedule.h"
#include "gpusim/schedules/rows.h"

namespace gpusim::schedules {

enum class NormKind : std::uint8_t { layer, rms };
[[nodiscard]] constexpr std::array<std::string_view, 2> names_of(NormKind) { return {"layer", "rms"}; }

struct NormProblem {
  std::int64_t rows = 0, columns = 0;
  NormKind norm = NormKind::layer;
  DType dtype = DType::fp32;
  bool residual = false;
};

struct NormTiling : RowTiling {
  bool welford = false;
  bool scalar_weights = false;
};

/// The schedule. Throws ScheduleError when problem or tiling make no sense on any GPU.
[[nodiscard]] Schedule layernorm(const NormProblem& problem, const NormTiling& tiling = {});

}  // namespace gpusim::schedules
