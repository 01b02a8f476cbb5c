// The kernels a measured GEMM is simulated with.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gpusim/gpu.h"
#include "gpusim/run_options.h"
#include "gpusim/schedule.h"
#include "gpusim/schedules/gemm.h"
#include "gpusim/schedules/gemm_candidates.h"
#include "gpusim/validate.h"

namespace gpusim::validate {

struct GemmKernels {
  schedules::GemmProblem problem;  ///< as our row-major kernels have it
  schedules::GemmTiling tiling;
  std::vector<Schedule> kernels;
  std::string description;                ///< "simt 128x64x8, 2 stages, threads of 8x8, 9 slices of k"
  std::optional<std::int64_t> clock_mhz;  ///< that power left it in a trial, if there was one
  std::optional<Result> simulated;        ///< these kernels at `run`'s clock, where a trial ran all of them
  bool own_code = false;  ///< all its code is written here, as its source has it: a ladder's preset, or gemv
  bool gemv = false;      ///< the library's own for few rows; `tiling` then says nothing
};

/// By the preset of a published ladder, where its kernel has one for the GPU that fits. Else with the kernel its notes
/// tell of, as far as they do and it fits the GPU; what is open is chosen by trying, with at most three simulations,
/// run as `run`, under those `watts` if any. Throws ScheduleError when the GPU or the schedules cannot do it.
[[nodiscard]] GemmKernels kernels_of(const MeasuredGemm& row, const Gpu& gpu, const RunOptions& run,
                                     schedules::GemmLibrary library, const std::function<double(double us)>& watts);

}  // namespace gpusim::validate
