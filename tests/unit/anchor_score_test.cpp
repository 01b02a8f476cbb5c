// All checks together: scores, and what is measured.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "support/anchor_probe.h"

namespace gpusim::anchor_score_test {

using namespace anchor_probe;

namespace {

CheckSpec check_on(const std::string& gpu, double expected, const std::string& input = "") {
  CheckSpec check = check_of_100();
  check.gpu = gpu;
  check.expected = {expected, expected};
  check.input = input;
  return check;
}

AnchorSpec anchor(const std::string& id, std::vector<CheckSpec> checks) {
  return {id, id, "", "", "", std::move(checks)};
}

/// Three anchors on a GPU where everything takes 100 cycles: half right, all input, left out.
std::vector<AnchorSpec> three_anchors() {
  return {
      anchor("A-01", {check_on("rtx4090", 100), check_on("h100-sxm", 200), check_on("h100-sxm", 100, "l1.latency")}),
      anchor("A-02", {check_on("rtx4090", 100, "l1.latency")}),
      {"A-03", "", "", "", "another time", {}}};
}

Measure hundred() {
  return reads([](const ProbePoint&) { return 100; });
}

}  // namespace

TEST_CASE("an anchor scores the share of its counted checks that pass; the mean is over counted anchors") {
  std::vector<AnchorSpec> specs = three_anchors();
  specs.push_back(anchor("A-04", {check_on("rtx4090", 100)}));
  const AnchorReport report = run_anchors(specs, nullptr, hundred());
  REQUIRE(report.anchors.size() == 4);
  CHECK(report.anchors[0].score == 0.5);
  CHECK(report.anchors[0].counted == 2);
  CHECK_FALSE(report.anchors[1].score.has_value());
  CHECK_FALSE(report.anchors[2].score.has_value());
  CHECK(report.anchors[2].note == "another time");
  CHECK(report.anchors[3].score == 1.0);
  CHECK(report.score == (0.5 + 1.0) / 2);
}

TEST_CASE("one GPU has its own checks alone") {
  const Profile hopper = load_profile("h100-sxm");
  const AnchorReport report = run_anchors(three_anchors(), &hopper, hundred());
  CHECK(report.checks.size() == 2);
  REQUIRE(report.anchors.size() == 1);
  CHECK(report.anchors[0].score == 0.0);
}

TEST_CASE("one GPU is measured as it is given") {
  Profile changed = load_profile("rtx4090");
  set(changed, "l1.latency=50");
  std::set<std::int64_t> latencies;
  const AnchorReport report = run_anchors({anchor("A-01", {check_on("rtx4090", 100)})}, &changed,
                                          [&](const Profile& profile, const ProbePoint& point) {
                                            latencies.insert(profile.l1.value().latency.count());
                                            return hundred()(profile, point);
                                          });
  CHECK(latencies == std::set<std::int64_t>{50});
}

TEST_CASE("a GPU without anchors is refused, naming those that have some") {
  const Profile other = load_profile("rtx3090");
  CHECK_THROWS_WITH_AS((void)run_anchors(three_anchors(), &other, hundred()),
                       "rtx3090: no measured microbenchmark of this GPU is known; there are some of h100-sxm, rtx4090",
                       InputError);
}

TEST_CASE("a point is measured once, however many checks read it") {
  int measured = 0;
  const Measure counting = reads([&](const ProbePoint&) { return 100 + 0 * ++measured; });
  static_cast<void>(
      run_anchors({anchor("A-01", {check_on("rtx4090", 100), check_on("rtx4090", 101), check_on("h100-sxm", 100)}),
                   anchor("A-02", {check_on("rtx4090", 102)})},
                  nullptr, counting));
  CHECK(measured == 2);
}

TEST_CASE("the JSON says of each check what was expected and found") {
  CheckSpec range = check_on("rtx4090", 0);
  range.expected = {90, 110};
  CheckSpec never = check_on("rtx4090", 5);
  never.probe.clear();
  const AnchorReport report =
      run_anchors({anchor("A-01", {check_on("rtx4090", 80), range, never})}, nullptr, hundred());
  const auto page = nlohmann::json::parse(to_json(report));
  CHECK(page["score"] == 1.0 / 3);
  CHECK(page["anchors"][0]["anchor"] == "A-01");
  CHECK(page["anchors"][0]["counted"] == 3);
  const auto& first = page["checks"][0];
  CHECK(first["gpu"] == "rtx4090");
  CHECK(first["quantity"] == "latency");
  CHECK(first["expected"] == 80);
  CHECK(first["simulated"] == 100);
  CHECK(first["error"] == 25);
  CHECK(first["tolerance"] == "5%");
  CHECK(first["verdict"] == "miss");
  CHECK(first["source"] == "nobody");
  CHECK(page["checks"][1]["expected"] == nlohmann::json::array({90, 110}));
  CHECK(page["checks"][1]["verdict"] == "pass");
  CHECK(page["checks"][2]["simulated"].is_null());
  CHECK(page["checks"][2]["verdict"] == "miss");
}

}  // namespace gpusim::anchor_score_test
