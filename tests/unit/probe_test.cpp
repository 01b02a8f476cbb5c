// Points, parameters and readings.
#include "gpusim/probe.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "gpusim/profile_io.h"

namespace gpusim::probe_test {

namespace {

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::string refusal(const Profile& profile, const ProbePoint& point) {
  try {
    (void)measure(profile, point);
  } catch (const ScheduleError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("names of kinds are words, their parameters and quantities distinct") {
  for (const ProbeKind& kind : probe_kinds()) {
    CAPTURE(kind.name);
    CHECK_FALSE(kind.title.empty());
    CHECK_FALSE(kind.mirrors.empty());
    CHECK_FALSE(kind.quantities.empty());
    for (std::size_t i = 0; i < kind.parameters.size(); ++i) {
      const ProbeParameter& parameter = kind.parameters[i];
      CHECK_FALSE(parameter.help.empty());
      CHECK_FALSE(parameter.otherwise.empty());
      for (std::size_t j = 0; j < i; ++j) CHECK(kind.parameters[j].name != parameter.name);
      for (const ProbeUnit& quantity : kind.quantities) CHECK(quantity.name != parameter.name);
    }
  }
}

TEST_CASE("a reading says every parameter with its value, and the clock") {
  const Profile profile = load_profile("h100-sxm");
  const ProbeReading reading = measure(profile, {"shared", {}, 1500});
  CHECK(reading.point.kind == "shared");
  CHECK(reading.point.parameters == std::map<std::string, std::string>{{"ways", "1"}});
  CHECK(reading.point.clock_mhz == 1500);
  CHECK(reading["latency"] == static_cast<double>(profile.shared.latency.count()));
  CHECK_THROWS_AS((void)reading["latncy"], std::logic_error);
}

TEST_CASE("equal points give equal readings") {
  const Profile profile = load_profile("v100-sxm2");
  const ProbePoint point{"latency", {{"footprint", "1MiB"}}, {}};
  CHECK(measure(profile, point)["latency"] == measure(profile, point)["latency"]);
}

TEST_CASE("a reading can be given up, before its first run and within one") {
  const Profile profile = load_profile("v100-sxm2");
  const ProbePoint point{"bandwidth", {{"footprint", "64KiB"}}, {}};
  int asked = 0;
  CHECK_FALSE(measure(profile, point, [&] { return ++asked == 1; }).has_value());
  CHECK(asked == 1);
  asked = 0;
  CHECK_FALSE(measure(profile, point, [&] { return ++asked == 2; }).has_value());
  const std::optional<ProbeReading> reading = measure(profile, point, [] { return false; });
  REQUIRE(reading.has_value());
  CHECK(reading->quantities.front().value == measure(profile, point).quantities.front().value);
}

TEST_CASE("unknown kinds and parameters are refused with the nearest, wrong values with what they may be") {
  const Profile profile = load_profile("h100-sxm");
  CHECK(contains(refusal(profile, {"latncy"}), "did you mean 'latency'?"));
  CHECK(contains(refusal(profile, {"latency", {{"footprnt", "1MiB"}}}), "did you mean 'footprint'?"));
  CHECK(contains(refusal(profile, {"latency", {{"footprint", "1 potato"}}}), "not a size from 128B to 64GiB"));
  CHECK(contains(refusal(profile, {"latency", {{"footprint", "16KB"}}}), "did you mean '16KiB'?"));
  CHECK(contains(refusal(profile, {"latency", {{"via", "ldgg"}}}), "did you mean 'ldg'?"));
  CHECK(contains(refusal(profile, {"shared", {{"ways", "33"}}}), "not a whole number from 1 to 32"));
  CHECK(contains(refusal(profile, {"shared", {{"ways", "1.5"}}}), "not a whole number from 1 to 32"));
  CHECK(contains(refusal(profile, {"tma", {{"box", "16x"}}}), "16x16"));
  CHECK(contains(refusal(profile, {"tma", {{"direction", "write"}, {"box", "4x4x256"}}}), "two dimensions, as 32x64"));
  CHECK(contains(refusal(profile, {"tma", {{"direction", "write"}}}), "two dimensions, as 32x64"));
  CHECK(contains(refusal(profile, {"tma", {{"direction", "write"}, {"box", "256x128"}, {"ctas", "2"}}}), "half of L2"));
  CHECK(contains(refusal(profile, {"dsm", {{"peer", "2"}}}), "a rank from 0 to 1"));
  CHECK(contains(refusal(profile, {"shared", {}, 0}), "clock"));
}

TEST_CASE("all that is wrong with a point is said at once") {
  const std::string text = refusal(load_profile("h100-sxm"), {"shared", {{"ways", "0"}, {"wayz", "1"}}});
  CHECK(contains(text, "ways: "));
  CHECK(contains(text, "wayz: "));
}

TEST_CASE("a GPU that cannot says why, and which can") {
  const Profile ampere = load_profile("rtx3090");
  const Profile volta = load_profile("v100-sxm2");
  CHECK(contains(refusal(ampere, {"tma"}), "rtx3090 cannot run it: it has no tensor memory accelerator; "));
  CHECK(contains(refusal(ampere, {"tma"}), "h100-sxm"));
  CHECK_FALSE(contains(refusal(ampere, {"tma"}), "v100"));
  CHECK(contains(refusal(ampere, {"dsm"}), "no thread-block clusters"));
  CHECK(contains(refusal(ampere, {"wgmma"}), "wgmma"));
  CHECK(contains(refusal(ampere, {"latency", {{"via", "tma"}}}), "no tensor memory accelerator"));
  CHECK(contains(refusal(ampere, {"barrier", {{"kind", "cluster"}}}), "no thread-block clusters"));
  CHECK(contains(refusal(volta, {"memory-op", {{"op", "ldgsts"}}}), "no asynchronous copies"));
  CHECK(contains(refusal(volta, {"mma", {{"input", "fp8"}}}), "no fp8 mode"));
  CHECK(contains(refusal(volta, {"latency", {{"home", "far"}}}), "its L2 has one partition"));
}

TEST_CASE("a sweep is a kind's own curve, or over what is given, the last parameter fastest") {
  const Profile profile = load_profile("h100-sxm");
  CHECK(sweep(profile, "shared").size() == 6);
  const std::vector<ProbePoint> points = sweep(profile, "tma", {{"ctas", {"1", "4"}}, {"bytes", {"1KiB", "2KiB"}}});
  REQUIRE(points.size() == 4);
  CHECK(points[1].parameters == std::map<std::string, std::string>{{"bytes", "1KiB"}, {"ctas", "4"}});
  CHECK_THROWS_AS((void)sweep(profile, "shared", {{"way", {"1"}}}), ScheduleError);
  CHECK_THROWS_AS((void)sweep(profile, "shared", {{"ways", {"1", "x"}}}), ScheduleError);
}

TEST_CASE("every kind's own curve has points, none with a parameter that there is not") {
  const Profile profile = load_profile("h100-sxm");
  for (const ProbeKind& kind : probe_kinds()) {
    CAPTURE(kind.name);
    const std::vector<ProbePoint> points = sweep(profile, kind.name);
    CHECK_FALSE(points.empty());
    for (const auto& parameter : points.front().parameters)
      CHECK(std::any_of(kind.parameters.begin(), kind.parameters.end(),
                        [&](const ProbeParameter& each) { return each.name == parameter.first; }));
  }
}

TEST_CASE("sizes are read in binary units") {
  CHECK(probe_bytes("16KiB") == 16 << 10);
  CHECK(probe_bytes("1.5MiB") == 3 << 19);
  CHECK(probe_bytes("4096") == 4096);
  CHECK(probe_bytes("4096B") == 4096);
  CHECK_FALSE(probe_bytes("16 KiB").has_value());
  CHECK_FALSE(probe_bytes("-1").has_value());
  CHECK_FALSE(probe_bytes("").has_value());
}

}  // namespace gpusim::probe_test
