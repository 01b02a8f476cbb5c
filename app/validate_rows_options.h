// The options that `gpusim validate --gemm`, --kernels and --ladders share.
#pragma once

#include "gpusim/measured.h"
#include "options.h"
#include "values.h"

namespace app {

/// --gpu, --tier, --sample and --seed.
[[nodiscard]] std::vector<OptionSpec> selection_options();
[[nodiscard]] gpusim::validate::RowSelection read_selection(const Options& options, Problems& problems);

/// --clock, --set and --jobs.
[[nodiscard]] std::vector<OptionSpec> run_options();
/// Throws UsageError for --set without --gpu.
void read_run(const Options& options, gpusim::validate::RowRun& run, Problems& problems);
/// What of them an outcome depends on.
[[nodiscard]] std::string run_words(const Options& options);

/// --json and --rows.
[[nodiscard]] OptionGroup output_options();

}  // namespace app
