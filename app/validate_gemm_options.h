// The options of gpusim validate --gemm.
#pragma once

#include "gpusim/validate.h"
#include "options.h"
#include "values.h"

namespace app {

[[nodiscard]] CommandSpec validate_gemm_spec();

/// --gpu, --tier, --sample and --seed.
[[nodiscard]] gpusim::validate::GemmSelection read_gemm_selection(const Options& options, Problems& problems);

/// --clock and --jobs.
[[nodiscard]] gpusim::validate::GemmRun read_gemm_run(const Options& options, Problems& problems);

}  // namespace app
