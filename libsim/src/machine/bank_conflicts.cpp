#include <algorithm>
#include <string>

#include "gpusim/banks.h"
#include "machine/lower_access.h"
#include "sizes.h"
#include "sm/banks.h"

namespace gpusim {
namespace {

constexpr std::int64_t wavefront_bytes = bank_count * word_bytes;

/// A lane and where it begins.
struct Place {
  int lane = 0;
  std::int32_t row = 0;
  std::int32_t column = 0;
};

void check_place(const SharedTile& tile, const SharedAccess& access, const Place& place, std::vector<Problem>& found) {
  const std::string who = "lane " + std::to_string(place.lane);
  if (place.row < 0 || place.row >= tile.rows || place.column < 0 || place.column + access.vector > tile.columns)
    found.push_back({"access", who + " reaches [" + std::to_string(place.row) + ", " +
                                   std::to_string(place.column + access.vector - 1) + "], beyond the tile's " +
                                   std::to_string(tile.rows) + "x" + std::to_string(tile.columns)});
  else if (place.column % access.vector != 0)
    found.push_back({"access", who + " begins at column " + std::to_string(place.column) +
                                   ", which is no multiple of its " + std::to_string(access.vector) + " elements"});
}

/// The lanes that take part; refuses what the tile does not have.
std::vector<Place> places_of(const SharedTile& tile, const SharedAccess& access) {
  std::vector<Place> places;
  std::vector<Problem> problems;
  for (int lane = 0; lane < lanes_per_warp; ++lane) {
    Coordinates at{};
    at[static_cast<std::size_t>(Coordinate::lane)] = lane;
    if (access.lanes && access.lanes->value(at) >= access.lanes->limit) continue;
    const Place place{lane, static_cast<std::int32_t>(access.row(at)), static_cast<std::int32_t>(access.column(at))};
    if (problems.empty()) check_place(tile, access, place, problems);
    places.push_back(place);
  }
  if (!problems.empty()) throw ScheduleError(std::move(problems));
  return places;
}

/// What the engine charges for these lanes alone.
sm::BankCost cost_of(sm::SharedPlan plan, const std::vector<Place>& places) {
  sm::LanePlaces lanes;
  for (const Place& place : places) {
    lanes.rows.push_back(place.row);
    lanes.columns.push_back(place.column);
  }
  plan.row = sm::Base();
  plan.column = sm::Base();
  plan.places = {{std::move(lanes)}};
  return places.empty() ? sm::BankCost{} : sm::bank_cost(plan, 0, {}).all;
}

}  // namespace

double conflict_degree(const BankConflicts& conflicts) {
  return conflicts.least == 0 ? 1 : static_cast<double>(conflicts.wavefronts) / static_cast<double>(conflicts.least);
}

BankConflicts bank_conflicts(const SharedTile& tile, const SharedAccess& access, SharedRead how) {
  const std::int64_t width = access.vector * static_cast<std::int64_t>(size_of(tile.dtype));
  if (access.vector < 1 || width < 1 || width > 16 || (width & (width - 1)) != 0)
    throw ScheduleError(
        {Problem{"access", "a lane moves 1, 2, 4, 8 or 16 bytes at a time, not " + std::to_string(width)}});
  const std::vector<Place> places = places_of(tile, access);
  SharedAccess of_tile = access;
  of_tile.tile = TileId(0);
  Schedule schedule;
  schedule.shared_tiles = {tile};
  sm::SharedPlan plan = machine::lower_shared(of_tile, 1, {0, 1}, schedule);
  plan.together = sm::lanes_together(how);

  BankConflicts conflicts;
  const sm::BankCost whole = cost_of(plan, places);
  conflicts.wavefronts = whole.wavefronts;
  conflicts.least = whole.ideal;
  conflicts.bytes = whole.bytes;
  const int together = static_cast<int>(std::min<std::int64_t>(lanes_per_warp, wavefront_bytes / width));
  for (int first = 0; first < lanes_per_warp; first += together) {
    std::vector<Place> phase;
    for (const Place& place : places)
      if (place.lane >= first && place.lane < first + together) phase.push_back(place);
    if (phase.empty()) continue;
    const sm::BankCost cost = cost_of(plan, phase);
    conflicts.phases.push_back({first, static_cast<int>(phase.size()), cost.wavefronts, cost.ideal});
  }
  for (const Place& place : places) {
    const std::int64_t offset = offset_of(tile, place.row, place.column).count();
    const std::int64_t first = offset / word_bytes;
    const std::int64_t last = (offset + width - 1) / word_bytes;
    conflicts.lanes.push_back(
        {place.lane, offset, static_cast<int>(first % bank_count), static_cast<int>(last - first + 1)});
  }
  return conflicts;
}

}  // namespace gpusim
