// Anchor files.
#include <doctest/doctest.h>

#include "gpusim/error.h"
#include "validate/anchor_spec.h"

namespace gpusim::anchor_spec_test {

using namespace gpusim::validate;

namespace {

std::string anchor(const std::string& checks) {
  return R"([{"id": "X-01", "title": "t", "setup": "s", "source": "paper",
              "defaults": {"gpu": "l40", "probe": "latency", "read": "latency", "unit": "cycles", "tolerance": "5%",
                           "parameters": {"via": "ldg"}, "clock_mhz": 2490},
              "checks": [)" +
         checks + "]}]";
}

std::vector<CheckSpec> checks_of(const std::string& checks) {
  return parse_anchors(anchor(checks), "x.json").front().checks;
}

std::string problems_of(const std::string& text) {
  try {
    static_cast<void>(parse_anchors(text, "x.json"));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a check takes from its anchor's defaults what it does not say") {
  const CheckSpec check = checks_of(R"({"quantity": "q", "expected": 36, "gpu": "l4"})").front();
  CHECK(check.gpu == "l4");
  CHECK(check.probe == "latency");
  CHECK(check.clock == "2490");
  CHECK(check.source == "paper");
  CHECK(check.tolerance.amount == 0.05);
  CHECK(check.expected.low == 36);
  CHECK(check.expected.high == 36);
}

TEST_CASE("parameters are added to the defaults'") {
  const CheckSpec check = checks_of(R"({"quantity": "q", "expected": 1, "parameters": {"width": 32}})").front();
  CHECK(check.parameters == std::map<std::string, std::string>{{"via", "ldg"}, {"width", "32"}});
}

TEST_CASE("a sweep of values is a check each, with its own expectation and input") {
  const std::vector<CheckSpec> checks = checks_of(
      R"({"quantity": "at {}", "sweep": "footprint", "at": ["16KiB", "1MiB"], "expected": [36, [270, 280]],
          "input": ["l1.latency", null]})");
  REQUIRE(checks.size() == 2);
  CHECK(checks[0].quantity == "at 16KiB");
  CHECK(checks[0].parameters.at("footprint") == "16KiB");
  CHECK(checks[0].input == "l1.latency");
  CHECK(checks[1].quantity == "at 1MiB");
  CHECK(checks[1].expected.low == 270);
  CHECK(checks[1].expected.high == 280);
  CHECK(checks[1].input.empty());
}

TEST_CASE("a knee keeps its sweep and is one check") {
  const std::vector<CheckSpec> checks = checks_of(
      R"({"quantity": "knee", "reading": "knee", "sweep": "footprint", "at": ["16KiB", "1MiB"], "expected": [160, 190]})");
  REQUIRE(checks.size() == 1);
  CHECK(checks[0].reading == Reading::knee);
  CHECK(checks[0].at.size() == 2);
}

TEST_CASE("tolerances are percent, cycles or exact, and nothing else") {
  const auto tolerance = [](const std::string& text) {
    return checks_of(R"({"quantity": "q", "expected": 1, "tolerance": ")" + text + "\"}").front().tolerance;
  };
  CHECK(tolerance("5%").relative);
  CHECK(tolerance("1 cycle").amount == 1);
  CHECK_FALSE(tolerance("1 cycle").relative);
  CHECK(tolerance("exact").amount == 0);
  for (const char* wrong : {"5", "five %", "-5%", "", "5cycles", "0%"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(tolerance(wrong), InputError);
  }
}

TEST_CASE("an unknown key is refused with the nearest, and all problems at once") {
  const std::string problems =
      problems_of(anchor(R"({"quantity": "q", "expcted": 1}, {"quantity": "r", "expected": 1, "reading": "kne"})"));
  CHECK(problems.find("did you mean 'expected'?") != std::string::npos);
  CHECK(problems.find("there is no reading 'kne'") != std::string::npos);
  CHECK(problems.find("x.json: X-01") != std::string::npos);
}

TEST_CASE("an anchor has checks or says why not") {
  const std::string start = R"([{"id": "X-01", "title": "t", "setup": "s", "source": "p")";
  CHECK_FALSE(problems_of(start + "}]").empty());
  CHECK(problems_of(start + R"(, "left_out": "no such GPU"}])").empty());
}

TEST_CASE("a sweep without a value for each place is refused") {
  CHECK_FALSE(problems_of(anchor(R"({"quantity": "q", "sweep": "n", "at": [8, 16], "expected": [1]})")).empty());
}

TEST_CASE("what is not JSON is refused with the file's name") { CHECK(problems_of("[{").find("x.json") == 0); }

}  // namespace gpusim::anchor_spec_test
