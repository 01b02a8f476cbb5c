#include <doctest/doctest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "gpusim/schedule_io.h"
#include "support/cluster_programs.h"

namespace gpusim::schedule_json_walk_test {

using testing::Probe;

namespace {

Loop& items_of(Schedule& schedule) { return std::get<Loop>(schedule.roles[0].program.body[0]); }
Loop& k_tiles_of(Schedule& schedule) { return std::get<Loop>(items_of(schedule).body[0]); }

template <class Kind>
Kind& action_in(Schedule& schedule, std::size_t index) {
  return std::get<Kind>(std::get<Operation>(k_tiles_of(schedule).body[index]).action);
}

/// A walk with every operation that a walk brought, and every field at another value than its default.
Schedule everything() {
  Probe probe;
  const Token x = probe.token("x");
  GlobalAccess line = testing::one_line(0);
  line.layer = along(Coordinate::block_z, 1, 2);
  BulkCopy copy = testing::bulk_lines(0, 8, testing::full());
  copy.layer = 1;
  copy.tile_row = along(Coordinate::block_m, 8, 1, 2);
  copy.multicast = Multicast::along_m;
  BulkStore store{.tile = TileId(0),
                  .tile_row = 8,
                  .rows = 8,
                  .columns = 32,
                  .buffer = BufferId(0),
                  .row = along(Coordinate::k_begin),
                  .layer = 1,
                  .reduce = true};
  WarpgroupMultiply multiply = testing::wgmma(x);
  SharedAccess chunks = std::get<SharedAccess>(multiply.a);
  chunks.tile = TileId(1);
  multiply.a = SharedAccess{.tile = TileId(2), .column = along(Coordinate::lane), .vector = 16};
  multiply.b = {.tile = TileId(1), .column = along(Coordinate::lane, 1, 1, 16), .vector = 64};
  multiply.a_transposed = multiply.b_transposed = multiply.c_transposed = true;
  Loop k{.trips = 4, .walk = Walk::k_tiles};
  const auto add = [&k](Action action) { k.body.emplace_back(Operation{std::move(action), 1, {}}); };
  add(LoadGlobal{.from = line, .into = x, .origin_row = 1, .origin_column = along(Coordinate::loop1, 32)});
  add(LoadShared{chunks, x, SharedRead::ldmatrix_trans});
  add(copy);
  add(store);
  add(BulkWait{1});
  add(BarrierArrive{.at = testing::full(), .peer = Layout(1)});
  add(Multiply{.pipe = Pipe::fma,
               .a = x,
               .b = x,
               .c = x,
               .a_transposed = true,
               .b_transposed = true,
               .reads = RegisterReads{3, 2}});
  add(multiply);
  add(Scale{.c = x, .bias = x, .activation = Activation::silu});
  add(RegisterReallocate{64});
  add(BulkCommit{});
  probe.add(GridBarrier{});
  probe.add(GridBarrier{.waits = false});
  Schedule schedule = probe.schedule(4, 4);
  schedule.roles[0].program.body.insert(schedule.roles[0].program.body.begin(),
                                        Loop{.trips = 8, .body = {k}, .walk = Walk::items, .turns = 2, .turn = 1});
  for (const SharedTile& tile : testing::wgmma_tiles()) schedule.shared_tiles.push_back(tile);
  schedule.buffers[0].layers = 2;
  schedule.buffers[0].pitch *= 2;
  schedule.buffers[0].layer_pitch = schedule.buffers[0].columns;
  schedule.grid_n = 2;
  schedule.grid_z = 4;
  schedule.cluster = 2;
  schedule.cluster_m = 2;
  schedule.order = TileOrder::grouped;
  schedule.group = 4;
  schedule.ctas = 4;
  schedule.k_tiles = 8;
  schedule.splits = 2;
  schedule.consecutive = true;
  return schedule;
}

Schedule streaming() {
  Probe probe;
  probe.add(CtaBarrier{});
  Schedule schedule = probe.schedule();
  schedule.order = TileOrder::hilbert;
  schedule.ctas = 2;
  schedule.k_tiles = 8;
  schedule.stream_k = true;
  schedule.restarts_k = true;
  return schedule;
}

}  // namespace

TEST_CASE("walks, layers and what belongs to them read back as they were saved") {
  for (const Schedule& schedule : {everything(), streaming()}) {
    const std::string text = to_json(schedule);
    const Schedule again = parse_schedule(text, "saved.json");
    CHECK(to_json(again) == text);
    CHECK(digest(again) == digest(schedule));
    CHECK(to_string(again) == to_string(schedule));
  }
}

TEST_CASE("the digest sees each field of them") {
  using Change = std::function<void(Schedule&)>;
  const std::vector<Change> changes{
      [](Schedule& s) { s.buffers[0].layers = 1; },
      [](Schedule& s) { s.buffers[0].layer_pitch = 0; },
      [](Schedule& s) { s.grid_z = 6; },
      [](Schedule& s) { s.cluster_m = 1; },
      [](Schedule& s) { s.order = TileOrder::hilbert; },
      [](Schedule& s) { s.group = 8; },
      [](Schedule& s) { s.ctas = 0; },
      [](Schedule& s) { s.k_tiles = 9; },
      [](Schedule& s) { s.splits = 1; },
      [](Schedule& s) { s.stream_k = true; },
      [](Schedule& s) { s.restarts_k = true; },
      [](Schedule& s) { s.consecutive = false; },
      [](Schedule& s) { items_of(s).walk = Walk::none; },
      [](Schedule& s) { items_of(s).turns = 3; },
      [](Schedule& s) { items_of(s).turn = 0; },
      [](Schedule& s) { k_tiles_of(s).walk = Walk::items; },
      [](Schedule& s) { action_in<LoadGlobal>(s, 0).from.layer = 0; },
      [](Schedule& s) { action_in<LoadGlobal>(s, 0).origin_row = 0; },
      [](Schedule& s) { action_in<LoadGlobal>(s, 0).origin_column = 0; },
      [](Schedule& s) { action_in<LoadShared>(s, 1).how = SharedRead::ldmatrix; },
      [](Schedule& s) { action_in<BulkCopy>(s, 2).layer = 0; },
      [](Schedule& s) { action_in<BulkCopy>(s, 2).tile_row = 0; },
      [](Schedule& s) { action_in<BulkCopy>(s, 2).multicast = Multicast::along_n; },
      [](Schedule& s) { action_in<BulkStore>(s, 3).tile_row = 0; },
      [](Schedule& s) { action_in<BulkStore>(s, 3).row = 0; },
      [](Schedule& s) { action_in<BulkStore>(s, 3).column = 1; },
      [](Schedule& s) { action_in<BulkStore>(s, 3).layer = 0; },
      [](Schedule& s) { action_in<BulkStore>(s, 3).reduce = false; },
      [](Schedule& s) { action_in<BulkWait>(s, 4).pending = 0; },
      [](Schedule& s) { action_in<BarrierArrive>(s, 5).peer.reset(); },
      [](Schedule& s) { action_in<Multiply>(s, 6).a_transposed = false; },
      [](Schedule& s) { action_in<Multiply>(s, 6).b_transposed = false; },
      [](Schedule& s) { action_in<Multiply>(s, 6).reads.reset(); },
      [](Schedule& s) { action_in<Multiply>(s, 6).reads->instructions = 1; },
      [](Schedule& s) { action_in<WarpgroupMultiply>(s, 7).a_transposed = false; },
      [](Schedule& s) { action_in<WarpgroupMultiply>(s, 7).b_transposed = false; },
      [](Schedule& s) { action_in<WarpgroupMultiply>(s, 7).c_transposed = false; },
      [](Schedule& s) { action_in<Scale>(s, 8).bias.reset(); },
      [](Schedule& s) { action_in<Scale>(s, 8).activation = Activation::relu; },
      [](Schedule& s) { action_in<RegisterReallocate>(s, 9).registers = 72; },
  };
  const std::uint64_t before = digest(everything());
  for (std::size_t i = 0; i < changes.size(); ++i) {
    CAPTURE(i);
    Schedule schedule = everything();
    changes[i](schedule);
    CHECK(digest(schedule) != before);
  }
}

TEST_CASE("what has its default is neither in the file nor in the digest") {
  const Schedule plain = testing::cluster_schedule();
  const std::string text = to_json(plain);
  for (const char* const key : {"grid_z", "cluster_m", "group", "ctas", "k_tiles", "splits", "stream_k", "restarts_k",
                                "consecutive", "layers", "layer_pitch", "layer", "how"})
    CHECK(text.find("\"" + std::string(key) + "\"") == std::string::npos);
  CHECK(digest(plain) == 702229630726892981U);
}

TEST_CASE("enumerations are refused with the words there are") {
  nlohmann::json json = nlohmann::json::parse(to_json(streaming()));
  json["order"] = "zigzag";
  CHECK_THROWS_WITH_AS(static_cast<void>(parse_schedule(json.dump(), "saved.json")),
                       doctest::Contains("one of row, column, grouped, hilbert is expected here"), ScheduleError);
}

}  // namespace gpusim::schedule_json_walk_test
