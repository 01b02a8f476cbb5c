// gpusim validate --ladders
#include "gpusim/validate_ladders.h"

#include "commands.h"
#include "validate_rows.h"

namespace app {

namespace {

struct LadderRows : PlainRows {
  static constexpr const char* option = "ladders";

  static CommandSpec spec() {
    std::vector<OptionSpec> rows{
        {"ladders", "FILE",
         "CSV with columns gpu, m, n, k, dtype, step, gflops; kernel_name, tile_params, source and tier are used where "
         "they are, all others kept"}};
    for (OptionSpec& each : selection_options()) rows.push_back(std::move(each));
    return {"gpusim validate --ladders",
            "gpusim validate --ladders FILE.csv [options]\n\n"
            "Simulates the steps of measured ladders, kernels improved step by step, and says how far simulated\n"
            "times are from measured ones, by GPU, ladder and type, beside the roofline. Steps of the ladders\n"
            "that 'gpusim ladder list' lists have their presets; a library's kernel is chosen by trying; others\n"
            "have the tile that tile_params states, and are refused where it states none. A row that cannot be\n"
            "read is told with its line, the others run, and the exit code is 1.\n",
            {{"Rows", std::move(rows)}, {"Run", run_options()}, output_options()},
            "  gpusim validate --ladders ladders.csv --gpu T4\n"
            "  gpusim validate --ladders ladders.csv --sample 20 --jobs 2 --rows compared.csv --json -\n"};
  }

  static gpusim::validate::StepTable read(const std::string& text, const std::string& path) {
    return gpusim::validate::read_ladders(text, path);
  }
};

}  // namespace

int validate_ladders(const std::vector<std::string>& arguments) { return validate_rows<LadderRows>(arguments); }

}  // namespace app
