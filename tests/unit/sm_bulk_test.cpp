// One SM alone: what a bulk copy costs beside its bytes: dimensions of its map, rows of its box.
#include <doctest/doctest.h>

#include "support/probe_machine.h"
#include "support/probe_programs.h"
#include "support/scripted_fabric.h"

namespace gpusim::sm_bulk_test {

using namespace gpusim::testing;

namespace {

constexpr Cycles slice{77};
constexpr Cycles issue{1};
constexpr std::int64_t lines_a_request = max_burst;

Profile with_tma() {
  Profile profile = probe_machine();
  profile.tma->tensor_overhead = Cycles(50);
  profile.tma->dimension_overhead = Cycles(120);
  return profile;
}

/// Cycles from the issue of `copy` until a warp that waits for it goes on.
Cycles latency(const Profile& profile, const BulkCopy& copy) {
  Probe probe;
  probe.add(BarrierArrive{full(), Bytes(copy.planes * copy.rows * copy.columns * 4)}).add(copy);
  probe.add(BarrierWait{full(), 0});
  return ScriptedFabric(profile, probe.schedule(), always(slice)).run() - issue;
}

BulkCopy of_rank(int rank) {
  BulkCopy copy = bulk_lines(0, 1, full());
  copy.rank = rank;
  return copy;
}

BulkCopy box(std::int64_t rows, std::int64_t columns) {
  BulkCopy copy = bulk_lines(0, rows, full());
  copy.columns = columns;
  return copy;
}

/// When each request of `copies` bulk copies arrives, from the first on.
std::vector<std::int64_t> departures(const Profile& profile, const BulkCopy& copy, int copies = 1) {
  Probe probe;
  probe.add(BarrierArrive{full(), Bytes(copies * copy.rows * copy.columns * 4)});
  for (int i = 0; i < copies; ++i) probe.add(copy);
  probe.add(BarrierWait{full(), 0});
  ScriptedFabric fabric(profile, probe.schedule(), always(slice));
  fabric.run();
  std::vector<std::int64_t> cycles;
  for (const Request& request : fabric.requests)
    cycles.push_back((request.arrives - fabric.border().request).count() - 100 - issue.count());
  return cycles;
}

}  // namespace

TEST_CASE("a copy by a tensor map takes longer than a plain one, and longer for each dimension beyond the first") {
  const Profile profile = with_tma();
  const Cycles plain = latency(profile, of_rank(0));
  CHECK(latency(profile, of_rank(1)) == plain + profile.tma->tensor_overhead);
  CHECK(latency(profile, of_rank(2)) == plain + profile.tma->tensor_overhead + profile.tma->dimension_overhead);
  CHECK(latency(profile, of_rank(3)) == plain + profile.tma->tensor_overhead + profile.tma->dimension_overhead * 2);
}

TEST_CASE("the engine walks the rows of a box at its rate, however short they are") {
  Profile profile = with_tma();
  constexpr std::int64_t cycles_a_row = 2, rows = 2 * lines_a_request;
  profile.tma->rows_per_clk = Rate::one_every(cycles_a_row);
  // A request leaves when the last of its rows has been walked.
  const std::vector<std::int64_t> expected{lines_a_request * cycles_a_row - 1, 2 * lines_a_request * cycles_a_row - 1};
  CHECK(departures(profile, box(rows, 32)) == expected);
  CHECK(departures(profile, box(rows, 4)) == expected);
}

TEST_CASE("shared memory takes a bulk copy's data in at its own rate, whatever the banks' is") {
  Profile profile = with_tma();
  const BulkCopy copy = box(lines_a_request, 32);
  const Cycles at_once = latency(profile, copy);
  profile.shared.bytes_per_clk = Rate::per_cycle(1);
  CHECK(latency(profile, copy) == at_once);
  constexpr std::int64_t cycles_a_line = 40;
  profile.tma->write_bytes_per_clk = Rate::ratio(128, cycles_a_line);
  CHECK(latency(profile, copy) == at_once + Cycles(lines_a_request * cycles_a_line - 1));
}

TEST_CASE("planes of a box are rows too") {
  Profile profile = with_tma();
  profile.tma->rows_per_clk = Rate::one_every(3);
  BulkCopy copy = box(2, 32);
  copy.rank = 3;
  copy.planes = 4;
  copy.plane_rows = 100;
  Probe probe;
  probe.add(BarrierArrive{full(), Bytes(4 * 2 * 128)}).add(copy).add(BarrierWait{full(), 0});
  ScriptedFabric fabric(profile, probe.schedule(), always(slice));
  fabric.run();
  REQUIRE(fabric.requests.size() == 1);
  CHECK(fabric.requests[0].arrives == Cycle(100) + issue + Cycles(4 * 2 * 3 - 1) + fabric.border().request);
  for (std::size_t plane = 0; plane < 4; ++plane)
    CHECK(static_cast<std::uint64_t>(fabric.requests[0].lines[2 * plane].line) == 100 * plane);
}

TEST_CASE(
    "one plain copy asks for bytes at its own rate, two side by side at the engine's; one by a map for its rows") {
  Profile profile = with_tma();
  profile.tma->copy_bytes_per_clk = Rate::per_cycle(64);
  constexpr std::int64_t request = lines_a_request * 128 / 64;
  BulkCopy copy = box(2 * lines_a_request, 32);
  copy.rank = 0;
  CHECK(departures(profile, copy) == std::vector<std::int64_t>{request - 1, 2 * request - 1});
  // The second is issued a cycle later and does not wait for the first.
  CHECK(departures(profile, copy, 2) == std::vector<std::int64_t>{request - 1, request, 2 * request - 1, 2 * request});
  copy.rank = 2;
  CHECK(departures(profile, copy) == std::vector<std::int64_t>{0, 0});
}

}  // namespace gpusim::sm_bulk_test
