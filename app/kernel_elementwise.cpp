// gpusim run elementwise
#include "gpusim/schedules/elementwise.h"

#include "kernel_command.h"
#include "kernel_options.h"

namespace app {

namespace {

using namespace gpusim::schedules;

Kernels read_elementwise(const Options& options, const gpusim::Profile&, Problems& problems) {
  constexpr std::int64_t default_size = 4096;
  ElementwiseProblem problem;
  problem.operation =
      word_option<ElementwiseOperation>(options, "operation", "operation", problems).value_or(problem.operation);
  problem.rows = number_option(options, "rows", {}, problems).value_or(default_size);
  problem.columns = number_option(options, "columns", {}, problems).value_or(default_size);
  problem.dtype = dtype_option(options, "dtype", problems).value_or(problem.dtype);
  problem.result = dtype_option(options, "result", problems);
  problem.scalar = options.has("scalar");
  problem.gated = options.has("gated");
  problem.by_row = options.has("by-row");
  problem.scaled = options.has("scaled");
  const gpusim::Schedule schedule = elementwise(problem, read_stream_tiling(options, problems));
  return {{schedule},
          [=] { return gpusim::functional::check_elementwise(schedule, problem); },
          static_cast<double>(problem.rows) * static_cast<double>(problem.columns),
          "the operation's"};
}

}  // namespace

KernelCommand elementwise_command() {
  return {
      "elementwise",
      "Simulates an elementwise kernel: each element of the result is a function of those in its place.",
      {{"Operation",
        {{"operation", "NAME", "add (default), subtract, multiply, divide, power, relu, gelu, silu, tanh, exp or cast"},
         {"rows", "N", "of the result (default 4096)"},
         {"columns", "N", "of the result (default 4096)"},
         {"dtype", "TYPE", "of the operands (default fp32)"},
         {"result", "TYPE", "of the result (default: that of the operands)"},
         {"scalar", "", "of two operands the second is a constant"},
         {"gated", "", "the result is multiplied by the other half of a row twice as long"},
         {"by-row", "", "a CTA has elements of one row alone, and --ctas are those of a row (gated: as it is)"},
         {"scaled", "", "A is divided by a number in memory, which each thread reads and inverts first (not gated)"}}},
       stream_option_group()},
      {"--arch ampere --operation gelu",
       "--arch hopper --operation silu --gated --rows 8192 --columns 14336 "
       "--dtype fp16",
       "--arch ada --operation add --rows 16384 --columns 1024 --threads 128"},
      read_elementwise,
      stream_remedies({"rows", "columns"})};
}

}  // namespace app
