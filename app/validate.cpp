// gpusim validate: measured times and microbenchmarks against simulated ones.
#include <algorithm>

#include "commands.h"
#include "errors.h"
#include "files.h"

namespace app {

namespace {

constexpr std::string_view validate_overview =
    "gpusim validate --gemm FILE.csv [options]   measured matrix products against simulated ones\n"
    "gpusim validate --anchors [options]         published microbenchmarks against simulated ones\n\n"
    "'gpusim validate --gemm --help' and 'gpusim validate --anchors --help' list their options.\n\n"
    "Examples:\n"
    "  gpusim validate --gemm measured.csv --gpu A100,T4 --sample 40 --rows compared.csv\n"
    "  gpusim validate --anchors --arch ampere\n";

bool names(const std::vector<std::string>& arguments, const std::string& option) {
  return std::any_of(arguments.begin(), arguments.end(),
                     [&](const std::string& word) { return word == option || word.starts_with(option + "="); });
}

}  // namespace

int validate(const std::vector<std::string>& arguments) {
  const bool gemm = names(arguments, "--gemm");
  const bool anchors = names(arguments, "--anchors");
  if (gemm && anchors) throw UsageError("validate: --gemm and --anchors are two commands; give one of them");
  if (gemm) return validate_gemm(arguments);
  if (anchors) return validate_anchors(arguments);
  if (names(arguments, "--help") || names(arguments, "-h")) {
    print(validate_overview);
    return exit_ok;
  }
  throw UsageError("validate what? --gemm FILE.csv or --anchors ('gpusim validate --help')");
}

}  // namespace app
