// gpusim validate --kernels
#include "gpusim/validate_kernels.h"

#include "commands.h"
#include "validate_rows.h"

namespace app {

namespace {

struct KernelRows : PlainRows {
  static constexpr const char* option = "kernels";

  static CommandSpec spec() {
    std::vector<OptionSpec> rows{
        {"kernels", "FILE",
         "CSV with columns gpu, op, shape, dtype, time_us; gb_per_s, source and tier are used where they are, all "
         "others kept"}};
    for (OptionSpec& each : selection_options()) rows.push_back(std::move(each));
    return {"gpusim validate --kernels",
            "gpusim validate --kernels FILE.csv [options]\n\n"
            "Simulates measured kernels other than products, and says how far simulated times are from\n"
            "measured ones, by GPU, kernel and type, beside the roofline. op names a kernel and who wrote it:\n"
            "softmax(torch2.1), rms_norm fwd (liger), attention_decode(TRT-LLM); shape is 4096x1024, or\n"
            "b4 s1024 h32 kvh8 d128 of attention. Work is shared out as that library does. Times are made up as\n"
            "by --gemm. A row whose kernel no schedule does counts as 100 % error; one that cannot be read is\n"
            "told with its line, the others run, and the exit code is 1.\n",
            {{"Rows", std::move(rows)}, {"Run", run_options()}, output_options()},
            "  gpusim validate --kernels kernels.csv --gpu A100,T4\n"
            "  gpusim validate --kernels kernels.csv --sample 60 --jobs 2 --rows compared.csv --json -\n"};
  }

  static gpusim::validate::KernelTable read(const std::string& text, const std::string& path) {
    return gpusim::validate::read_kernels(text, path);
  }
};

}  // namespace

int validate_kernels(const std::vector<std::string>& arguments) { return validate_rows<KernelRows>(arguments); }

}  // namespace app
