#include <algorithm>
#include <limits>

#include "gpusim/profile.h"

namespace gpusim {

namespace {

const TensorModeSpec* first_mode(const Profile& profile, DType input, DType accumulate, bool sparse) {
  const auto& modes = profile.tensor.modes;
  const auto mode = std::find_if(modes.begin(), modes.end(), [&](const TensorModeSpec& each) {
    return each.sparse == sparse && each.input == input && each.accumulate == accumulate;
  });
  return mode == modes.end() ? nullptr : &*mode;
}

}  // namespace

const TensorModeSpec* tensor_mode(const Profile& profile, DType input, DType accumulate) {
  return first_mode(profile, input, accumulate, false);
}

const TensorModeSpec* sparse_tensor_mode(const Profile& profile, DType input, DType accumulate) {
  return first_mode(profile, input, accumulate, true);
}

const TensorModeSpec* tensor_mode(const Profile& profile, DType input, DType accumulate, int m, int n, int k,
                                  bool sparse) {
  const auto& modes = profile.tensor.modes;
  const auto mode = std::find_if(modes.begin(), modes.end(), [&](const TensorModeSpec& each) {
    return each.input == input && each.accumulate == accumulate && each.m == m && each.n == n && each.k == k &&
           each.sparse == sparse;
  });
  return mode == modes.end() ? nullptr : &*mode;
}

namespace {

double lanes_of(const PipeSpec& pipe) {
  return pipe.lanes.is_unlimited() ? std::numeric_limits<double>::infinity() : static_cast<double>(pipe.lanes.value());
}

}  // namespace

double peak_flops(const Profile& profile, bool tensor, DType input, DType accumulate, std::int64_t clock_mhz,
                  bool sparse) {
  double fma_per_clk = 0;
  if (tensor) {
    const TensorModeSpec* mode = first_mode(profile, input, accumulate, sparse);
    if (mode != nullptr) fma_per_clk = mode->peak_fma_per_clk.per_cycle();
  } else if (accumulate == DType::fp32) {
    fma_per_clk = lanes_of(profile.pipes.fma);
  } else if (input == DType::int8 && accumulate == DType::int32 && profile.pipes.dp4a) {
    fma_per_clk = products_of_a_dot * lanes_of(*profile.pipes.dp4a);
  } else if (input == DType::fp16 && accumulate == DType::fp16 && profile.pipes.hfma2) {
    fma_per_clk = products_of_a_pair * lanes_of(*profile.pipes.hfma2);
  }
  constexpr double operations_a_fma = 2;
  constexpr double hertz_a_megahertz = 1e6;
  return operations_a_fma * fma_per_clk * static_cast<double>(profile.sm.count) * static_cast<double>(clock_mhz) *
         hertz_a_megahertz;
}

}  // namespace gpusim
