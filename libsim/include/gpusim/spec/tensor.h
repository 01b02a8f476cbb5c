#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gpusim/dtype.h"
#include "gpusim/spec/field.h"
#include "gpusim/units.h"

namespace gpusim {

/// One pair of types and shape the tensor cores multiply with warp-synchronous mma. The first mode of a pair of types
/// is the one kernels use unless they say otherwise.
struct TensorModeSpec {
  DType input = DType::fp16;
  DType accumulate = DType::fp32;
  bool sparse = false;
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
    visit(Field{"sparse", "2:4 structured sparse A; k and rates count the zeros."}, &TensorModeSpec::sparse);
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

/// wgmma: four warps of a CTA multiply asynchronously, B and if need be A read from shared memory. One after another
/// they take the longest of their arithmetic (the mode's peak_fma_per_clk), the shared-memory wavefronts of their
/// operands, and `interval`; to the result of the last it is its arithmetic and a latency.
struct WgmmaSpec {
  Cycles interval;
  Cycles latency;
  Cycles shared_latency;

  template <class Visitor>
  static void fields(Visitor&& visit) {
    visit(Field{"interval", "Least time from one wgmma of a warp group to the next.", "cycles", 0, 100'000},
          &WgmmaSpec::interval);
    visit(Field{"latency", "What waiting for a result takes beyond its arithmetic, A in registers.", "cycles", 0,
                100'000},
          &WgmmaSpec::latency);
    visit(Field{"shared_latency", "The same with A in shared memory.", "cycles", 0, 100'000},
          &WgmmaSpec::shared_latency);
  }
};

/// The tensor cores. No modes: the GPU has none.
struct TensorSpec {
  std::vector<TensorModeSpec> modes;
  Cycles reissue;
  std::optional<WgmmaSpec> wgmma;

  template <class Visitor>
  static void fields(Visitor&& visit) {
    visit(Field{"modes", "The pairs of types they multiply."}, &TensorSpec::modes);
    visit(Field{"reissue", "Cycles a warp's next mma.sync waits beyond the pipe's interval; another warp's does not.",
                "cycles", 0, 1000},
          &TensorSpec::reissue);
    visit(Field{"wgmma", "Warp-group mma; null: the GPU has none."}, &TensorSpec::wgmma);
  }
};

}  // namespace gpusim
