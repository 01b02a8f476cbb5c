#include <doctest/doctest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "gpusim/schedule_io.h"
#include "support/cluster_programs.h"

namespace gpusim::schedule_json_operations_test {

using testing::Probe;

namespace {

template <class Kind>
Kind& action_in(Schedule& schedule, std::size_t index) {
  return std::get<Kind>(std::get<Operation>(schedule.roles[0].program.body[index]).action);
}

/// Every operation a GEMM does not have, with every field that has a default at another value.
Schedule everything() {
  Probe probe;
  const Token x = probe.token("x");
  const Token y = probe.token("y");
  GlobalAccess line = testing::one_line(0);
  line.address = y;
  line.uniform = true;
  SharedAccess words = testing::one_wavefront();
  words.address = y;
  words.uniform = true;
  words.peer = along(Coordinate::block_m) + 1;
  BulkCopy copy = testing::bulk_lines(0, 8, testing::full());
  copy.rank = 4;
  copy.planes = 2;
  copy.plane_rows = 16;
  WarpgroupMultiply both = testing::wgmma(x);
  std::get<SharedAccess>(both.a).tile = TileId(1);
  both.b.tile = TileId(2);
  WarpgroupMultiply one = both;
  one.a = y;
  both.metadata = Metadata{y, 4};
  both.shape.k *= 2;
  probe.add(LoadGlobal{line, x, true}).add(LoadShared{words, x}).add(copy).add(LoadConstant{x, y}).add(LoadConstant{x});
  probe.add(AtomicAdd{line, x, y}).add(AtomicAdd{line, x}).add(both).add(one).add(WarpgroupCommit{});
  probe.add(WarpgroupWait{1}).add(Multiply{.a = x, .b = x, .c = y, .shape = {16, 8, 32}, .sparse = true});
  probe.add(ClusterBarrier{true}).add(CopyAsync{line, testing::one_wavefront(), true});
  Schedule schedule = probe.schedule(4, 4);
  for (const SharedTile& tile : testing::wgmma_tiles()) schedule.shared_tiles.push_back(tile);
  schedule.cluster = 2;
  schedule.buffers[0].placement = Placement::one_slice;
  schedule.buffers[0].slice = 5;
  return schedule;
}

/// `json` without these keys, anywhere.
void erase(nlohmann::json& json, const std::set<std::string>& keys) {
  if (json.is_object())
    for (const std::string& key : keys) json.erase(key);
  if (json.is_structured())
    for (nlohmann::json& part : json) erase(part, keys);
}

}  // namespace

TEST_CASE("operations on clusters, atomics and warp groups read back as they were saved") {
  Schedule schedule = everything();
  action_in<BulkCopy>(schedule, 2).rows = 1;
  action_in<BulkCopy>(schedule, 2).planes = 1;
  const std::string text = to_json(schedule);
  const Schedule again = parse_schedule(text, "saved.json");
  CHECK(to_json(again) == text);
  CHECK(digest(again) == digest(schedule));
  CHECK(to_string(again) == to_string(schedule));
  Schedule linear = everything();
  linear.buffers[0].placement = Placement::linear;
  CHECK(to_json(parse_schedule(to_json(linear), "saved.json")) == to_json(linear));
}

TEST_CASE("the digest sees each field of them") {
  using Change = std::function<void(Schedule&)>;
  const std::vector<Change> changes{
      [](Schedule& s) { s.cluster = 4; },
      [](Schedule& s) { s.buffers[0].placement = Placement::shuffled; },
      [](Schedule& s) { s.buffers[0].slice = 0; },
      [](Schedule& s) { action_in<LoadGlobal>(s, 0).bypass_l1 = false; },
      [](Schedule& s) { action_in<LoadGlobal>(s, 0).from.address.reset(); },
      [](Schedule& s) { action_in<LoadGlobal>(s, 0).from.uniform = false; },
      [](Schedule& s) { action_in<LoadShared>(s, 1).from.address.reset(); },
      [](Schedule& s) { action_in<LoadShared>(s, 1).from.uniform = false; },
      [](Schedule& s) { action_in<LoadShared>(s, 1).from.peer.reset(); },
      [](Schedule& s) { action_in<BulkCopy>(s, 2).rank = 3; },
      [](Schedule& s) { action_in<BulkCopy>(s, 2).planes = 3; },
      [](Schedule& s) { action_in<BulkCopy>(s, 2).plane_rows = 17; },
      [](Schedule& s) { action_in<LoadConstant>(s, 3).address.reset(); },
      [](Schedule& s) { action_in<AtomicAdd>(s, 5).into.reset(); },
      [](Schedule& s) { action_in<WarpgroupMultiply>(s, 7).a = Token(1); },
      [](Schedule& s) { action_in<WarpgroupMultiply>(s, 8).a = Token(0); },
      [](Schedule& s) { action_in<WarpgroupMultiply>(s, 7).b.column += 8; },
      [](Schedule& s) { action_in<WarpgroupMultiply>(s, 7).accumulate = DType::fp16; },
      [](Schedule& s) { action_in<WarpgroupMultiply>(s, 7).shape.n = 32; },
      [](Schedule& s) { action_in<WarpgroupMultiply>(s, 7).metadata->words = 2; },
      [](Schedule& s) { action_in<WarpgroupMultiply>(s, 7).metadata->fragment = Token(0); },
      [](Schedule& s) { action_in<WarpgroupMultiply>(s, 7).metadata.reset(); },
      [](Schedule& s) { action_in<WarpgroupWait>(s, 10).pending = 0; },
      [](Schedule& s) { action_in<Multiply>(s, 11).sparse = false; },
      [](Schedule& s) { action_in<ClusterBarrier>(s, 12).relaxed = false; },
      [](Schedule& s) { action_in<CopyAsync>(s, 13).through_l1 = false; },
  };
  const std::uint64_t before = digest(everything());
  for (std::size_t i = 0; i < changes.size(); ++i) {
    CAPTURE(i);
    Schedule schedule = everything();
    changes[i](schedule);
    CHECK(digest(schedule) != before);
  }
}

TEST_CASE("a file from before there were clusters and placements still reads") {
  Probe probe;
  const Token x = probe.token("x");
  probe.add(LoadGlobal{testing::one_line(0), x}).add(CopyAsync{testing::one_line(0), testing::one_wavefront()});
  probe.add(testing::bulk_lines(0, 8, testing::full()));
  const Schedule plain = probe.add(Multiply{.a = x, .b = x, .c = x}).schedule();
  nlohmann::json json = nlohmann::json::parse(to_json(plain));
  erase(json, {"cluster", "placement", "slice", "uniform", "bypass_l1", "through_l1", "rank", "planes", "plane_rows",
               "sparse"});
  CHECK(digest(parse_schedule(json.dump(), "saved.json")) == digest(plain));
}

TEST_CASE("an operand of wgmma is a fragment's name or an access") {
  std::string text = to_json(testing::wgmma_schedule());
  const std::size_t at = text.find("\"a\": {");
  REQUIRE(at != std::string::npos);
  text.replace(at, 6, "\"a\": 7, \"aa\": {");
  try {
    static_cast<void>(parse_schedule(text, "saved.json"));
    FAIL("it should have been refused");
  } catch (const ScheduleError& error) {
    CHECK(std::string(error.what()).find("/body/0/a: an object is expected here") != std::string::npos);
  }
}

}  // namespace gpusim::schedule_json_operations_test
