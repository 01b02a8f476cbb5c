// --m, --tile, --schedule and the like: which matrix product, and how it is cut.
#pragma once

#include "gpusim/profile.h"
#include "gpusim/schedules/gemm.h"
#include "options.h"
#include "values.h"

namespace app {

[[nodiscard]] OptionGroup matmul_option_group();

/// A product and the schedule chosen for it.
struct Matmul {
  gpusim::schedules::GemmProblem problem;
  gpusim::schedules::GemmTiling tiling;
  gpusim::Schedule schedule;
};

/// Nothing, and problems, when the options make no sense or the GPU cannot run them.
[[nodiscard]] std::optional<Matmul> read_matmul(const Options& options, const gpusim::Profile& profile,
                                                Problems& problems);

}  // namespace app
