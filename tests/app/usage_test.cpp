// What the command understands, and how it says that it does not.
#include <doctest/doctest.h>

#include <algorithm>

#include "support/command.h"

namespace gpusim::usage_test {

using gpusim::testing::gpusim_command;
using gpusim::testing::has;
using gpusim::testing::Said;

namespace {

/// Refused as usage, with one line that contains `part`, and nothing on standard output.
void refuses(const std::string& arguments, const std::string& part) {
  CAPTURE(arguments);
  const Said said = gpusim_command(arguments);
  CAPTURE(said.err);
  CHECK(said.code == 2);
  CHECK(said.out.empty());
  CHECK(said.err.starts_with("gpusim: "));
  CHECK(std::count(said.err.begin(), said.err.end(), '\n') == 1);
  CHECK(has(said.err, part));
}

}  // namespace

TEST_CASE("--version says which") { CHECK(gpusim_command("--version").out.starts_with("gpusim ")); }

TEST_CASE("help stands on every level, with examples") {
  for (const std::string level :
       {"", "run", "run matmul", "run x.json", "arch", "arch list", "arch show", "arch check", "arch diff",
        "arch schema", "schedule", "schedule show", "schedule save", "ladder", "ladder list", "ladder run", "banks"}) {
    CAPTURE(level);
    const Said said = gpusim_command(level + " --help");
    CHECK(said.code == 0);
    CHECK(said.err.empty());
    CHECK(has(said.out, "Examples:"));
    CHECK(has(said.out, "gpusim "));
    CHECK(gpusim_command(level + " -h").out == said.out);
  }
}

TEST_CASE("unknown commands are refused with the nearest") {
  refuses("rnu", "did you mean 'run'?");
  refuses("run matmull", "did you mean 'matmul'?");
  refuses("arch lst", "did you mean 'list'?");
  refuses("schedule shw", "did you mean 'show'?");
  refuses("frobnicate", "no such command");
}

TEST_CASE("unknown options are refused with the nearest") {
  refuses("--versoin", "did you mean '--version'?");
  refuses("run matmul --arch ada --tlie 128", "did you mean '--tile'?");
  refuses("run matmul --arch ada --tlie=128", "--tlie: no such option");
  refuses("run matmul --arch ada -x", "-x: no such option");
  refuses("run matmul --arch ada --til 128", "did you mean '--tile'?");
  refuses("arch show ada --source", "did you mean '--sources'?");
  refuses("run matmul --arch ada --swizzle 128", "--swizzle: no such option of 'gpusim run matmul'; see --shared-a (");
  refuses("run matmul --arch ada --nothing-like-it", "--nothing-like-it: no such option of 'gpusim run matmul' (");
  refuses("run matmul --arch ada --cache 1",
          "--cache: no such option of 'gpusim run matmul'; see --reuse-operands, --code (");
  refuses("run matmul --arch ada ---", "---: no such option");
  refuses("run softmax --arch ada --cols 64", "did you mean '--columns'?");
}

TEST_CASE("options may stand before the word that they belong to") {
  const std::string sizes = " --m 64 --n 64 --k 64";
  const Said said = gpusim_command("run matmul --arch ada --exact" + sizes);
  CHECK(said.code == 0);
  CHECK(gpusim_command("run --arch ada --exact matmul" + sizes).out == said.out);
  CHECK(gpusim_command("run --exact --arch=ada matmul" + sizes).out == said.out);
  CHECK(gpusim_command("run --columns 64 --arch ada softmax").out ==
        gpusim_command("run softmax --columns 64 --arch ada").out);
  CHECK(gpusim_command("probe --footprint 16KiB --arch ada latency").out ==
        gpusim_command("probe latency --arch ada --footprint 16KiB").out);
  CHECK(gpusim_command("tune --help matmul").out == gpusim_command("tune matmul --help").out);
  CHECK(gpusim_command("schedule show matmul --arch ada" + sizes).out ==
        gpusim_command("schedule show --arch ada" + sizes).out);
  CHECK(gpusim_command("schedule save - matmul --arch ada" + sizes).out ==
        gpusim_command("schedule save - --arch ada" + sizes).out);
  refuses("run --arch ada --m 512", "run what? 'matmul', another kernel");
  refuses("tune --arch ada --m 512", "tune what? 'matmul'");
  refuses("run --arch ada matmull", "run matmull: no such kernel; did you mean 'matmul'?");
  refuses("tune --arch ada softmax", "tune softmax: no such kernel");
  refuses("run --arch ada", "run what?");
  refuses("run --bogus x.json --arch ada", "--bogus: no such option of 'gpusim run'");
  refuses("run --json out.json --arch ada", "run what?");
}

TEST_CASE("options without a value, with one too many, or given twice are refused") {
  refuses("run matmul --arch", "--arch: needs a value");
  refuses("run matmul --m --n 5", "--m: needs a value");
  refuses("run matmul --arch ada --check=5", "--check: takes no value");
  refuses("run matmul --arch ada --m 5 --m 6", "--m: given more than once");
}

TEST_CASE("what is missing is asked for") {
  refuses("", "--help");
  refuses("run", "matmul");
  refuses("run matmul", "--arch");
  refuses("run matmul ada", "--arch ada");
  refuses("arch", "list, show, check, diff or schema");
  refuses("arch show", "which profile");
  refuses("arch show ada --json ada.json", "takes one profile, not 'ada.json' as well; --json takes no file");
  refuses("arch diff ada", "which two");
  refuses("schedule save --arch ada", "which file");
}

}  // namespace gpusim::usage_test
