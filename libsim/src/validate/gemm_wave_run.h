// A product's time by a few of its waves, at the clock that power leaves it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "gpusim/gpu.h"
#include "validate/gemm_wave.h"

namespace gpusim::validate {

struct WaveOutcome {
  double us = 0;  ///< of the whole product, from the dispatcher's start to the last store
  std::int64_t clock_mhz = 0;
  std::string bound;  ///< of the longest part that was run
};

/// At `options.clock_mhz`, or at the clock that `watts`, if any, leave in so many microseconds.
[[nodiscard]] WaveOutcome run_waves(const GemmWave& wave, const schedules::GemmTiling& tiling, const Gpu& gpu,
                                    RunOptions options, const std::function<double(double us)>& watts);

/// The clock that `watts` leave the product, as its first waves draw; from `options.clock_mhz`.
[[nodiscard]] std::int64_t clock_of_waves(const GemmWave& wave, const schedules::GemmTiling& tiling, const Gpu& gpu,
                                          RunOptions options, const std::function<double(double us)>& watts);

}  // namespace gpusim::validate
