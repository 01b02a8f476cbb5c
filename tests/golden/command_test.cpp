// Each *.txt here is a command line ("$ gpusim ...") and the whole of what it prints. A change of the output shows as a
// difference of these files: run ./update here, and read what git diff says.
#include <doctest/doctest.h>

#include <filesystem>
#include <set>
#include <string>

#include "support/command.h"

namespace gpusim::command_test {

using namespace gpusim::testing;

namespace {

namespace fs = std::filesystem;

const std::string prompt = "$ gpusim ";

std::set<fs::path> golden_files() {
  std::set<fs::path> files;
  for (const auto& entry : fs::directory_iterator(fs::path(GPUSIM_SOURCE_DIR) / "tests/golden"))
    if (entry.path().extension() == ".txt") files.insert(entry.path());
  return files;
}

/// The first line where two texts differ, for people.
std::string first_difference(const std::string& expected, const std::string& actual) {
  std::istringstream a(expected), b(actual);
  std::string left, right;
  for (int line = 1;; ++line) {
    const bool more_left = static_cast<bool>(std::getline(a, left));
    const bool more_right = static_cast<bool>(std::getline(b, right));
    if (!more_left && !more_right) return "";
    if (more_left != more_right || left != right)
      return "line " + std::to_string(line) + "\n  expected: " + (more_left ? left : "(end)") +
             "\n  printed:  " + (more_right ? right : "(end)");
  }
}

}  // namespace

TEST_CASE("every command prints what its golden file says") {
  const bool update = std::getenv("GPUSIM_UPDATE_GOLDEN") != nullptr;
  REQUIRE_FALSE(golden_files().empty());
  for (const fs::path& file : golden_files()) {
    CAPTURE(file.filename().string());
    const std::string golden = contents(file.string());
    REQUIRE(golden.starts_with(prompt));
    const std::string command = golden.substr(0, golden.find('\n'));
    const Said said = gpusim_command(command.substr(prompt.size()));
    CHECK(said.code == 0);
    const std::string printed = command + "\n" + said.out;
    if (update) {
      write(file.string(), printed);
    } else {
      CHECK(first_difference(golden, printed) == "");
    }
  }
}

}  // namespace gpusim::command_test
