#pragma once

#include <cstdint>
#include <vector>

#include "gpusim/dtype.h"
#include "gpusim/spec/field.h"
#include "gpusim/units.h"

namespace gpusim {

/// One pair of types the tensor cores multiply with warp-synchronous mma.
struct TensorModeSpec {
  DType input = DType::fp16;
  DType accumulate = DType::fp32;
  std::int64_t m = 16;
  std::int64_t n = 8;
  std::int64_t k = 16;
  Rate fma_per_clk;
  Rate peak_fma_per_clk;
  Cycles latency;

  template <class Visitor>
  static void fields(Visitor&& visit) {
    visit(Field{"input", "Type of A and B."}, &TensorModeSpec::input);
    visit(Field{"accumulate", "Type of C."}, &TensorModeSpec::accumulate);
    visit(Field{"m", "Rows of C of one warp instruction.", "", 1, 1024}, &TensorModeSpec::m);
    visit(Field{"n", "Columns of C of one warp instruction.", "", 1, 1024}, &TensorModeSpec::n);
    visit(Field{"k", "Depth of one warp instruction.", "", 1, 1024}, &TensorModeSpec::k);
    visit(Field{"fma_per_clk", "Multiply-adds an SM completes with warp-synchronous mma.", "FMA/clk"},
          &TensorModeSpec::fma_per_clk);
    visit(Field{"peak_fma_per_clk", "Multiply-adds an SM completes at its best, by any instruction (wgmma on Hopper).",
                "FMA/clk"},
          &TensorModeSpec::peak_fma_per_clk);
    visit(Field{"latency", "Issue of one instruction to its result.", "cycles", 0, 100'000}, &TensorModeSpec::latency);
  }
};

/// The tensor cores. No modes: the GPU has none.
struct TensorSpec {
  std::vector<TensorModeSpec> modes;

  template <class Visitor>
  static void fields(Visitor&& visit) {
    visit(Field{"modes", "The pairs of types they multiply."}, &TensorSpec::modes);
  }
};

}  // namespace gpusim
