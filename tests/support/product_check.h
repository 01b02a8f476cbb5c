// Products and tilings that tests of the functional twin build, and the check of every element.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "gpusim/error.h"
#include "gpusim/functional.h"
#include "gpusim/schedules/gemm.h"

namespace gpusim::testing {

/// All kernels of the product, executed on numbers, give every element that Eigen does.
inline void check_product(const schedules::GemmProblem& problem, const schedules::GemmTiling& tiling) {
  std::vector<Schedule> kernels;
  try {
    kernels = schedules::gemm_kernels(problem, tiling);
  } catch (const ScheduleError& error) {
    FAIL_CHECK(std::string(error.what()));
    return;
  }
  const auto result = functional::check_gemm(kernels, problem);
  INFO(kernels[0].name, " epilogue ", static_cast<int>(tiling.epilogue), ": first wrong element (", result.first_row,
       ", ", result.first_column, ") is ", result.actual, ", not ", result.expected);
  CHECK(result.elements == problem.batch * problem.m * problem.n);
  CHECK(result.wrong == 0);
}

/// Warp groups of 128x64 tiles.
inline schedules::GemmTiling wgmma(bool specialize, int consumers = 1) {
  return {.tile = {128, 64, 64},
          .variant = schedules::GemmVariant::wgmma,
          .stages = 3,
          .specialize = specialize,
          .consumers = consumers};
}

}  // namespace gpusim::testing
