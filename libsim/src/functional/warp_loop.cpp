// Loops: so many trips, or over a CTA's work items and their k tiles.
#include <algorithm>

#include "functional/warp.h"

namespace gpusim::functional {
namespace {

std::int64_t& coordinate(Coordinates& at, Coordinate which) { return at[static_cast<std::size_t>(which)]; }
std::int64_t& index_of(Coordinates& at, const Instruction& loop) {
  return at[static_cast<std::size_t>(Coordinate::loop0) + loop.depth];
}

}  // namespace

void Warp::take_item(std::int64_t index, std::int64_t turns) {
  if (index < turns) tiles_before_ = 0;
  // Those of others' turns count, too.
  for (std::int64_t before = std::max<std::int64_t>(0, index - turns); before < index && !schedule_.restarts_k;
       ++before)
    tiles_before_ += work_item(schedule_, cta(), before).k_tiles;
  item_ = work_item(schedule_, cta(), index);
  coordinate(at_, Coordinate::block_m) = item_.block_m;
  coordinate(at_, Coordinate::block_n) = item_.block_n;
  coordinate(at_, Coordinate::block_z) = item_.block_z;
  coordinate(at_, Coordinate::k_begin) = item_.k_first - tiles_before_;
  coordinate(at_, Coordinate::partial) = item_.partial ? 1 : 0;
  coordinate(at_, Coordinate::k_count) = item_.k_tiles;
}

void Warp::begin_loop() {
  const Instruction& loop = instruction();
  std::int64_t first = 0;
  std::int64_t end = loop.trips;
  if (loop.walk == Walk::items) {
    first = loop.turn;
    end = work_items(schedule_, cta());
    tiles_before_ = 0;
    if (first < end) take_item(first, loop.turns);
  } else if (loop.walk == Walk::k_tiles) {
    first = tiles_before_;
    end = first + item_.k_tiles;
  }
  if (first >= end) {
    next_ = loop.jump;
    return;
  }
  index_of(at_, loop) = first;
  loop_ends_[loop.depth] = end;
  ++next_;
}

void Warp::end_trip() {
  const Instruction& loop = instruction();
  std::int64_t& index = index_of(at_, loop);
  index += loop.turns;
  if (index >= loop_ends_[loop.depth]) {
    index = 0;
    ++next_;
    return;
  }
  if (loop.walk == Walk::items) take_item(index, loop.turns);
  next_ = loop.jump;
}

}  // namespace gpusim::functional
