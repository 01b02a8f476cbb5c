// gpusim validate --anchors, as a user meets it.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "support/command.h"

namespace gpusim::anchors_command_test {

using gpusim::testing::gpusim_command;
using gpusim::testing::Said;

TEST_CASE("one GPU's anchors are printed with what was expected and found, its score last") {
  const Said said = gpusim_command("validate --anchors --arch textbook-2020");
  CHECK(said.code == 0);
  CHECK(said.out.find("392 cycles") != std::string::npos);
  CHECK(said.out.find("Mean over 1 counted anchors: 100.0 %") != std::string::npos);
}

TEST_CASE("--json - is JSON alone, on standard output") {
  const Said said = gpusim_command("validate --anchors --arch textbook-2020 --json -");
  const auto page = nlohmann::json::parse(said.out);
  CHECK(page["score"] == 1.0);
  CHECK(page["checks"].size() == 2);
  CHECK(page["checks"][0]["verdict"] == "pass");
}

TEST_CASE("--set changes the GPU that is measured") {
  const Said said = gpusim_command("validate --anchors --arch textbook-2020 --set shared.latency=21 --json -");
  const auto page = nlohmann::json::parse(said.out);
  CHECK(page["checks"][1]["simulated"] == 200 + 21 + 1);
  CHECK(page["checks"][1]["verdict"] == "miss");
}

TEST_CASE("a GPU nobody knows is refused with the nearest") {
  const Said said = gpusim_command("validate --anchors --arch h100-pci");
  CHECK(said.code == 1);
  CHECK(said.err.find("did you mean \"h100-pcie\"?") != std::string::npos);
}

TEST_CASE("a GPU without anchors is refused, naming those that have some") {
  const Said said = gpusim_command("validate --anchors --arch rtx3090");
  CHECK(said.code == 1);
  CHECK(said.err.find("there are some of a100-pcie-40gb") != std::string::npos);
}

}  // namespace gpusim::anchors_command_test
