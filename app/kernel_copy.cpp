// gpusim run copy
#include "gpusim/schedules/copy.h"

#include "kernel_command.h"
#include "kernel_options.h"

namespace app {

namespace {

using namespace gpusim::schedules;

Kernels read_copy(const Options& options, const gpusim::Profile&, Problems& problems) {
  constexpr std::int64_t default_elements = std::int64_t{1} << 26;
  CopyProblem problem;
  problem.kind = word_option<StreamKind>(options, "kind", "kind", problems).value_or(problem.kind);
  problem.elements = number_option(options, "elements", {}, problems).value_or(default_elements);
  problem.dtype = dtype_option(options, "dtype", problems).value_or(problem.dtype);
  const gpusim::Schedule schedule = copy(problem, read_stream_tiling(options, problems));
  return {{schedule},
          [=] { return gpusim::functional::check_copy(schedule, problem); },
          static_cast<double>(problem.elements),
          "what the stream says"};
}

}  // namespace

KernelCommand copy_command() {
  return {"copy",
          "Simulates a stream: arrays read and written once.",
          {{"Stream",
            {{"kind", "NAME", "read, write, copy (default), scale, add or triad"},
             {"elements", "N", "of each array (default 67108864)"},
             {"dtype", "TYPE", "of the elements (default fp32)"}}},
           stream_option_group()},
          {"--arch ampere", "--arch hopper --kind triad --elements 134217728 --unroll 4",
           "--arch ada --kind read --ctas 1024 --threads 512"},
          read_copy,
          stream_remedies({"elements"})};
}

}  // namespace app
