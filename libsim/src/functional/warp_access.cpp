// What loads, stores, atomics and copies do to memory.
#include <utility>

#include "functional/warp.h"

namespace gpusim::functional {

Coordinates Warp::within_tile() const {
  Coordinates at = at_;
  at[static_cast<std::size_t>(Coordinate::block_m)] = 0;
  at[static_cast<std::size_t>(Coordinate::block_n)] = 0;
  return at;
}

bool Warp::perform(const LoadGlobal& load) {
  const Instruction& now = instruction();
  const auto vector = static_cast<std::size_t>(now.global.vector());
  const Base base = now.global.base(at_);
  Fragment& into = fragment(load.into);
  into.vector = now.global.vector();
  into.lane_values.assign(now.global.places().size() * vector, 0);
  for (const Place& place : now.global.places()) {
    const std::int64_t row = base.row + place.row;
    const std::int64_t column = base.column + place.column;
    if (!now.global.active(base, place.bound) || !cta_.global.contains(load.from.buffer, row, column)) continue;
    for (std::size_t element = 0; element < vector; ++element)
      into.lane_values[place.lane_slot * vector + element] =
          cta_.global.load(load.from.buffer, row, column + static_cast<std::int64_t>(element));
  }
  into.elements = Elements(now.cells, now.global.base(within_tile()));
  for (const Cells::Cell& cell : now.cells.cells)
    into.elements.set(cell.at_row, cell.at_column, into.lane_values[cell.value]);
  return true;
}

bool Warp::perform(const StoreGlobal& store) {
  const Instruction& now = instruction();
  const Base base = now.global.base(at_);
  const Base local = now.global.base(within_tile());
  const Elements& from = fragment(store.from).elements;
  for (const Place& place : now.global.places()) {
    const std::int64_t row = base.row + place.row;
    const std::int64_t column = base.column + place.column;
    if (!now.global.active(base, place.bound) || !cta_.global.contains(store.to.buffer, row, column)) continue;
    for (std::int64_t element = 0; element < now.global.vector(); ++element)
      cta_.global.store(store.to.buffer, row, column + element,
                        from.at(local.row + place.row, local.column + place.column + element));
  }
  return true;
}

bool Warp::perform(const AtomicAdd& atomic) {
  const Instruction& now = instruction();
  const auto vector = static_cast<std::size_t>(now.global.vector());
  const Base base = now.global.base(at_);
  const Base local = now.global.base(within_tile());
  const Elements& from = fragment(atomic.from).elements;
  std::vector<double> old(now.global.places().size() * vector, 0);
  for (const Place& place : now.global.places()) {
    const std::int64_t row = base.row + place.row;
    const std::int64_t column = base.column + place.column;
    if (!now.global.active(base, place.bound) || !cta_.global.contains(atomic.to.buffer, row, column)) continue;
    for (std::size_t element = 0; element < vector; ++element) {
      const auto beyond = static_cast<std::int64_t>(element);
      double& before = old[place.lane_slot * vector + element];
      before = cta_.global.load(atomic.to.buffer, row, column + beyond);
      cta_.global.store(atomic.to.buffer, row, column + beyond,
                        before + from.at(local.row + place.row, local.column + place.column + beyond));
    }
  }
  if (!atomic.into) return true;
  Fragment& into = fragment(*atomic.into);
  into.vector = now.global.vector();
  into.elements = Elements(now.cells, local);
  for (const Cells::Cell& cell : now.cells.cells) into.elements.set(cell.at_row, cell.at_column, old[cell.value]);
  into.lane_values = std::move(old);
  return true;
}

SharedMemory& Warp::shared(const SharedAccess& access) {
  if (!access.peer) return cta_.shared;
  return cluster_.ctas[static_cast<std::size_t>((*access.peer)(at_) % schedule_.cluster)].shared;
}

Elements Warp::read(const SharedAccess& access, const AccessTable& table, const Cells& cells, const Coordinates& at) {
  const Base base = table.base(at);
  const std::int64_t stage = access.stage(at);
  SharedMemory& memory = shared(access);
  Elements elements(cells, base);
  for (const Cells::Cell& cell : cells.cells)
    if (table.active(base, cell.bound))
      elements.set(cell.at_row, cell.at_column,
                   memory.at(access.tile, stage, base.row + cell.row, base.column + cell.column));
  return elements;
}

bool Warp::perform(const LoadShared& load) {
  Fragment& into = fragment(load.into);
  into.lane_values.clear();
  into.elements = read(load.from, instruction().shared, instruction().cells, at_);
  return true;
}

bool Warp::perform(const StoreShared& store) {
  const Instruction& now = instruction();
  const Base base = now.shared.base(at_);
  const std::int64_t stage = store.to.stage(at_);
  const Fragment& from = fragment(store.from);
  SharedMemory& memory = shared(store.to);
  for (const Place& place : now.shared.places()) {
    if (!now.shared.active(base, place.bound)) continue;
    for (int element = 0; element < now.shared.vector(); ++element) {
      const std::size_t value =
          place.lane_slot * static_cast<std::size_t>(from.vector) + static_cast<std::size_t>(element);
      const bool loaded = element < from.vector && value < from.lane_values.size();
      memory.at(store.to.tile, stage, base.row + place.row, base.column + place.column + element) =
          loaded ? from.lane_values[value] : SharedMemory::nothing;
    }
  }
  return true;
}

}  // namespace gpusim::functional
