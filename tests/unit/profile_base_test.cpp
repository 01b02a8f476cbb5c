// Profiles that stand on others.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "gpusim/profile_io.h"
#include "support/small_profile.h"

namespace gpusim::profile_base_test {

using gpusim::test::contains;
using gpusim::test::refusal;

namespace {

/// A folder for the files of one test, removed with it.
class Folder {
 public:
  Folder()
      : path_(std::filesystem::temp_directory_path() /
              ("gpusim_profile_base_" + std::to_string(std::random_device()()))) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }

  /// Writes a file and returns its path.
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return (path_ / name).string();
  }
  [[nodiscard]] std::string at(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

std::string file(const std::string& name, const std::string& base, const std::string& members = "") {
  return R"({"name": ")" + name + R"(", "title": "T", "base": ")" + base + "\"" +
         (members.empty() ? "" : ", " + members) + "}";
}

std::string load_refusal(const std::string& path) {
  try {
    (void)load_profile(path);
  } catch (const ProfileError& error) {
    return error.what();
  }
  return "";
}

const std::string new_latency = R"("l2": {"latency": {"value": 222, "method": "fitted", "source": "a test"}})";

}  // namespace

TEST_CASE("the files that a profile is read from are named, its base's after it") {
  const Folder folder;
  (void)folder.write("own.json", file("own", "ada"));
  const std::string derived = folder.write("derived.json", file("derived", "own.json"));
  std::vector<std::string> files;
  CHECK(load_profile(derived, files).name == "derived");
  CHECK(files == std::vector{derived, folder.at("own.json")});
  (void)load_profile("ada", files);
  CHECK(files.size() == 2);
}

TEST_CASE("a profile takes from its base what it does not say, with the base's sources") {
  const Profile base = load_profile("ada");
  const Profile profile = parse_profile(file("mine", "ada", new_latency), "mine.json");
  CHECK(profile.name == "mine");
  CHECK(profile.aliases.empty());
  CHECK(profile.l2->latency == Cycles(222));
  CHECK(profile.provenance.at("l2.latency") == Provenance{Method::fitted, "a test"});
  CHECK(profile.provenance.at("l2.capacity") == base.provenance.at("l2.capacity"));
  const auto differences = diff(base, profile);
  REQUIRE(differences.size() == 1);
  CHECK(differences[0].key == "l2.latency");
}

TEST_CASE("what was measured on the base, or worked out for it, becomes inherited") {
  const Folder folder;
  const auto of = [](const std::string& method) {
    return R"("l2": {"latency": {"value": 222, "method": ")" + method + R"(", "source": "a test"}})";
  };
  for (const std::string method : {"microbenchmark", "derived", "fitted"}) {
    folder.write("lower.json", file("lower", "ada", of(method)));
    const Profile profile = load_profile(folder.write("upper.json", file("upper", "lower.json")));
    CHECK(profile.provenance.at("l2.latency") == Provenance{Method::inherited, "T, the same die: a test"});
  }
  for (const std::string method : {"vendor", "inherited", "assumed", "textbook"}) {
    folder.write("lower.json", file("lower", "ada", of(method)));
    const Profile profile = load_profile(folder.write("upper.json", file("upper", "lower.json")));
    CHECK(profile.provenance.at("l2.latency").source == "a test");
  }
}

TEST_CASE("a base may be a file beside the profile") {
  const Folder folder;
  folder.write("lower.json", file("lower", "ada", new_latency));
  const Profile profile = load_profile(folder.write("upper.json", file("upper", "lower.json")));
  CHECK(profile.l2->latency == Cycles(222));
}

TEST_CASE("bases in a circle are refused with the circle") {
  const Folder folder;
  folder.write("b.json", file("b", "c.json"));
  folder.write("c.json", file("c", "./a.json"));
  const std::string text = load_refusal(folder.write("a.json", file("a", "b.json")));
  CHECK(contains(text, "the bases go in a circle: "));
  CHECK(contains(text, folder.at("a.json") + " -> " + folder.at("b.json") + " -> "));
}

TEST_CASE("a profile that is its own base is refused") {
  const Folder folder;
  CHECK(contains(load_refusal(folder.write("self.json", file("self", "self.json"))), "the bases go in a circle"));
}

TEST_CASE("a tower of too many bases is refused") {
  const Folder folder;
  folder.write("0.json", file("0", "ada"));
  for (int i = 1; i <= 20; ++i) {
    folder.write(std::to_string(i) + ".json", file(std::to_string(i), std::to_string(i - 1) + ".json"));
  }
  CHECK(contains(load_refusal(folder.at("20.json")), "more than 16 profiles stand on each other"));
  CHECK(load_refusal(folder.at("10.json")).empty());
}

TEST_CASE("a base that does not exist is refused with the nearest") {
  CHECK(contains(refusal(file("mine", "rtx4091")),
                 "small.json#/base: no built-in profile is called \"rtx4091\"; did you mean"));
  CHECK(contains(refusal(file("mine", "nowhere.json")), "small.json#/base: there is no file"));
  CHECK(contains(refusal(R"({"name": "n", "title": "t", "base": 3})"), "small.json#/base: expected"));
}

TEST_CASE("problems of the base and of the profile are reported together") {
  const Folder folder;
  folder.write("lower.json", file("lower", "ada", R"("l2": {"latensy": 1})"));
  const std::string text =
      load_refusal(folder.write("upper.json", file("upper", "lower.json", R"("sm": {"countt": 1})")));
  CHECK(contains(text, "lower.json#/l2/latensy"));
  CHECK(contains(text, "upper.json#/sm/countt"));
}

TEST_CASE("numbers are not taken over by another compute capability") {
  const std::string text = refusal(file("mine", "ada", R"("compute_capability": "9.0", )" + new_latency));
  CHECK(contains(text, "small.json#/base: is of compute capability \"8.9\", not \"9.0\""));
  CHECK(contains(text, "small.json#/sm: is missing"));
  CHECK(contains(text, "small.json#/l2/capacity: is missing"));
}

TEST_CASE("a file that cannot be read is refused") {
  const Folder folder;
  CHECK(contains(load_refusal(folder.at("nowhere.json")), "there is no file"));
  CHECK(contains(load_refusal(folder.at("")), "is a directory, not a file"));
  CHECK(contains(load_refusal("/dev/null"), "\"/dev/null\" is a pipe or a device, not a file"));
}

TEST_CASE("what is wrong only as a whole is reported with its place") {
  CHECK(contains(
      refusal(file("mine", "ada", R"("l2": {"slices": {"value": 7, "method": "assumed", "source": "a test"}})")),
      "small.json#/dram/channels: more than the 7 L2 slices"));
}

}  // namespace gpusim::profile_base_test
