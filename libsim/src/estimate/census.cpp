#include "estimate/census.h"

#include <algorithm>

#include "estimate/trip_share.h"

namespace gpusim::estimate {
namespace {

std::size_t index_of(Coordinate coordinate) { return static_cast<std::size_t>(coordinate); }

bool has_walk(const std::vector<Statement>& body, Walk walk) {
  return std::any_of(body.begin(), body.end(), [walk](const Statement& statement) {
    const auto* loop = std::get_if<Loop>(&statement);
    return loop != nullptr && (loop->walk == walk || has_walk(loop->body, walk));
  });
}

bool has_walk(const Schedule& schedule, Walk walk) {
  return std::any_of(schedule.roles.begin(), schedule.roles.end(),
                     [walk](const Role& role) { return has_walk(role.program.body, walk); });
}

}  // namespace

struct Census::Place {
  Spans over;
  std::size_t depth = 0;
  Part part = Part::once;
  double times = 1;
};

Census::Census(const Schedule& schedule)
    : schedule_(schedule), step_loops_(schedule), item_(work_item(schedule, followed, 0)) {
  const std::int64_t items = has_walk(schedule, Walk::items) ? work_items(schedule, followed) : 1;
  items_ = static_cast<double>(items);
  if (has_walk(schedule, Walk::k_tiles)) {
    for (std::int64_t i = 0; i < items; ++i) steps_ += static_cast<double>(work_item(schedule, followed, i).k_tiles);
  } else {
    steps_ = items_ * static_cast<double>(step_loops_.trips());
  }
  steps_per_item_ = items == 0 ? 0 : steps_ / items_;
}

void Census::for_each(const std::function<void(const Occurrence&)>& visit) const {
  Place place;
  place.over[index_of(Coordinate::block_m)].first = item_.block_m;
  place.over[index_of(Coordinate::block_n)].first = item_.block_n;
  place.over[index_of(Coordinate::block_z)].first = item_.block_z;
  place.over[index_of(Coordinate::k_begin)].first = item_.k_first;
  place.over[index_of(Coordinate::partial)].first = item_.partial ? 1 : 0;
  place.over[index_of(Coordinate::k_count)].first = item_.k_tiles;
  place.over[index_of(Coordinate::lane)].count = 32;
  Span& warps = place.over[index_of(Coordinate::warp)];
  for (const Role& role : schedule_.roles) {
    warps.count = role.warps;
    visit_body(role.program.body, place, visit);
    warps.first += role.warps;
  }
}

Census::Place Census::inside(const Loop& loop, const Place& place) const {
  Place within = place;
  Span& span = within.over.at(index_of(Coordinate::loop0) + within.depth++);
  if (loop.walk == Walk::items) {
    within.part = Part::item;
    within.times /= static_cast<double>(loop.turns);  // the other items are other roles'
    return within;
  }
  span.count = loop.walk == Walk::k_tiles ? item_.k_tiles : loop.trips;
  const auto trips = static_cast<double>(span.count);
  if (place.part != Part::step && step_loops_.contains(loop)) {
    within.part = Part::step;
    // A walk's trips differ from item to item, and all together make `steps()`.
    if (loop.walk != Walk::k_tiles) within.times *= trips / steps_per_item_;
  } else {
    within.times *= trips;
  }
  return within;
}

void Census::visit_body(const std::vector<Statement>& body, const Place& place,
                        const std::function<void(const Occurrence&)>& visit) const {
  for (const Statement& statement : body) {
    if (const auto* loop = std::get_if<Loop>(&statement)) {
      const Place within = inside(*loop, place);
      if (within.times > 0) visit_body(loop->body, within, visit);
    } else {
      visit_operation(std::get<Operation>(statement), place, visit);
    }
  }
}

void Census::visit_operation(const Operation& operation, const Place& place,
                             const std::function<void(const Occurrence&)>& visit) const {
  Occurrence occurrence{operation, {}, place.over, place.part, 0};
  for (std::size_t i = 0; i < coordinate_count; ++i) occurrence.at[i] = place.over[i].first;
  occurrence.over[index_of(Coordinate::repeat)].count = operation.count;
  const Span& warps = place.over[index_of(Coordinate::warp)];
  if (!operation.guard) {
    occurrence.warps = place.times * static_cast<double>(warps.count);
    return visit(occurrence);
  }
  // The guard holds for some warps in some trips.
  occurrence.warps = 0;
  for (std::int64_t warp = warps.first; warp < warps.first + warps.count; ++warp) {
    Coordinates at = occurrence.at;
    at[index_of(Coordinate::warp)] = warp;
    const double share = share_held(*operation.guard, place, at);
    if (share > 0 && occurrence.warps == 0) occurrence.at[index_of(Coordinate::warp)] = warp;
    occurrence.warps += place.times * share;
  }
  if (occurrence.warps > 0) visit(occurrence);
}

double Census::share_held(const Bound& guard, const Place& place, Coordinates at) {
  std::vector<std::size_t> repeating;  // loops of several trips that it asks for
  for (std::size_t loop = index_of(Coordinate::loop0); loop < index_of(Coordinate::loop0) + place.depth; ++loop)
    if (place.over[loop].count > 1 && guard.value.depends_on(static_cast<Coordinate>(loop))) repeating.push_back(loop);
  const auto holds = [&] { return guard.value(at) < guard.limit; };
  if (repeating.empty()) return holds() ? 1 : 0;
  if (repeating.size() == 1) {
    const Span& trips = place.over[repeating.front()];
    return share_of_trips(trips.count, [&](std::int64_t trip) {
      at[repeating.front()] = trips.first + trip;
      return holds();
    });
  }
  std::int64_t holding = 0;
  for (std::int64_t sample = 0; sample < trip_samples; ++sample) {
    for (const std::size_t loop : repeating)
      at[loop] = place.over[loop].first + sampled_trip(place.over[loop].count, sample);
    holding += holds() ? 1 : 0;
  }
  return static_cast<double>(holding) / static_cast<double>(trip_samples);
}

}  // namespace gpusim::estimate
