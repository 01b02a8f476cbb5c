// The profiles in arch/.
#include <doctest/doctest.h>

#include <cctype>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "gpusim/profile_io.h"

using namespace gpusim;

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

TEST_CASE("case, spaces and hyphens of a name do not matter") {
  CHECK(load_profile("RTX 4090").name == "rtx4090");
  CHECK(load_profile("rtx-3090").name == "rtx3090");
  CHECK(load_profile("H100-SXM5-80GB").name == "h100-sxm");
  CHECK(load_profile("V100").name == "v100-sxm2");
}

TEST_CASE("a name that could mean a card without a profile is not an alias") {
  CHECK_THROWS_AS((void)load_profile("A100"), ProfileError);
  CHECK_THROWS_AS((void)load_profile("A100-SXM"), ProfileError);
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
  const std::vector<Sheet> sheets{
      {"volta", true, DType::fp16, DType::fp32, 1530, 125},   {"volta", false, DType::fp32, DType::fp32, 1530, 15.7},
      {"turing", true, DType::fp16, DType::fp32, 1635, 56.9}, {"ampere", true, DType::bf16, DType::fp32, 1410, 312},
      {"ampere", true, DType::tf32, DType::fp32, 1410, 156},  {"ampere", false, DType::fp32, DType::fp32, 1410, 19.5},
      {"rtx3090", true, DType::fp16, DType::fp16, 1695, 142}, {"ada", true, DType::fp16, DType::fp32, 2520, 165.2},
      {"ada", true, DType::fp8, DType::fp16, 2520, 660.6},    {"ada", false, DType::fp32, DType::fp32, 2520, 82.6},
      {"hopper", true, DType::fp16, DType::fp32, 1830, 989},  {"hopper", false, DType::fp32, DType::fp32, 1980, 66.9}};
  for (const Sheet& sheet : sheets) {
    CAPTURE(sheet.gpu);
    const double peak = peak_flops(load_profile(sheet.gpu), sheet.tensor, sheet.input, sheet.accumulate, sheet.mhz);
    CHECK(peak / 1e12 == doctest::Approx(sheet.tflops).epsilon(0.01));
  }
}

TEST_CASE("a peak is 0 where the GPU cannot and infinite where nothing limits it") {
  const Profile ampere = load_profile("ampere");
  CHECK(peak_flops(ampere, true, DType::fp8, DType::fp32, 1410) == 0);
  CHECK(peak_flops(ampere, false, DType::fp16, DType::fp16, 1410) == 0);
  CHECK(tensor_mode(ampere, DType::fp8, DType::fp32) == nullptr);
  CHECK(std::isinf(peak_flops(load_profile("textbook-2023"), true, DType::fp32, DType::fp32, 1000)));
}
