// gpusim validate --gemm
#include "commands.h"
#include "gpusim/validate.h"
#include "validate_rows.h"

namespace app {

namespace {

struct GemmRows {
  static constexpr const char* option = "gemm";

  static CommandSpec spec() {
    std::vector<OptionSpec> rows{
        {"gemm", "FILE",
         "CSV with columns gpu, m, n, k, dtype_in, time_us; batch, dtype_acc, dtype_out, layout, schedule_notes, "
         "library_or_kernel, source and tier are used where they are, all others kept"}};
    for (OptionSpec& each : selection_options()) rows.push_back(std::move(each));
    std::vector<OptionSpec> run = run_options();
    run.insert(run.begin() + 1,
               {"waves", "",
                "of a product of four waves of CTAs and more simulate two and four, at two lengths of k, and take "
                "the rest in proportion: for kernels whose CTAs share SMs unevenly (simt) seconds instead of minutes"});
    return {"gpusim validate --gemm",
            "gpusim validate --gemm FILE.csv [options]\n\n"
            "Simulates the measured matrix products of a table and says how far simulated times are from\n"
            "measured ones, by GPU and type, beside the roofline. A simulated time is the kernel's, from the\n"
            "dispatcher's start to its last store, at the SM clock; added is what the source's way of measuring\n"
            "has beside each kernel: the profile's launch.gap_ns, launch.graph_gap_ns for CUDA graphs,\n"
            "launch.trace_ns for kernel traces, and what a library is known to time beside. Nothing is fitted to the\n"
            "table at hand.\n"
            "A row that cannot be read is told with its line;\n"
            "the others run, and the exit code is 1.\n",
            {{"Rows", std::move(rows)}, {"Run", std::move(run)}, output_options()},
            "  gpusim validate --gemm measured.csv --gpu A100,T4\n"
            "  gpusim validate --gemm measured.csv --sample 60 --seed 1 --jobs 2 --rows compared.csv --json -\n"};
  }

  static void read_run(const Options& options, RowRun& run, Problems& /*unused*/) { run.waves = options.has("waves"); }

  static gpusim::validate::GemmTable read(const std::string& text, const std::string& path) {
    return gpusim::validate::read_gemms(text, path);
  }

  static std::string journal_words(const Options& options) { return options.has("waves") ? " waves" : ""; }
};

}  // namespace

int validate_gemm(const std::vector<std::string>& arguments) { return validate_rows<GemmRows>(arguments); }

}  // namespace app
