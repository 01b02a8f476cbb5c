#include "validate_gemm_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "errors.h"
#include "machine_options.h"

namespace app {

namespace {

using gpusim::validate::GemmClock;
using gpusim::validate::GemmRun;
using gpusim::validate::GemmSelection;

constexpr std::int64_t most_jobs = 1024;
constexpr std::int64_t most_count = std::numeric_limits<std::int64_t>::max();

void read_clock(const std::string& text, GemmRun& run, Problems& problems) {
  const std::vector<std::pair<std::string, GemmClock>> names{{"boost", GemmClock::boost},
                                                             {"base", GemmClock::base},
                                                             {"sustained", GemmClock::sustained},
                                                             {"power", GemmClock::power}};
  const auto named = std::find_if(names.begin(), names.end(), [&](const auto& each) { return each.first == text; });
  if (named != names.end()) {
    run.clock = named->second;
  } else if (!text.empty() && text.find_first_not_of("-+.0123456789") == std::string::npos) {
    run.clock = GemmClock::fixed;
    run.clock_mhz = whole_number(text, "--clock", {1, fastest_mhz}, problems).value_or(1);
  } else {
    refuse_choice(text, "--clock", "clock", {"boost", "base", "sustained", "power", "a number of MHz"}, problems);
  }
}

}  // namespace

CommandSpec validate_gemm_spec() {
  return {
      "gpusim validate --gemm",
      "gpusim validate --gemm FILE.csv [options]\n\n"
      "Simulates the measured matrix products of a table and says how far simulated times are from\n"
      "measured ones, by GPU and type, beside the roofline. A simulated time is the kernel's, from the\n"
      "dispatcher's start to its last store, at the SM clock; added is what the source's way of measuring\n"
      "has between two kernels: the profile's launch.gap_ns, launch.graph_gap_ns for CUDA graphs, nothing\n"
      "for kernel traces. Nothing is fitted to the table. A row that cannot be read is told with its line;\n"
      "the others run, and the exit code is 1.\n",
      {{"Rows",
        {{"gemm", "FILE",
          "CSV with columns gpu, m, n, k, dtype_in, time_us; batch, dtype_acc, layout, schedule_notes, source and "
          "tier are used where they are, all others kept"},
         {"gpu", "LIST", "only these GPUs, as A100,T4"},
         {"tier", "TIER", "only rows of this tier"},
         {"sample", "N", "only N rows, spread evenly over GPUs and types"},
         {"seed", "S", "which sample (default 0)"}}},
       {"Run",
        {{"clock", "CLOCK",
          "SM clock of all rows: boost, base, sustained, power, or a number of MHz (default: what the source locked, "
          "else what the board's power leaves after as long as the source kept it busy)"},
         {"waves", "",
          "of a product of several waves of CTAs simulate one, at two lengths of k and the sustained clock, and take "
          "the "
          "rest in proportion: seconds where the whole takes minutes"},
         {"jobs", "J", "threads (default 1); they change nothing but how long it takes"}}},
       {"Output",
        {{"json", "FILE|-", "also write the errors as JSON; - is standard output, which then has nothing else"},
         {"rows", "FILE|-",
          "also write the rows as CSV, with simulated_us, error, clock_mhz, schedule, bound and refused"}}}},
      "  gpusim validate --gemm measured.csv --gpu A100,T4\n"
      "  gpusim validate --gemm measured.csv --sample 60 --seed 1 --jobs 2 --rows compared.csv --json -\n"};
}

GemmSelection read_gemm_selection(const Options& options, Problems& problems) {
  GemmSelection selection;
  if (const auto gpus = options.value("gpu")) selection.gpus = split(*gpus, ',');
  selection.tier = options.value_or("tier", "");
  if (const auto text = options.value("sample")) {
    if (const auto count = whole_number(*text, "--sample", {1, most_count}, problems))
      selection.sample = static_cast<std::size_t>(*count);
  }
  if (const auto text = options.value("seed"))
    selection.seed = static_cast<std::uint64_t>(whole_number(*text, "--seed", {0, most_count}, problems).value_or(0));
  return selection;
}

GemmRun read_gemm_run(const Options& options, Problems& problems) {
  GemmRun run;
  if (const auto text = options.value("clock")) read_clock(*text, run, problems);
  run.waves = options.has("waves");
  if (run.waves && run.clock == gpusim::validate::GemmClock::power)
    problems.push_back({"--clock",
                        "'power' is found from whole runs; with --waves take boost, base, sustained or a number "
                        "of MHz"});
  if (const auto text = options.value("jobs"))
    run.jobs = static_cast<int>(whole_number(*text, "--jobs", {1, most_jobs}, problems).value_or(1));
  return run;
}

}  // namespace app
