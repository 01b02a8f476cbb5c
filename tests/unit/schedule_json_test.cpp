#include <doctest/doctest.h>

#include <string>

#include "gpusim/schedule_io.h"
#include "gpusim/schedules/gemm.h"

namespace gpusim::schedule_json_test {

using schedules::GemmVariant;

namespace {

Schedule schedule_of(GemmVariant variant) {
  return schedules::gemm({.m = 300, .n = 200, .k = 100, .alpha = 0.1, .beta = -2},
                         {.tile = {128, 64, 32},
                          .variant = variant,
                          .stages = variant == GemmVariant::tensor ? 1 : 3,
                          .specialize = variant == GemmVariant::tma});
}

std::string with(std::string text, const std::string& part, const std::string& replacement) {
  const std::size_t at = text.find(part);
  REQUIRE(at != std::string::npos);
  return text.replace(at, part.size(), replacement);
}

/// What is wrong, one problem a line.
std::string refusal(const std::string& text) {
  try {
    static_cast<void>(parse_schedule(text, "saved.json"));
  } catch (const ScheduleError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a saved schedule reads back as the same schedule: same text, same digest, same listing") {
  for (const auto variant : {GemmVariant::simt, GemmVariant::tensor, GemmVariant::async, GemmVariant::tma}) {
    const Schedule schedule = schedule_of(variant);
    const std::string text = to_json(schedule);
    const Schedule again = parse_schedule(text, "saved.json");
    CHECK(to_json(again) == text);
    CHECK(digest(again) == digest(schedule));
    CHECK(to_string(again) == to_string(schedule));
  }
}

TEST_CASE("every kind of layout term survives") {
  Schedule schedule = schedule_of(GemmVariant::simt);
  auto& first = std::get<Operation>(schedule.roles[0].program.body[0]);
  first.guard = Bound{along(Coordinate::warp, -3, 2, 5, 7) + along(Coordinate::block_n, 4, 1, 0, 9) +
                          along(Coordinate::block_m, 0) + along(Coordinate::warp, 1, 3) + -11,
                      -5};
  const Schedule again = parse_schedule(to_json(schedule), "saved.json");
  CHECK(std::get<Operation>(again.roles[0].program.body[0]).guard == first.guard);
}

TEST_CASE("the digest sees what changes timing, and not what is for people") {
  const Schedule schedule = schedule_of(GemmVariant::async);
  Schedule other = schedule;
  other.name = "another";
  other.choices.clear();
  other.roles[0].program.tokens[0] = "sums";
  CHECK(digest(other) == digest(schedule));
  other.buffers[0].name = "weights";
  CHECK(digest(other) != digest(schedule));
  other = schedule;
  std::get<Loop>(other.roles[0].program.body[3]).trips += 1;
  CHECK(digest(other) != digest(schedule));
}

TEST_CASE("wrong values are refused at their JSON pointer, all at once") {
  std::string text = to_json(schedule_of(GemmVariant::tma));
  text = with(text, "\"grid_m\": 3", "\"grid_m\": \"three\"");
  text = with(text, "\"order\"", "\"ordr\"");
  text = with(text, "\"operation\": \"barrier_wait\"", "\"operation\": \"barier_wait\"");
  text = with(text, "\"into\": \"b\"", "\"into\": \"bb\"");
  text = with(text, "\"phase\": \"loop0/3 - 1\"", "\"phase\": \"loop0//3\"");
  const std::string problems = refusal(text);
  CHECK(problems.find("saved.json#/grid_m: a whole number is expected here") != std::string::npos);
  CHECK(problems.find("saved.json#/ordr: there is no such key here; did you mean 'order'?") != std::string::npos);
  CHECK(problems.find("saved.json#/roles/0/program/body/3/body/0/operation: one of load_global") != std::string::npos);
  CHECK(problems.find("/into: the name of a token is expected here: ") != std::string::npos);
  CHECK(problems.find("saved.json#/roles/1/program/body/2/body/0/phase: a number or a layout") != std::string::npos);
}

TEST_CASE("what reads well but cannot run is refused too") {
  const std::string text = to_json(schedule_of(GemmVariant::async));
  CHECK(refusal(with(text, "\"stages\": 3,", "\"stages\": 2,")).find("saved.json#/roles/0/program/body/") !=
        std::string::npos);
  CHECK(refusal(with(text, "\"trips\": 4", "\"trips\": -4")).find("trips") != std::string::npos);
}

TEST_CASE("a missing key, a key given twice, and another version are refused") {
  const std::string text = to_json(schedule_of(GemmVariant::simt));
  CHECK(refusal(with(text, "\"grid_n\": 4,", "")) == "saved.json#/grid_n: it is missing");
  CHECK(refusal(with(text, "\"grid_n\": 4,", "\"grid_n\": 4, \"grid_n\": 4,")) ==
        "saved.json: the key 'grid_n' is given twice in one object");
  CHECK(refusal(with(text, "\"schema_version\": 1", "\"schema_version\": 2")) ==
        "saved.json#/schema_version: this version of gpusim reads schema_version 1");
}

TEST_CASE("hostile files are refused before they cost memory") {
  CHECK(refusal(std::string(17 << 20, ' ')).find("at most 16 MiB") != std::string::npos);
  CHECK(refusal(std::string(1 << 20, '[')) == "saved.json: it is nested more than 64 levels deep");
  CHECK(refusal("{\"name\": ") == "saved.json: it is not JSON: parse error at line 1, column 10");
  CHECK(refusal("[]") == "saved.json: a schedule is a JSON object");
  CHECK(refusal("{\"schema_version\": 1, \"profile_digest\": \"0\", \"kernels\": []}") ==
        "saved.json: is a result of a run; a schedule is what 'schedule save' writes");
  std::string many = "{";
  for (int i = 0; i < 100'000; ++i) many += "\"k" + std::to_string(i) + "\": 0,";
  CHECK(refusal(many + "\"z\": 0}").size() < 10'000);
}

}  // namespace gpusim::schedule_json_test
