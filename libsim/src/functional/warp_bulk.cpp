// Bulk copies and stores: boxes that move beside the warp.
#include <utility>

#include "functional/warp.h"

namespace gpusim::functional {

bool Warp::delivers(const BulkCopy& copy, int rank) const {
  if (copy.multicast == Multicast::none) return rank == rank_;
  const auto [m, n] = place_in_cluster(schedule_, rank_);
  const auto [other_m, other_n] = place_in_cluster(schedule_, rank);
  return copy.multicast == Multicast::cluster || (copy.multicast == Multicast::along_m ? other_n == n : other_m == m);
}

bool Warp::perform(const BulkCopy& copy) {
  const int element = size_of(schedule_.shared_tiles[static_cast<std::size_t>(copy.tile.index())].dtype);
  const PendingCopy pending{&copy, at_};
  for (int rank = 0; rank < schedule_.cluster; ++rank) {
    if (!delivers(copy, rank)) continue;
    CtaState& into = cluster_.ctas[static_cast<std::size_t>(rank)];
    write(pending, into, false);
    barrier(into, copy.done).add(pending, copy.planes * copy.rows * copy.columns * element);
    finish_phase(into, copy.done);
  }
  return true;
}

void Warp::write(const PendingCopy& copy, CtaState& into, bool landed) const {
  const BulkCopy& box = *copy.copy;
  const std::int64_t layer = box.layer(copy.at);
  const std::int64_t row0 = box.row(copy.at);
  const std::int64_t column0 = box.column(copy.at);
  const std::int64_t stage = box.stage(copy.at);
  const std::int64_t tile_row = box.tile_row(copy.at);
  const std::int64_t tile_column = box.tile_column(copy.at);
  for (std::int64_t row = 0; row < box.planes * box.rows; ++row) {
    const std::int64_t source = row0 + row / box.rows * box.plane_rows + row % box.rows;
    for (std::int64_t column = 0; column < box.columns; ++column) {
      const bool inside = landed && global().contains(box.buffer, layer, source, column0 + column);
      const double value = inside ? global().load(box.buffer, layer, source, column0 + column) : 0;
      into.shared.at(box.tile, stage, tile_row + row, tile_column + column) = landed ? value : SharedMemory::nothing;
    }
  }
}

bool Warp::perform(const BulkStore& store) {
  open_stores_.push_back({&store, at_, box_of(store, at_)});
  return true;
}

bool Warp::perform(const BulkCommit&) {
  store_groups_.push_back(std::exchange(open_stores_, {}));
  return true;
}

bool Warp::perform(const BulkWait& wait) {
  while (store_groups_.size() > static_cast<std::size_t>(wait.pending)) {
    for (const PendingStore& store : store_groups_.front()) finish(store);
    store_groups_.pop_front();
  }
  return true;
}

void Warp::finish_stores() {
  static_cast<void>(perform(BulkCommit{}));
  static_cast<void>(perform(BulkWait{}));
}

std::vector<double> Warp::box_of(const BulkStore& store, const Coordinates& at) const {
  const std::int64_t stage = store.stage(at);
  const std::int64_t tile_row = store.tile_row(at);
  const std::int64_t tile_column = store.tile_column(at);
  std::vector<double> box;
  box.reserve(static_cast<std::size_t>(store.rows * store.columns));
  for (std::int64_t row = 0; row < store.rows; ++row)
    for (std::int64_t column = 0; column < store.columns; ++column)
      box.push_back(cta_.shared.at(store.tile, stage, tile_row + row, tile_column + column));
  return box;
}

void Warp::finish(const PendingStore& pending) {
  const BulkStore& store = *pending.store;
  const std::int64_t layer = store.layer(pending.at);
  const std::int64_t row0 = store.row(pending.at);
  const std::int64_t column0 = store.column(pending.at);
  // The box may be read at any time until now: what has changed meanwhile is nothing to rely on.
  const std::vector<double> now = box_of(store, pending.at);
  for (std::size_t i = 0; i < now.size(); ++i) {
    const std::int64_t row = row0 + static_cast<std::int64_t>(i) / store.columns;
    const std::int64_t column = column0 + static_cast<std::int64_t>(i) % store.columns;
    if (!global().contains(store.buffer, layer, row, column)) continue;
    const double value = now[i] == pending.box[i] ? now[i] : SharedMemory::nothing;
    const double before = store.reduce ? global().load(store.buffer, layer, row, column) : 0;
    global().store(store.buffer, layer, row, column, before + value);
  }
}

}  // namespace gpusim::functional
