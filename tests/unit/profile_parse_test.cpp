// Reading profile files, and what is said about wrong ones.
#include <doctest/doctest.h>

#include <algorithm>

#include <random>

#include "gpusim/profile_io.h"
#include "support/small_profile.h"

namespace gpusim::profile_parse_test {

using gpusim::test::contains;
using gpusim::test::refusal;
using gpusim::test::replaced;
using gpusim::test::small_profile;

namespace {

/// A file that takes everything from the textbook machine but what `members` say.
std::string overlay(std::string_view members) {
  return R"({"name": "mine", "title": "Mine", "base": "textbook-2023", )" + std::string(members) + "}";
}

std::string number(std::string_view value) {
  return R"({"value": )" + std::string(value) + R"(, "method": "assumed", "source": "a test"})";
}

std::string refused_latency(std::string_view value) {
  return refusal(overlay(R"("l2": {"latency": )" + number(value) + "}"));
}

}  // namespace

TEST_CASE("the small profile itself is not refused") { CHECK(refusal(small_profile()).empty()); }

TEST_CASE("an unknown key is named with its file, its JSON pointer and the nearest key") {
  CHECK(refusal(overlay(R"("l2": {"latencyy": )" + number("1") + "}")) ==
        "small.json#/l2/latencyy: unknown key; did you mean \"latency\"?");
  CHECK(refusal(overlay(R"("lsh": 1)")) == "small.json#/lsh: unknown key; did you mean \"lsu\"?");
  CHECK(
      contains(refusal(overlay(R"("l2": {"zebra~/": 1})")), "small.json#/l2/zebra~0~1: unknown key; known: capacity"));
}

TEST_CASE("every problem of a file is reported, each on a line of its own") {
  const std::string text =
      refusal(overlay(R"("l2": {"latency": 3, "weighs": 1}, "sm": {"issue": "serious"}, "dramm": {})"));
  CHECK(text.find("small.json#/l2/latency: ") != std::string::npos);
  CHECK(text.find("small.json#/l2/weighs: ") != std::string::npos);
  CHECK(text.find("small.json#/sm/issue: ") != std::string::npos);
  CHECK(text.find("small.json#/dramm: ") != std::string::npos);
  CHECK(std::count(text.begin(), text.end(), '\n') == 3);
}

TEST_CASE("a number without its provenance is refused") {
  CHECK(contains(refusal(overlay(R"("l2": {"latency": 200})")),
                 "expected {\"value\": ..., \"method\": ..., \"source\": ...}"));
  CHECK(contains(refusal(overlay(R"("l2": {"latency": {"value": 200}})")), "small.json#/l2/latency/source: expected"));
  CHECK(contains(refusal(overlay(R"("l2": {"latency": {"value": 200, "method": "guess", "source": "x"}})")),
                 "small.json#/l2/latency/method: expected how the number is known"));
  CHECK(contains(refusal(overlay(R"("l2": {"latency": {"value": 200, "method": "vendor", "source": ""}})")),
                 "small.json#/l2/latency/source: expected"));
  CHECK(contains(refusal(overlay(R"("l2": {"latency": {"method": "vendor", "source": "x"}})")),
                 "small.json#/l2/latency/value: is missing"));
}

TEST_CASE("a value of the wrong type, negative, absurd or not an integer is refused with what is expected") {
  for (const auto* value : {"-1", "1", "1000001", "2.5", "2e3", "\"200\"", "true", "null", "[]", "{}", "\"unlimited\"",
                            "1e999", "123456789012345678901234567890"}) {
    CAPTURE(value);
    CHECK_FALSE(refused_latency(value).empty());
  }
  CHECK(refused_latency("-1") == "small.json#/l2/latency/value: expected an integer from 2 to 1000000, not -1");
  CHECK(contains(refused_latency("NaN"), "is not JSON"));
}

TEST_CASE("a wrong word is refused with the words there are") {
  CHECK(refusal(overlay(R"("sm": {"scheduler": "gtoo"})")) ==
        "small.json#/sm/scheduler: expected one of gto, lrr, not \"gtoo\"; did you mean \"gto\"?");
}

TEST_CASE("a profile without a base must say everything") {
  const std::string text = refusal(R"({"name": "n", "title": "t"})");
  CHECK(contains(text, "small.json#/clock: is missing"));
  CHECK(contains(text, "small.json#/launch: is missing"));
  CHECK(contains(refusal(replaced(small_profile(), "\"latency_clock_mhz\"", "\"latency_clock_mhzz\"")),
                 "small.json#/dram/latency_clock_mhz: is missing"));
}

TEST_CASE("a profile needs a name and a title") {
  const std::string text = refusal("{\"base\": \"ada\"}");
  CHECK(contains(text, "small.json#/name: is missing"));
  CHECK(contains(text, "small.json#/title: is missing"));
}

TEST_CASE("hardware that the base lacks must be described whole") {
  const std::string text = refusal(overlay(R"("l1": {"latency": )" + number("30") + "}"));
  CHECK(contains(text, "small.json#/l1/capacity: is missing"));
  CHECK_FALSE(contains(text, "small.json#/l1/latency"));
}

TEST_CASE("null removes hardware and its numbers") {
  const Profile profile = parse_profile(overlay(R"("l2": null, "tensor": {"modes": []})"), "mine.json");
  CHECK_FALSE(profile.l2.has_value());
  CHECK_FALSE(profile.provenance.contains("l2.latency"));
  CHECK_FALSE(profile.provenance.contains("tensor.modes.0.latency"));
}

TEST_CASE("a key given twice is refused") {
  CHECK(contains(refusal(R"({"name": "a", "name": "b"})"), "\"name\" is given twice"));
}

TEST_CASE("what is not JSON is refused with line and column") {
  CHECK(contains(refusal("{\n  \"name\": }"), "small.json#: is not JSON: parse error at line 2, column 11"));
  CHECK(contains(refusal(""), "is not JSON"));
  CHECK(contains(refusal("{} x"), "is not JSON"));
  CHECK(contains(refusal("[1, 2]"), "expected an object, not an array"));
  CHECK(contains(refusal("\"\xFF\""), "is not JSON"));
}

TEST_CASE("a file of more than 4 MiB is refused without being read") {
  const std::string large(100'000'000, '[');
  CHECK(refusal(large) == "small.json#: is larger than 4 MiB");
}

TEST_CASE("a file of more than 64 levels is refused") {
  CHECK(contains(refusal(std::string(65, '[') + std::string(65, ']')), "nested more than 64 levels deep"));
  CHECK(contains(refusal(std::string(64, '[') + std::string(64, ']')), "expected an object"));
  CHECK(contains(refusal(std::string(4'000'000, '[')), "nested more than 64 levels deep"));
}

TEST_CASE("a message stays short whatever the file holds") {
  std::string many = "{";
  for (int i = 0; i < 1000; ++i) many += "\"key" + std::to_string(i) + "\": 1, ";
  const std::string of_many_keys = refusal(many + "\"last\": 1}");
  CHECK(of_many_keys.size() < 10'000);
  CHECK(contains(of_many_keys, "more problems"));
  CHECK(refusal("{\"" + std::string(1'000'000, 'k') + "\": 1}").size() < 10'000);
  CHECK(refusal(overlay(R"("l2": {"latency": )" + number(std::string(1'000'000, '7')) + "}")).size() < 1'000);
}

TEST_CASE("sources may cite a reference by its short name") {
  const Profile profile = parse_profile(overlay(R"("references": {"paper": "A. Author, A Paper, 2024"},
                 "l2": {"latency": {"value": 250, "method": "microbenchmark", "source": "ref:paper, table 3"}})"),
                                        "mine.json");
  CHECK(profile.provenance.at("l2.latency") == Provenance{Method::microbenchmark, "A. Author, A Paper, 2024, table 3"});
}

TEST_CASE("a reference that the file does not have is refused with the nearest") {
  CHECK(refusal(overlay(R"("references": {"paper": "P"},
                           "l2": {"latency": {"value": 250, "method": "vendor", "source": "ref:papre"}})")) ==
        "small.json#/l2/latency/source: the file has no reference \"papre\"; did you mean \"paper\"?");
}

TEST_CASE("a file cut short or with a character changed is refused or read, never worse") {
  const std::string text = small_profile();
  std::mt19937 random(1);  // NOLINT: the same every time
  for (int i = 0; i < 300; ++i) {
    std::string spoiled = text.substr(0, random() % text.size());
    CHECK_FALSE(refusal(spoiled).empty());
    spoiled = text;
    spoiled[random() % spoiled.size()] = static_cast<char>(random() % 256);
    (void)refusal(spoiled);
  }
}

}  // namespace gpusim::profile_parse_test
