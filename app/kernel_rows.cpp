// gpusim run softmax, gpusim run layernorm
#include "gpusim/schedules/layernorm.h"
#include "gpusim/schedules/softmax.h"

#include <algorithm>
#include <string_view>

#include "gpusim/error.h"
#include "kernel_command.h"
#include "kernel_options.h"

namespace app {

namespace {

using namespace gpusim::schedules;

constexpr std::int64_t default_rows = 4096;
constexpr std::int64_t default_columns = 4096;

OptionGroup matrix_group(std::vector<OptionSpec> more) {
  std::vector<OptionSpec> options{{"rows", "N", "of X (default 4096)"},
                                  {"columns", "N", "of X (default 4096)"},
                                  {"dtype", "TYPE", "of the elements (default fp32)"}};
  options.insert(options.end(), more.begin(), more.end());
  return {"Matrix", std::move(options)};
}

OptionGroup row_group(std::vector<OptionSpec> more) {
  OptionGroup group = row_option_group();
  group.options.insert(group.options.end(), more.begin(), more.end());
  return group;
}

using Read = Kernels (*)(const Options&, Problems&);

bool fits(const Kernels& kernels, const gpusim::Profile& profile) {
  return std::all_of(kernels.schedules.begin(), kernels.schedules.end(),
                     [&](const gpusim::Schedule& each) { return check(each, profile).empty(); });
}

/// Where no place was asked for, the first that holds a row.
template <Read read>
Kernels in_a_place(const Options& options, const gpusim::Profile& profile, Problems& problems) {
  if (options.has("place")) return read(options, problems);
  for (const std::string_view place : names_of(RowPlace{})) {
    Problems of_place;
    try {
      Kernels kernels = read(options.with("place", std::string(place)), of_place);
      if (of_place.empty() && fits(kernels, profile)) return kernels;
    } catch (const gpusim::ScheduleError&) {
      // as it is not what was asked for, nobody need be told
    }
  }
  return read(options, problems);
}

Kernels read_softmax(const Options& options, Problems& problems) {
  SoftmaxProblem problem;
  problem.rows = number_option(options, "rows", {}, problems).value_or(default_rows);
  problem.columns = number_option(options, "columns", {}, problems).value_or(default_columns);
  problem.dtype = dtype_option(options, "dtype", problems).value_or(problem.dtype);
  SoftmaxTiling tiling;
  read_row_tiling(options, tiling, problems);
  tiling.online = options.has("online");
  tiling.divides = options.has("divides");
  tiling.precise = options.has("precise");
  tiling.twice = options.has("twice");
  tiling.beside.element =
      small_number_option(options, "element-instructions", instruction_range, problems).value_or(tiling.beside.element);
  const gpusim::Schedule schedule = softmax(problem, tiling);
  return {{schedule},
          [=] { return gpusim::functional::check_softmax(schedule, problem); },
          static_cast<double>(problem.rows) * static_cast<double>(problem.columns),
          "the softmax of their row"};
}

Kernels read_layernorm(const Options& options, Problems& problems) {
  NormProblem problem;
  problem.rows = number_option(options, "rows", {}, problems).value_or(default_rows);
  problem.columns = number_option(options, "columns", {}, problems).value_or(default_columns);
  problem.norm = word_option<NormKind>(options, "norm", "norm", problems).value_or(problem.norm);
  problem.dtype = dtype_option(options, "dtype", problems).value_or(problem.dtype);
  problem.residual = options.has("residual");
  NormTiling tiling;
  read_row_tiling(options, tiling, problems);
  tiling.welford = options.has("welford");
  tiling.scalar_weights = options.has("scalar-weights");
  const gpusim::Schedule schedule = layernorm(problem, tiling);
  return {{schedule},
          [=] { return gpusim::functional::check_layernorm(schedule, problem); },
          static_cast<double>(problem.rows) * static_cast<double>(problem.columns),
          "their row's norm"};
}

}  // namespace

KernelCommand softmax_command() {
  return {"softmax",
          "Simulates the softmax of each row of a matrix.",
          {matrix_group({}),
           row_group({{"online", "", "shared, memory: maximum and sum in one pass"},
                      {"divides", "", "each element is divided by the sum"},
                      {"precise", "", "exponentials as precise as expf's"},
                      {"twice", "", "registers: exponentials again for the quotient, not kept"}}),
           row_instructions_group({{"element-instructions", "N", "beside each element's exponential (default 0)"}})},
          {"--arch ampere --columns 1024", "--arch hopper --columns 131072 --place memory --threads 1024 --online"},
          in_a_place<read_softmax>,
          row_remedies()};
}

KernelCommand layernorm_command() {
  return {"layernorm",
          "Simulates layer norm or RMS norm of each row of a matrix.",
          {matrix_group({{"norm", "NAME", "layer (default) or rms"},
                         {"residual", "", "a second matrix is added first, and the sum stored too"}}),
           row_group({{"welford", "", "layer: running mean and variance instead of two sums"},
                      {"scalar-weights", "", "each element of weight and bias is a load of its own"}}),
           row_instructions_group({})},
          {"--arch ampere --dtype fp16 --norm rms", "--arch ada --columns 1024 --place memory --threads 128 --welford"},
          in_a_place<read_layernorm>,
          row_remedies()};
}

}  // namespace app
