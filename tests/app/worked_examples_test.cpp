// The worked examples, as a user runs them.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "support/command.h"

namespace gpusim::worked_examples_test {

namespace {

nlohmann::json run(const std::string& edition, const std::string& options) {
  const auto said = gpusim::testing::gpusim_command("run matmul --arch textbook-" + edition +
                                                    " --m 32 --n 32 --tile 32 --json - " + options);
  CAPTURE(said.err);
  REQUIRE(said.code == 0);
  return nlohmann::json::parse(said.out);
}

std::int64_t cycles(const std::string& edition, const std::string& options) {
  return run(edition, options)["cycles"].get<std::int64_t>();
}

}  // namespace

TEST_CASE("one tile: edition, schedule and L2 decide") {
  CHECK(cycles("2023", "--k 32 --l2 warm --schedule simt") == 200 + 8 * 34 + 8 * 4);
  CHECK(cycles("2023", "--k 32 --l2 warm --schedule tensor") == 200 + 34 + 1);
  CHECK(cycles("2023", "--k 32 --l2 cold --schedule simt") == 380 + 8 * 34 + 8 * 4);
  CHECK(cycles("2023", "--k 32 --l2 cold --schedule tensor") == 380 + 34 + 1);
  CHECK(cycles("2020", "--k 32 --schedule simt") == 200 + 8 * 20 + 8 * 4);
  CHECK(cycles("2020", "--k 32 --schedule tensor") == 200 + 20 + 1);
}

TEST_CASE("a hundred tiles one after another") {
  CHECK(cycles("2023", "--k 3200 --l2 warm --schedule simt") == 100 * 504);
  CHECK(cycles("2023", "--k 3200 --l2 warm --schedule tensor") == 100 * 235);
}

TEST_CASE("a hundred tiles, copied ahead: the steady state costs 165 + 34 + 1 a tile") {
  for (const std::string schedule : {"async", "tma"}) {
    CAPTURE(schedule);
    const auto result = run("2023", "--k 3200 --l2 warm --stages 2 --schedule " + schedule);
    CHECK(result["cycles"] == 100 * 200 + 34 + 1);
    CHECK(result["steady_cycles_per_tile"] == 165.0 + 34 + 1);
    CHECK(cycles("2023", "--k 3200 --l2 warm --stages 3 --schedule " + schedule) == 10070);
    CHECK(cycles("2023", "--k 3200 --l2 warm --stages 4 --schedule " + schedule) == 6835);
    CHECK(cycles("2023", "--k 3200 --l2 warm --stages 8 --schedule " + schedule) == 3700);
  }
  CHECK(cycles("2023", "--k 3200 --l2 cold --stages 2 --schedule async") == 100 * 380 + 34 + 1);
  CHECK(cycles("2020", "--k 3200 --stages 2 --schedule async") == 100 * 200 + 20 + 1);
}

TEST_CASE("a producer warp overlaps the copy of one buffer with the use of the other") {
  CHECK(cycles("2023", "--k 3200 --l2 warm --stages 2 --schedule tma --specialize") == 50 * (200 + 34 + 1) + 34 + 1);
}

TEST_CASE("two waves of four CTAs on each of eight SMs hand over in between") {
  const auto said = gpusim::testing::gpusim_command(
      "run matmul --arch textbook-2023 --m 256 --n 256 --k 32 --tile 32 --l2 warm --schedule simt --json -");
  const auto result = nlohmann::json::parse(said.out);
  const auto& launch = result["profile"]["launch"];
  const auto hand_over =
      launch["cta_exit"]["value"].get<std::int64_t>() + launch["cta_start"]["value"].get<std::int64_t>();
  CHECK(hand_over >= 2);
  CHECK(result["cycles"] == 2 * 504 + hand_over);
}

}  // namespace gpusim::worked_examples_test
