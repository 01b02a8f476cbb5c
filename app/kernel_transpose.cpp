// gpusim run transpose
#include "gpusim/schedules/transpose.h"

#include "kernel_command.h"
#include "kernel_options.h"

namespace app {

namespace {

using namespace gpusim::schedules;

Kernels read_transpose(const Options& options, const gpusim::Profile&, Problems& problems) {
  constexpr std::int64_t default_size = 4096;
  TransposeProblem problem;
  problem.rows = number_option(options, "rows", {}, problems).value_or(default_size);
  problem.columns = number_option(options, "columns", {}, problems).value_or(default_size);
  problem.dtype = dtype_option(options, "dtype", problems).value_or(problem.dtype);
  TransposeTiling tiling;
  tiling.variant = word_option<TransposeVariant>(options, "variant", "variant", problems).value_or(tiling.variant);
  tiling.tile = small_number_option(options, "tile", {}, problems).value_or(tiling.tile);
  tiling.threads = small_number_option(options, "threads", {}, problems).value_or(tiling.threads);
  const gpusim::Schedule schedule = transpose(problem, tiling);
  return {{schedule},
          [=] { return gpusim::functional::check_transpose(schedule, problem); },
          static_cast<double>(problem.rows) * static_cast<double>(problem.columns),
          "X transposed"};
}

}  // namespace

KernelCommand transpose_command() {
  return {"transpose",
          "Simulates a transposition, Y[c, r] = X[r, c].",
          {{"Matrix",
            {{"rows", "N", "of X (default 4096)"},
             {"columns", "N", "of X (default 4096)"},
             {"dtype", "TYPE", "of the elements (default fp32)"}}},
           {"How it is shared out",
            {{"variant", "NAME", "naive, plain, padded (default), swizzled or gathered"},
             {"tile", "N", "side of a CTA's tile (default 32); gathered: elements of a column (default: two a thread)"},
             {"threads", "N", "of a CTA (default 256)"}}}},
          {"--arch ampere --variant naive", "--arch ampere --variant plain", "--arch ampere --variant padded"},
          read_transpose,
          {{"schedule.shared", "tile", {}}, {"schedule.buffers", "rows", {}}, {"schedule.buffers", "columns", {}}}};
}

}  // namespace app
