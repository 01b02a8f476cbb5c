// gpusim run reduce
#include "gpusim/schedules/reduce.h"

#include <optional>

#include "gpusim/error.h"
#include "hints.h"
#include "kernel_command.h"
#include "kernel_options.h"

namespace app {

namespace {

using namespace gpusim::schedules;

struct Reduction {
  ReduceProblem problem;
  ReduceTiling tiling;
};

Reduction read_reduction(const Options& options, Problems& problems) {
  constexpr std::int64_t default_columns = 4096;
  ReduceProblem problem;
  problem.rows = number_option(options, "rows", {}, problems).value_or(default_columns);
  problem.columns = number_option(options, "columns", {}, problems).value_or(default_columns);
  problem.operation =
      word_option<ReduceOperation>(options, "operation", "operation", problems).value_or(problem.operation);
  problem.dtype = dtype_option(options, "dtype", problems).value_or(problem.dtype);
  ReduceTiling tiling;
  tiling.vector = small_number_option(options, "vector", {}, problems).value_or(tiling.vector);
  tiling.threads = small_number_option(options, "threads", {}, problems).value_or(tiling.threads);
  tiling.unroll = small_number_option(options, "unroll", {}, problems).value_or(tiling.unroll);
  tiling.splits = number_option(options, "splits", {}, problems).value_or(tiling.splits);
  tiling.registers = small_number_option(options, "registers", {}, problems).value_or(tiling.registers);
  tiling.meeting = word_option<RowMeeting>(options, "meeting", "meeting", problems).value_or(tiling.meeting);
  tiling.rows_per_cta = small_number_option(options, "rows-per-cta", {}, problems).value_or(tiling.rows_per_cta);
  tiling.finish = word_option<ReduceFinish>(options, "finish", "finish", problems).value_or(tiling.finish);
  read_row_instructions(options, tiling.beside, problems);
  return {problem, tiling};
}

Kernels read_reduce(const Options& options, const gpusim::Profile&, Problems& problems) {
  const auto [problem, tiling] = read_reduction(options, problems);
  const gpusim::Schedule schedule = reduce(problem, tiling);
  return {{schedule},
          [schedule, problem = problem] { return gpusim::functional::check_reduce(schedule, problem); },
          static_cast<double>(problem.rows) * static_cast<double>(problem.columns),
          problem.operation == ReduceOperation::sum ? "the sum of their row" : "the maximum of their row"};
}

/// CTAs to share each row, where most SMs have none.
std::string splits_hint(const Options& options, const gpusim::Profile& profile, const Kernels& kernels,
                        const gpusim::RunOptions& run) {
  if (options.has("splits")) return "";
  Problems ignored;
  const auto [problem, tiling] = read_reduction(options, ignored);
  const IdleSms idle{cta_count(kernels.schedules.front()), profile.sm.count, "row", "splits",
                     "shares each among as many CTAs"};
  return idle_hint(idle, [&, problem = problem, shared = tiling](std::int64_t splits) mutable -> std::optional<double> {
    shared.splits = splits;
    try {
      return quick_kernels_us(profile, {reduce(problem, shared)}, run);
    } catch (const gpusim::ScheduleError&) {
      return std::nullopt;  // as maxima, which nothing adds up
    }
  });
}

}  // namespace

KernelCommand reduce_command() {
  return {"reduce",
          "Simulates a reduction: each row of a matrix to one number. An array is a matrix of one row.",
          {{"Matrix",
            {{"rows", "N", "of X (default 4096)"},
             {"columns", "N", "of X (default 4096)"},
             {"operation", "NAME", "sum (default) or maximum"},
             {"dtype", "TYPE", "of X (default fp32)"}}},
           {"How it is shared out",
            {{"vector", "N", "elements a lane loads at a time (default: 16 bytes)"},
             {"threads", "N", "that share a row (default 256)"},
             {"unroll", "N", "loads a thread has on the way at a time (default 4)"},
             {"splits", "N", "CTAs that share a row (default 1)"},
             {"finish", "WAY", "of their sums: atomics (default) or last_cta"},
             {"rows-per-cta", "N", "rows side by side (default 1)"},
             {"registers", "N", "a thread (default: an estimate)"},
             {"meeting", "WAY", meeting_help}}},
           row_instructions_group({})},
          {"--arch ampere", "--arch hopper --rows 1 --columns 67108864 --splits 1056"},
          read_reduce,
          stream_remedies({"rows", "columns"}),
          splits_hint};
}

}  // namespace app
