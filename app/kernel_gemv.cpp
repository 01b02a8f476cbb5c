// gpusim run gemv
#include "gpusim/schedules/gemv.h"

#include "kernel_command.h"
#include "kernel_options.h"

namespace app {

namespace {

using namespace gpusim::schedules;

Kernels read_gemv(const Options& options, const gpusim::Profile&, Problems& problems) {
  constexpr std::int64_t default_size = 4096;
  GemvProblem problem;
  problem.m = number_option(options, "m", {}, problems).value_or(problem.m);
  problem.n = number_option(options, "n", {}, problems).value_or(default_size);
  problem.k = number_option(options, "k", {}, problems).value_or(default_size);
  problem.dtype = dtype_option(options, "dtype", problems).value_or(problem.dtype);
  problem.result = dtype_option(options, "result", problems);
  GemvTiling tiling;
  tiling.columns = small_number_option(options, "columns", {}, problems).value_or(tiling.columns);
  tiling.threads = small_number_option(options, "threads", {}, problems).value_or(tiling.threads);
  tiling.vector = small_number_option(options, "vector", {}, problems).value_or(tiling.vector);
  tiling.registers = small_number_option(options, "registers", {}, problems).value_or(tiling.registers);
  const gpusim::Schedule schedule = gemv(problem, tiling);
  return {{schedule},
          [=] { return gpusim::functional::check_gemv(schedule, problem); },
          static_cast<double>(problem.m) * static_cast<double>(problem.n) * static_cast<double>(problem.k),
          "A B^T"};
}

}  // namespace

KernelCommand gemv_command() {
  return {"gemv",
          "Simulates a few rows times a matrix on CUDA cores, C = A B^T; matmul has the other products.",
          {{"Product",
            {{"m", "N", "rows of A, at most 16 (default 1)"},
             {"n", "N", "rows of B (default 4096)"},
             {"k", "N", "of the rows of both (default 4096)"},
             {"dtype", "TYPE", "of A and B (default fp16)"},
             {"result", "TYPE", "of C (default: of A and B, of 8 bits bf16)"}}},
           {"How it is shared out",
            {{"columns", "N", "of C that a CTA has: 1, 2, 4 or 8 (default 2)"},
             {"threads", "N", "that share k (default 128)"},
             {"vector", "N", "elements of a row that a thread loads at a time (default: 16 bytes)"},
             {"registers", "N", "a thread (default: an estimate)"}}}},
          {"--arch ada --dtype fp8", "--arch ampere --m 4 --n 12288 --k 12288 --columns 4"},
          read_gemv,
          {{"schedule.registers", "threads", {}}, {"schedule.buffers", "n", {}}, {"schedule.buffers", "k", {}}}};
}

}  // namespace app
