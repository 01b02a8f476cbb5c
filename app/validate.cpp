// gpusim validate: measured times and microbenchmarks against simulated ones.
#include <algorithm>
#include <array>
#include <string_view>

#include "commands.h"
#include "errors.h"
#include "files.h"

namespace app {

namespace {

constexpr std::string_view validate_overview =
    "gpusim validate --gemm FILE.csv [options]      measured matrix products against simulated ones\n"
    "gpusim validate --kernels FILE.csv [options]   other measured kernels: elementwise, softmax, attention, ...\n"
    "gpusim validate --ladders FILE.csv [options]   measured kernels that were improved step by step\n"
    "gpusim validate --anchors [options]            measured microbenchmarks against simulated ones\n\n"
    "'gpusim validate --gemm --help' lists the options of --gemm, and so on.\n\n"
    "Examples:\n"
    "  gpusim validate --gemm measured.csv --gpu A100,T4 --sample 40 --rows compared.csv\n"
    "  gpusim validate --kernels kernels.csv --jobs 2 --json errors.json\n"
    "  gpusim validate --anchors --arch ampere\n";

struct ValidateCommand {
  std::string_view option;
  int (*run)(const std::vector<std::string>& arguments);
};
constexpr std::array validate_commands{
    ValidateCommand{"--gemm", validate_gemm}, ValidateCommand{"--kernels", validate_kernels},
    ValidateCommand{"--ladders", validate_ladders}, ValidateCommand{"--anchors", validate_anchors}};

bool names(const std::vector<std::string>& arguments, std::string_view option) {
  return std::any_of(arguments.begin(), arguments.end(), [&](const std::string& word) {
    return word == option || word.starts_with(std::string(option) + "=");
  });
}

}  // namespace

int validate(const std::vector<std::string>& arguments) {
  const ValidateCommand* chosen = nullptr;
  for (const ValidateCommand& command : validate_commands) {
    if (!names(arguments, command.option)) continue;
    if (chosen != nullptr)
      throw UsageError("validate: " + std::string(chosen->option) + " and " + std::string(command.option) +
                       " are two commands; give one of them");
    chosen = &command;
  }
  if (chosen != nullptr) return chosen->run(arguments);
  if (names(arguments, "--help") || names(arguments, "-h")) {
    print(validate_overview);
    return exit_ok;
  }
  throw UsageError(
      "validate what? --gemm, --kernels or --ladders with FILE.csv, or --anchors ('gpusim validate --help')");
}

}  // namespace app
