#include "gpusim/view/json.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "support/sample_result.h"

namespace gpusim::view_json_test {

using Json = nlohmann::ordered_json;

namespace {

Json parsed(const Result& result) { return Json::parse(view::json(result)); }

}  // namespace

TEST_CASE("the whole run stands at the top") {
  const Json page = parsed(testing::sample_result());
  CHECK(page["schema_version"] == view::json_schema_version);
  CHECK(page["version"] == "1.2.3");
  CHECK(page["digest"] == "0000000000000abc");
  CHECK(page["termination"] == "completed");
  CHECK(page["cycles"] == 1000);
  CHECK(page["time_us"] == 2.0);
  CHECK(page["tflops"] == doctest::Approx(0.75));
  CHECK(page["peak_tflops"] == doctest::Approx(1));
  CHECK(page["options"]["clock_mhz"] == 500);
  CHECK(page["options"]["l2"] == Json{{"A", "cold"}, {"B", "warm"}});
  CHECK(page["options"]["exact"] == true);
  CHECK(page["options"]["max_cycles"].is_null());
  CHECK(page["options"]["max_ctas"].is_null());
}

TEST_CASE("limits stand among the options, met or not") {
  Result result = testing::sample_result();
  result.max_cycles = Cycles(2000);
  result.max_ctas = 7;
  const Json page = parsed(result);
  CHECK(page["options"]["max_cycles"] == 2000);
  CHECK(page["options"]["max_ctas"] == 7);
  CHECK(page["termination"] == "completed");
}

TEST_CASE("what was skipped stands with its kernel, and the run is not exact") {
  Result result = testing::sample_result();
  result.kernels[0].k_tiles = 100;
  result.kernels[0].skipped = {60, 0, Cycles(500), 2, 1200};
  const Json page = parsed(result);
  CHECK(page["options"]["exact"] == false);
  CHECK(page["kernels"][0]["k_tiles"] == 100);
  CHECK(page["kernels"][0]["skipped"] ==
        Json{{"k_tiles", 60}, {"ctas", 0}, {"cycles", 500}, {"times", 2}, {"spread_ppm", 1200}});
}

TEST_CASE("a single kernel's fields stand at the top too") {
  const Json page = parsed(testing::sample_result());
  for (const auto& item : page["kernels"][0].items()) {
    CAPTURE(item.key());
    CHECK(page[item.key()] == item.value());
  }
}

TEST_CASE("several kernels stand in their list alone") {
  Result result = testing::sample_result();
  result.kernels.push_back(result.kernels[0]);
  const Json page = parsed(result);
  CHECK(page["kernels"].size() == 2);
  CHECK(page["cycles"] == 2000);
  CHECK_FALSE(page.contains("stalls"));
}

TEST_CASE("stalls are cycles by role and reason, every reason named") {
  const Json stalls = parsed(testing::sample_result())["stalls"];
  CHECK(stalls["consumer"]["long_scoreboard"] == 2400);
  CHECK(stalls["producer"]["mbarrier"] == 900);
  CHECK(stalls["producer"].size() == reason_count);
}

TEST_CASE("steady cycles per tile are null without k tiles") {
  Result result = testing::sample_result();
  CHECK(parsed(result)["steady_cycles_per_tile"] == 125.0);
  result.kernels[0].steady_tiles = 0;
  CHECK(parsed(result)["steady_cycles_per_tile"].is_null());
}

TEST_CASE("what has no limit is null, never infinity") {
  Result result = testing::sample_result();
  result.profile.tensor.modes[0].peak_fma_per_clk = Rate::unlimited();
  result.pools[0].capacity = Limited<std::int64_t>::unlimited();
  const Json page = parsed(result);
  CHECK(page["peak_tflops"].is_null());
  CHECK(page["servers"][2]["rate_per_clk"].is_null());
  CHECK(page["pools"][0]["capacity"].is_null());
}

TEST_CASE("servers, pools, receipts and traffic are all there") {
  const Json page = parsed(testing::sample_result());
  CHECK(page["servers"][0]["name"] == "sm.tensor");
  CHECK(page["servers"][0]["utilisation"] == doctest::Approx(0.8));
  CHECK(page["pools"][0]["peak"] == 1);
  CHECK(page["receipts"].size() == hop_count);
  CHECK(page["receipts"]["l2"]["waiting"] == 500);
  CHECK(page["traffic"]["dram_read_bytes"] == 16'000);
}

TEST_CASE("the profile is the whole resolved profile") {
  const Json page = parsed(testing::sample_result());
  CHECK(page["profile"]["name"] == "by-hand");
  CHECK(page["profile"]["l2"]["latency"]["value"] == 200);
}

TEST_CASE("equal results are equal bytes, with keys in their order") {
  const std::string text = view::json(testing::sample_result());
  CHECK(text == view::json(testing::sample_result()));
  CHECK(text.starts_with("{\n  \"schema_version\": 1,\n  \"version\": "));
  CHECK(text.ends_with("}\n"));
}

TEST_CASE("a name that is no UTF-8 does not lose the result") {
  Result result = testing::sample_result();
  result.kernels[0].schedule = "\xff";
  CHECK(parsed(result)["cycles"] == 1000);
}

}  // namespace gpusim::view_json_test
