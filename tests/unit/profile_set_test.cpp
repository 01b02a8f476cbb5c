// --set key=value.
#include <doctest/doctest.h>

#include <random>

#include "gpusim/profile_io.h"
#include "support/sanitized.h"

namespace gpusim::profile_set_test {

namespace {

std::string refusal(Profile profile, std::string_view assignment) {
  const std::uint64_t before = digest(profile);
  try {
    set(profile, assignment);
  } catch (const ProfileError& error) {
    CHECK(digest(profile) == before);
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("set changes one number and says who did") {
  Profile profile = load_profile("ada");
  const Profile before = profile;
  set(profile, "l2.capacity=6MiB");
  CHECK(profile.l2->capacity == Limited<Bytes>(Bytes(6 << 20)));
  CHECK(profile.provenance.at("l2.capacity").method == Method::user);
  const auto differences = diff(before, profile);
  REQUIRE(differences.size() == 1);
  CHECK(differences[0].left == "72MiB");
  CHECK(differences[0].right == "6MiB");
}

TEST_CASE("set takes every form of value") {
  Profile profile = load_profile("ada");
  set(profile, "tensor.modes.0.latency=20");
  set(profile, "dram.bandwidth_gb_per_s=unlimited");
  set(profile, "lsu.accept_per_clk=1/3");
  set(profile, "sm.scheduler=lrr");
  set(profile, "tensor.modes.1.input=bf16");
  CHECK(profile.tensor.modes[0].latency == Cycles(20));
  CHECK(profile.dram.bandwidth_gb_per_s.is_unlimited());
  CHECK(profile.lsu.accept_per_clk == Rate::one_every(3));
  CHECK(profile.sm.scheduler == SchedulerPolicy::lrr);
  CHECK(profile.tensor.modes[1].input == DType::bf16);
}

TEST_CASE("null removes hardware and its provenance") {
  Profile profile = load_profile("ada");
  set(profile, "l2=null");
  set(profile, "tensor.modes=null");
  CHECK_FALSE(profile.l2.has_value());
  CHECK(profile.tensor.modes.empty());
  CHECK_FALSE(profile.provenance.contains("l2.latency"));
  CHECK_FALSE(profile.provenance.contains("tensor.modes.0.m"));
}

TEST_CASE("set refuses with the nearest key, the form expected or the bound, and changes nothing") {
  const Profile ada = load_profile("ada");
  CHECK(refusal(ada, "l2.capacity=6MB").ends_with("not \"6MB\"; did you mean \"6MiB\"?"));
  CHECK(refusal(ada, "l2.capacity=96 kib").ends_with("did you mean \"96KiB\"?"));
  CHECK(refusal(ada, "l2.capacity=6Mega").ends_with("not \"6Mega\""));
  for (const std::string no_hint : {"MB", "0KiB", "999999999GB", "10KHz", "6mm"})
    CHECK(refusal(ada, "l2.capacity=" + no_hint).ends_with("not \"" + no_hint + "\""));
  CHECK(refusal(ada, "l2.latencyy=3") == "\"l2.latencyy\": no such key; did you mean \"l2.latency\"?");
  CHECK(refusal(ada, "l2.size=6MiB").starts_with("\"l2.size\": no such key; there are l2.capacity, l2.slices, "));
  CHECK(refusal(ada, "capacity=6MiB") ==
        "\"capacity\": no such key; there are shared.capacity, l1.capacity, l2.capacity, dram.capacity");
  CHECK(refusal(ada, "sms=6").starts_with("\"sms\": no such key; there are sm.count, "));
  CHECK(refusal(ada, "num_sms=6")
            .starts_with("\"num_sms\": no such key; keys are such as sm.count, and begin with clock, "));
  CHECK(refusal(ada, "nothing.alike=6").ends_with(", launch, power"));
  CHECK(refusal(ada, "alu=1") == "\"alu\": no such key; there are pipes.alu.lanes, pipes.alu.latency");
  CHECK(refusal(ada, "latency=3").ends_with(" and others"));
  CHECK(refusal(ada, "tmaa=2").find("; keys are such as sm.count") != std::string::npos);  // ada has no tma
  CHECK(refusal(ada, "l2.latency=1") == "\"l2.latency\": expected an integer from 2 to 1000000, not \"1\"");
  CHECK(refusal(ada, "sm.issue=serious").find("expected one of scoreboard, serial") != std::string::npos);
  CHECK(refusal(ada, "l2.latency").find("expected key=value") != std::string::npos);
  CHECK(refusal(ada, "=5").find("expected key=value") != std::string::npos);
  CHECK(refusal(ada, "").find("expected key=value") != std::string::npos);
  CHECK(refusal(ada, "pipes.fma=3") == "\"pipes.fma\": is a group; set one of pipes.fma.lanes, pipes.fma.latency");
  CHECK(refusal(ada, "sm=null").find("is a group") != std::string::npos);
  CHECK(refusal(ada, "l2=6MiB").find("can only be set to null") != std::string::npos);
  CHECK(refusal(ada, "tma.queue=8").find("there is no tma in this profile") != std::string::npos);
  CHECK(refusal(ada, "tensor.modes.99.latency=20").find("no such key") != std::string::npos);
}

TEST_CASE("random assignments are taken or refused, never worse") {
  std::mt19937 random(7);  // NOLINT: the same every time
  const Profile ada = load_profile("ada");
  const std::vector<ProfileEntry> lines = entries(ada);
  const std::vector<std::string> values{"0",
                                        "1",
                                        "-1",
                                        "6MiB",
                                        "1/4",
                                        "0.000001",
                                        "unlimited",
                                        "null",
                                        "",
                                        "nan",
                                        "1e9",
                                        "gto",
                                        "fp16",
                                        "=",
                                        "99999999999999999999",
                                        "9223372036854775807",
                                        "-9223372036854775808",
                                        "0.-5",
                                        "1/0",
                                        "\xFF\xFE",
                                        std::string(5000, '9')};
  for (int i = 0; i < testing::draws(5000); ++i) {
    Profile profile = ada;
    std::string key = lines[random() % lines.size()].key;
    if (random() % 4 == 0) key.resize(random() % (key.size() + 1));
    if (random() % 4 == 0) key.insert(random() % (key.size() + 1), 1, static_cast<char>(random() % 256));
    try {
      set(profile, key + "=" + values[random() % values.size()]);
      (void)digest(profile);
      if (!check(profile).empty()) continue;
      CHECK(diff(profile, parse_profile(to_json(profile), "again.json")).empty());
    } catch (const ProfileError& error) {
      CHECK_FALSE(error.problems().empty());
    }
  }
}

}  // namespace gpusim::profile_set_test
