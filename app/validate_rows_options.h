// The options that `gpusim validate --gemm`, --kernels and --ladders share.
#pragma once

#include "gpusim/measured.h"
#include "options.h"
#include "values.h"

namespace app {

/// --gpu, --tier, --sample and --seed.
[[nodiscard]] std::vector<OptionSpec> selection_options();
[[nodiscard]] gpusim::validate::RowSelection read_selection(const Options& options, Problems& problems);

/// --clock and --jobs.
[[nodiscard]] std::vector<OptionSpec> run_options();
void read_run(const Options& options, gpusim::validate::RowRun& run, Problems& problems);

/// --json and --rows.
[[nodiscard]] OptionGroup output_options();

}  // namespace app
