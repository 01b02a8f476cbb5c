#include "estimate/cursor.h"

#include <algorithm>

namespace gpusim::estimate {

namespace {

/// Index of the coordinate that counts the trips of a loop nested `depth` deep.
std::size_t loop_coordinate(std::size_t depth) { return static_cast<std::size_t>(Coordinate::loop0) + depth; }

}  // namespace

Cursor::Cursor(const Schedule& schedule, const Program& program, int warp, const Extent& extent)
    : schedule_(&schedule), extent_(extent) {
  at_[static_cast<std::size_t>(Coordinate::warp)] = warp;
  take_item(0);
  frames_.push_back({&program.body});
}

void Cursor::take_item(std::int64_t index, std::int64_t turns) {
  const auto item_at = [&](std::int64_t number) {
    WorkItem item = work_item(*schedule_, followed, number);
    item.k_tiles = std::min(item.k_tiles, extent_.k_tiles);
    return item;
  };
  if (index < turns) k_tiles_before_ = 0;
  for (std::int64_t before = std::max<std::int64_t>(0, index - turns); before < index && !schedule_->restarts_k;
       ++before)
    k_tiles_before_ += item_at(before).k_tiles;
  item_ = item_at(index);
  at_[static_cast<std::size_t>(Coordinate::block_m)] = item_.block_m;
  at_[static_cast<std::size_t>(Coordinate::block_n)] = item_.block_n;
  at_[static_cast<std::size_t>(Coordinate::block_z)] = item_.block_z;
  at_[static_cast<std::size_t>(Coordinate::k_begin)] = item_.k_first - k_tiles_before_;
  at_[static_cast<std::size_t>(Coordinate::partial)] = item_.partial ? 1 : 0;
  at_[static_cast<std::size_t>(Coordinate::k_count)] = item_.k_tiles;
}

std::int64_t Cursor::trips_of(const Loop& loop) const {
  if (loop.walk == Walk::items) {
    const std::int64_t items = std::min(work_items(*schedule_, followed), extent_.items);
    return (items - loop.turn + loop.turns - 1) / loop.turns;
  }
  return loop.walk == Walk::k_tiles ? item_.k_tiles : loop.trips;
}

void Cursor::enter(const Loop& loop) {
  const bool steps = !frames_.back().within_steps && extent_.steps.contains(loop);
  const std::int64_t trips = steps ? std::min(trips_of(loop), extent_.k_tiles) : trips_of(loop);
  if (trips <= 0) return;
  if (loop.walk == Walk::items) take_item(loop.turn, loop.turns);
  const std::int64_t first = loop.walk == Walk::k_tiles ? k_tiles_before_ : loop.turn;
  at_.at(loop_coordinate(frames_.size() - 1)) = first;
  const bool within_steps = steps || frames_.back().within_steps;
  frames_.push_back({&loop.body, loop.walk, trips, first, loop.turns, 0, 0, within_steps});
}

void Cursor::leave_or_repeat() {
  Frame& frame = frames_.back();
  frame.next = 0;
  ++frame.trip;
  const bool again = frame.trip < frame.trips;
  if (frames_.size() > 1)
    at_[loop_coordinate(frames_.size() - 2)] = again ? frame.first_index + frame.trip * frame.turns : 0;
  if (again && frame.walk == Walk::items) take_item(frame.first_index + frame.trip * frame.turns, frame.turns);
  if (!again) frames_.pop_back();
}

const Operation* Cursor::next() {
  while (!frames_.empty()) {
    Frame& frame = frames_.back();
    if (frame.next == frame.body->size()) {
      leave_or_repeat();
      continue;
    }
    const Statement& statement = (*frame.body)[frame.next++];
    if (const auto* loop = std::get_if<Loop>(&statement)) {
      enter(*loop);
      continue;
    }
    const auto& operation = std::get<Operation>(statement);
    const bool holds = !operation.guard || operation.guard->value(at_) < operation.guard->limit;
    if (holds && operation.count > 0) return &operation;
  }
  return nullptr;
}

}  // namespace gpusim::estimate
