// One SM alone: bulk stores: when they leave, and when the shared memory they come from may be written again.
#include <doctest/doctest.h>

#include <set>

#include "support/probe_machine.h"
#include "support/probe_programs.h"
#include "support/scripted_fabric.h"

namespace gpusim::sm_bulk_store_test {

using namespace gpusim::testing;

namespace {

constexpr Cycles slice{77};
constexpr Cycles issue{1};
constexpr Cycle start(100);
constexpr std::int64_t lines_a_request = max_burst;

Profile with_tma() {
  Profile profile = probe_machine();
  profile.tma->tensor_overhead = Cycles(50);
  profile.tma->dimension_overhead = Cycles(120);
  return profile;
}

/// Of a two-dimensional box.
Cycles overhead(const Profile& profile) {
  return profile.tma->overhead + profile.tma->tensor_overhead + profile.tma->dimension_overhead;
}

BulkStore stored_lines(const Layout& row, std::int64_t rows) {
  BulkStore store;
  store.tile = TileId(0);
  store.rows = rows;
  store.columns = floats_a_line;
  store.buffer = BufferId(0);
  store.row = row;
  return store;
}

/// The stores, each a group, then a wait for all but `pending` groups and an instruction.
Schedule waited_for(const std::vector<BulkStore>& stores, int pending = 0) {
  Probe probe;
  for (const BulkStore& store : stores) probe.add(store).add(BulkCommit{});
  return probe.add(BulkWait{pending}).add(Arithmetic{}).schedule();
}

Cycle goes_on(const Profile& profile, const std::vector<BulkStore>& stores, int pending = 0) {
  ScriptedFabric fabric(profile, waited_for(stores, pending), always(slice));
  fabric.run();
  return fabric.log.issue("ALU");
}

}  // namespace

TEST_CASE("a bulk store leaves after the fixed cost of its tensor map, as writes of whole lines") {
  const Profile profile = with_tma();
  ScriptedFabric fabric(profile, waited_for({stored_lines(5, 3)}), always(slice));
  fabric.run();
  REQUIRE(fabric.requests.size() == 1);
  const Request& request = fabric.requests[0];
  CHECK(request.arrives == start + overhead(profile) + fabric.border().request);
  CHECK(request.kind == RequestKind::write);
  REQUIRE(request.count == 3);
  CHECK(static_cast<std::uint64_t>(request.lines[0].line) == 5);
  CHECK(fabric.counters().global_store_bytes == 3 * line_bytes);
  CHECK(fabric.counters().shared_load_bytes == 3 * line_bytes);
  CHECK(fabric.counters().shared_wavefronts == 3);
}

TEST_CASE("each warp stores its own box") {
  ScriptedFabric fabric(with_tma(), Probe().add(stored_lines(along(Coordinate::warp, 4), 1)).schedule(3),
                        always(slice));
  fabric.run();
  std::set<std::uint64_t> lines;
  for (const Request& request : fabric.requests) lines.insert(static_cast<std::uint64_t>(request.lines[0].line));
  CHECK(lines == std::set<std::uint64_t>{0, 4, 8});
}

TEST_CASE("a reducing store asks L2 to add") {
  BulkStore store = stored_lines(0, 1);
  store.reduce = true;
  ScriptedFabric fabric(with_tma(), waited_for({store}), always(slice));
  fabric.run();
  CHECK(fabric.requests.at(0).kind == RequestKind::atomic);
}

TEST_CASE("the wait ends when shared memory has been read, not when the store is acknowledged") {
  const Profile profile = with_tma();
  CHECK(goes_on(profile, {stored_lines(0, 4)}) == Cycle(0) + overhead(profile));
  Profile narrow = profile;
  narrow.shared.bytes_per_clk = Rate::per_cycle(line_bytes);
  CHECK(goes_on(narrow, {stored_lines(0, 4)}) == Cycle(0) + overhead(profile) + Cycles(4 - 1));
}

TEST_CASE("the engine stores bytes at its rate, and walks rows at its own") {
  Profile profile = with_tma();
  profile.tma->bytes_per_clk = Rate::per_cycle(64);
  constexpr std::int64_t request = lines_a_request * line_bytes / 64;
  CHECK(goes_on(profile, {stored_lines(0, 2 * lines_a_request)}) == Cycle(0) + overhead(profile) + Cycles(request));
  profile.tma->bytes_per_clk = Rate::unlimited();
  profile.tma->rows_per_clk = Rate::one_every(3);
  constexpr std::int64_t rows = 2 * lines_a_request;
  CHECK(goes_on(profile, {stored_lines(0, rows)}) == Cycle(0) + overhead(profile) + Cycles(3 * rows - 1));
}

TEST_CASE("shared memory is read no sooner than the output port takes the data") {
  Profile profile = with_tma();
  profile.crossbar.sm_write_bytes_per_clk = Rate::per_cycle(32);
  profile.crossbar.request_bytes = Bytes(0);
  constexpr std::int64_t request = lines_a_request * line_bytes / 32;
  CHECK(goes_on(profile, {stored_lines(0, 2 * lines_a_request)}) == Cycle(0) + overhead(profile) + Cycles(request));
}

TEST_CASE("a wait leaves out the most recent groups") {
  Profile profile = with_tma();
  profile.tma->copies_per_clk = Rate::one_every(1000);
  const std::vector<BulkStore> stores{stored_lines(0, 1), stored_lines(1, 1)};
  CHECK(goes_on(profile, stores, 1) == Cycle(0) + overhead(profile));
  CHECK(goes_on(profile, stores, 0) == Cycle(0) + Cycles(1000) + overhead(profile));
}

TEST_CASE("a box outside the buffer stores nothing, and is waited for all the same") {
  const Profile profile = with_tma();
  ScriptedFabric fabric(profile, waited_for({stored_lines(70000, 2)}), always(slice));
  fabric.run();
  CHECK(fabric.requests.empty());
  CHECK(fabric.counters().global_store_bytes == 0);
  CHECK(fabric.log.issue("ALU") == Cycle(0) + overhead(profile));
}

TEST_CASE("a CTA stays until its bulk stores have been read, and no longer") {
  const Profile profile = with_tma();
  Probe probe;
  probe.add(stored_lines(0, 1)).add(BulkCommit{});
  CHECK(ScriptedFabric(profile, probe.schedule(), always(slice)).run() == overhead(profile));
}

TEST_CASE("a store holds its place at the engine until it is acknowledged") {
  Profile profile = with_tma();
  profile.tma->queue = 1;
  ScriptedFabric fabric(profile, waited_for({stored_lines(0, 1), stored_lines(1, 1)}), always(slice));
  fabric.run();
  const Cycle acknowledged = Cycle(0) + overhead(profile) + fabric.border().request + slice + fabric.border().reply;
  CHECK(fabric.log.issue("UTMASTG", 0) == Cycle(0));
  CHECK(fabric.log.issue("UTMASTG", 1) == acknowledged);
}

TEST_CASE("no more lines than the engine has places for are on their way: what is behind them is not read yet") {
  Profile profile = with_tma();
  profile.tma->stored_lines = lines_a_request;
  ScriptedFabric fabric(profile, waited_for({stored_lines(0, 3 * lines_a_request)}), always(slice));
  fabric.run();
  const Cycles round_trip = fabric.border().request + slice + fabric.border().reply;
  REQUIRE(fabric.requests.size() == 3);
  for (int i = 0; i < 3; ++i)
    CHECK(fabric.requests[static_cast<std::size_t>(i)].arrives ==
          start + overhead(profile) + round_trip * i + fabric.border().request);
  CHECK(fabric.log.issue("ALU") == Cycle(0) + overhead(profile) + round_trip * 2);
  CHECK(fabric.sm().bulk().stored_lines().peak() == lines_a_request);
  CHECK(fabric.sm().bulk().stored_lines().in_use() == 0);
  CHECK(fabric.sm().border().miss_registers().peak() == 0);
}

TEST_CASE("a small store does not pass a larger one that waits for its lines") {
  Profile profile = with_tma();
  profile.tma->stored_lines = lines_a_request;
  const std::vector<BulkStore> stores{stored_lines(0, 2), stored_lines(100, lines_a_request), stored_lines(200, 1)};
  ScriptedFabric fabric(profile, waited_for(stores), always(slice));
  fabric.run();
  REQUIRE(fabric.requests.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) CHECK(static_cast<std::uint64_t>(fabric.requests[i].lines[0].line) == 100 * i);
}

}  // namespace gpusim::sm_bulk_store_test
