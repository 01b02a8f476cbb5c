#include "estimate/cursor.h"

namespace gpusim::estimate {

namespace {

/// Index of the coordinate that counts the trips of a loop nested `depth` deep.
std::size_t loop_coordinate(std::size_t depth) { return static_cast<std::size_t>(Coordinate::loop0) + depth; }

}  // namespace

Cursor::Cursor(const Program& program, int warp) {
  at_[static_cast<std::size_t>(Coordinate::warp)] = warp;
  frames_.push_back({&program.body});
}

void Cursor::enter(const Loop& loop) {
  if (loop.trips <= 0) return;
  at_.at(loop_coordinate(frames_.size() - 1)) = 0;
  frames_.push_back({&loop.body, 0, 0, loop.trips});
}

void Cursor::leave_or_repeat() {
  Frame& frame = frames_.back();
  frame.next = 0;
  ++frame.trip;
  const bool again = frame.trip < frame.trips;
  if (frames_.size() > 1) at_[loop_coordinate(frames_.size() - 2)] = again ? frame.trip : 0;
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
