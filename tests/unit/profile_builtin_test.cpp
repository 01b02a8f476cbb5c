// The profiles in arch/.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "gpusim/profile_io.h"

namespace gpusim::profile_builtin_test {

namespace {

std::vector<Profile> built_in() {
  std::vector<Profile> all;
  for (const ProfileName& names : list_profiles()) all.push_back(load_profile(names.name));
  return all;
}

std::string folded(std::string_view name) {
  std::string letters;
  for (const char letter : name) {
    if (letter != ' ' && letter != '-') letters += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return letters;
}

std::string text_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("every built-in profile is in order as a whole") {
  for (const Profile& profile : built_in()) {
    CAPTURE(profile.name);
    CHECK(check(profile).empty());
  }
}

TEST_CASE("a built-in profile written and read again is the same") {
  for (const Profile& profile : built_in()) {
    CAPTURE(profile.name);
    const Profile again = parse_profile(to_json(profile), "again.json");
    CHECK(diff(profile, again).empty());
    CHECK(digest(profile) == digest(again));
    CHECK(profile.provenance == again.provenance);
    CHECK(profile.title == again.title);
    CHECK(profile.architecture == again.architecture);
    CHECK(profile.compute_capability == again.compute_capability);
    CHECK(profile.aliases == again.aliases);
    CHECK(to_json(profile) == to_json(again));
  }
}

TEST_CASE("every number of every built-in profile says where it comes from") {
  for (const Profile& profile : built_in()) {
    CAPTURE(profile.name);
    std::size_t numbers = 0;
    for (const ProfileEntry& line : entries(profile)) {
      if (line.provenance.source.empty()) continue;
      CAPTURE(line.key);
      ++numbers;
      CHECK(profile.provenance.contains(line.key));
      CHECK(line.provenance.method != Method::user);
      CHECK(line.provenance.source.find("ref:") == std::string::npos);
    }
    CHECK(numbers == profile.provenance.size());
  }
}

TEST_CASE("profiles of different machines have different digests") {
  std::map<std::uint64_t, std::string> seen;
  for (const Profile& profile : built_in()) CHECK(seen.emplace(digest(profile), profile.name).second);
}

TEST_CASE("no name means two built-in profiles") {
  std::map<std::string, std::string> owners;
  for (const ProfileName& names : list_profiles()) {
    std::vector<std::string> all = names.aliases;
    all.push_back(names.name);
    for (const std::string& name : all) {
      CAPTURE(name);
      CHECK(owners.emplace(folded(name), names.name).first->second == names.name);
    }
  }
}

TEST_CASE("each architecture's name is an alias of one GPU") {
  const std::map<std::string, std::string> wanted{{"volta", "v100-sxm2"},
                                                  {"turing", "rtx2080ti"},
                                                  {"ampere", "a100-sxm-40gb"},
                                                  {"ada", "rtx4090"},
                                                  {"hopper", "h100-sxm"}};
  for (const auto& [alias, name] : wanted) CHECK(load_profile(alias).name == name);
}

TEST_CASE("an unknown name is refused with the nearest and the list") {
  try {
    (void)load_profile("rtx4091");
    FAIL("rtx4091 is no profile");
  } catch (const ProfileError& error) {
    const std::string what = error.what();
    CHECK(what.find("did you mean \"rtx4090\"?") != std::string::npos);
    for (const ProfileName& names : list_profiles()) CHECK(what.find(names.name) != std::string::npos);
  }
}

TEST_CASE("listings name the GPUs as their profiles do") {
  for (const ProfileName& names : list_profiles()) {
    const Profile profile = load_profile(names.name);
    CHECK(names.title == profile.title);
    CHECK(names.architecture == profile.architecture);
    CHECK(names.aliases == profile.aliases);
    CHECK_FALSE(names.architecture.empty());
  }
}

TEST_CASE("a built-in profile is the file of its name") {
  for (const ProfileName& names : list_profiles()) {
    const Profile file = load_profile(std::string(GPUSIM_SOURCE_DIR) + "/arch/" + names.name + ".json");
    CHECK(digest(file) == digest(load_profile(names.name)));
  }
}

TEST_CASE("the schema in arch/ is the one the code writes") {
  CHECK(text_of(std::string(GPUSIM_SOURCE_DIR) + "/arch/profile.schema.json") == profile_schema());
}

TEST_CASE("the textbook machines have the textbook's latencies") {
  const Profile old = load_profile("textbook-2020");
  const Profile now = load_profile("textbook-2023");
  CHECK(old.dram.latency == Cycles(200));
  CHECK(old.shared.latency == Cycles(20));
  CHECK_FALSE(old.l2.has_value());
  CHECK(now.dram.latency == Cycles(380));
  CHECK(now.l2->latency == Cycles(200));
  CHECK(now.shared.latency == Cycles(34));
  CHECK(now.pipes.fma.latency == Cycles(4));
  CHECK(now.tensor.modes.at(0).latency == Cycles(1));
  CHECK(now.sm.issue == IssueMode::serial);
}

TEST_CASE("peak rates are the data sheets' within 1 %") {
  struct Sheet {
    const char* gpu;
    bool tensor;
    DType input, accumulate;
    std::int64_t mhz;
    double tflops;
  };
  const std::vector<Sheet> sheets{{"v100-sxm2", true, DType::fp16, DType::fp32, 1530, 125},
                                  {"v100-sxm2", false, DType::fp32, DType::fp32, 1530, 15.7},
                                  {"v100-pcie", true, DType::fp16, DType::fp32, 1380, 112},
                                  {"v100-pcie", false, DType::fp32, DType::fp32, 1380, 14.1},
                                  {"titan-v", false, DType::fp32, DType::fp32, 1455, 14.9},
                                  {"v100-sxm2", false, DType::fp16, DType::fp16, 1530, 31.4},
                                  {"t4", true, DType::fp16, DType::fp32, 1590, 65},
                                  {"t4", true, DType::int8, DType::int32, 1590, 130},
                                  {"t4", true, DType::int4, DType::int32, 1590, 260},
                                  {"rtx2080ti", true, DType::fp16, DType::fp32, 1635, 56.9},
                                  {"titan-rtx", true, DType::fp16, DType::fp32, 1770, 130.5},
                                  {"rtx2070s", false, DType::fp32, DType::fp32, 1770, 9.1},
                                  {"a100-sxm-40gb", true, DType::bf16, DType::fp32, 1410, 312},
                                  {"a100-sxm-40gb", true, DType::tf32, DType::fp32, 1410, 156},
                                  {"a100-sxm-40gb", false, DType::fp16, DType::fp16, 1410, 78},
                                  {"a100-sxm-40gb", true, DType::int8, DType::int32, 1410, 624},
                                  {"a100-sxm-80gb", true, DType::int4, DType::int32, 1410, 1248},
                                  {"a100-pcie-40gb", false, DType::fp32, DType::fp32, 1410, 19.5},
                                  {"a100-pcie-80gb", true, DType::fp16, DType::fp32, 1410, 312},
                                  {"a10", true, DType::fp16, DType::fp32, 1695, 125},
                                  {"a40", true, DType::fp16, DType::fp32, 1740, 149.7},
                                  {"a40", true, DType::int8, DType::int32, 1740, 299.3},
                                  {"rtx-a6000", true, DType::bf16, DType::fp32, 1800, 154.8},
                                  {"rtx3060", false, DType::fp32, DType::fp32, 1777, 12.7},
                                  {"rtx3090", true, DType::fp16, DType::fp16, 1695, 142},
                                  {"rtx3090", true, DType::fp16, DType::fp32, 1695, 71},
                                  {"rtx3090", false, DType::fp16, DType::fp16, 1695, 35.6},
                                  {"rtx4090", true, DType::fp16, DType::fp32, 2520, 165.2},
                                  {"rtx4090", true, DType::fp8, DType::fp16, 2520, 660.6},
                                  {"rtx4090", true, DType::fp8, DType::fp32, 2520, 330.3},
                                  {"rtx4090", false, DType::fp32, DType::fp32, 2520, 82.6},
                                  {"l4", true, DType::fp16, DType::fp32, 2040, 121},
                                  {"l4", true, DType::fp8, DType::fp32, 2040, 242},
                                  {"l40", true, DType::fp16, DType::fp32, 2490, 181},
                                  {"l40", true, DType::fp8, DType::fp32, 2490, 362},
                                  {"l40s", true, DType::fp8, DType::fp32, 2520, 733},
                                  {"h100-sxm", true, DType::fp16, DType::fp32, 1830, 989},
                                  {"h100-sxm", true, DType::fp8, DType::fp32, 1830, 1979},
                                  {"h100-sxm", false, DType::fp32, DType::fp32, 1980, 66.9},
                                  {"h100-sxm", false, DType::fp16, DType::fp16, 1980, 133.8},
                                  {"h100-pcie", true, DType::fp16, DType::fp32, 1620, 756},
                                  {"h800-pcie", true, DType::tf32, DType::fp32, 1620, 378},
                                  {"h200-sxm", true, DType::int8, DType::int32, 1830, 1979},
                                  {"gh200", true, DType::bf16, DType::fp32, 1830, 989},
                                  {"h20", true, DType::fp16, DType::fp32, 1853, 148},
                                  {"h20", true, DType::fp8, DType::fp32, 1853, 296}};
  for (const Sheet& sheet : sheets) {
    CAPTURE(sheet.gpu);
    const double peak = peak_flops(load_profile(sheet.gpu), sheet.tensor, sheet.input, sheet.accumulate, sheet.mhz);
    CHECK(peak / 1e12 == doctest::Approx(sheet.tflops).epsilon(0.01));
  }
}

TEST_CASE("what a GPU takes over from another of its die is marked and names it") {
  for (const Profile& profile : built_in()) {
    for (const auto& number : profile.provenance) {
      const Provenance& provenance = number.second;
      if (provenance.method != Method::inherited) continue;
      CAPTURE(profile.name + " " + number.first + ": " + provenance.source);
      CHECK(provenance.source.find("the same die") != std::string::npos);
    }
  }
  const Profile from = load_profile("a100-sxm-40gb");
  const Profile to = load_profile("a100-sxm-80gb");
  CHECK(from.provenance.at("l2.latency").method == Method::microbenchmark);
  CHECK(to.provenance.at("l1.tag_banks") ==
        Provenance{Method::inherited, from.title + ", the same die: " + from.provenance.at("l1.tag_banks").source});
}

TEST_CASE("integer and 8-bit tensor modes are there from the generation that has them on") {
  for (const Profile& profile : built_in()) {
    if (profile.architecture == "textbook") continue;
    CAPTURE(profile.name);
    const std::string& capability = profile.compute_capability;
    CHECK((tensor_mode(profile, DType::fp16, DType::fp32) != nullptr));
    CHECK((tensor_mode(profile, DType::fp16, DType::fp16) != nullptr));
    CHECK((tensor_mode(profile, DType::int8, DType::int32) != nullptr) == (capability >= "7.5"));
    CHECK((tensor_mode(profile, DType::bf16, DType::fp32) != nullptr) == (capability >= "8.0"));
    CHECK((tensor_mode(profile, DType::tf32, DType::fp32) != nullptr) == (capability >= "8.0"));
    CHECK((tensor_mode(profile, DType::fp8, DType::fp32) != nullptr) == (capability >= "8.9"));
  }
}

TEST_CASE("a pair's first mode is dense, and sparse ones follow from the A100 on") {
  const Profile ampere = load_profile("ampere");
  const TensorModeSpec* first = tensor_mode(ampere, DType::fp16, DType::fp32);
  REQUIRE(first != nullptr);
  CHECK_FALSE(first->sparse);
  CHECK(first->k == 16);
  for (const Profile& profile : built_in()) {
    CAPTURE(profile.name);
    const auto& modes = profile.tensor.modes;
    const bool any = std::any_of(modes.begin(), modes.end(), [](const auto& mode) { return mode.sparse; });
    CHECK(any == (profile.compute_capability >= "8.0"));
  }
}

TEST_CASE("a peak is 0 where the GPU cannot and infinite where nothing limits it") {
  const Profile ampere = load_profile("ampere");
  CHECK(peak_flops(ampere, true, DType::fp16, DType::fp32, 1410, true) ==
        doctest::Approx(2 * peak_flops(ampere, true, DType::fp16, DType::fp32, 1410)));
  CHECK(peak_flops(load_profile("v100-sxm2"), true, DType::fp16, DType::fp32, 1380, true) == 0);
  CHECK(peak_flops(ampere, true, DType::fp8, DType::fp32, 1410) == 0);
  CHECK(peak_flops(ampere, false, DType::bf16, DType::bf16, 1410) == 0);
  CHECK(tensor_mode(ampere, DType::fp8, DType::fp32) == nullptr);
  CHECK(std::isinf(peak_flops(load_profile("textbook-2023"), true, DType::fp32, DType::fp32, 1000)));
}

}  // namespace gpusim::profile_builtin_test
