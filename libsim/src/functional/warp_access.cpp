// What loads, stores, atomics and copies do to memory.
#include <utility>

#include "functional/warp.h"

namespace gpusim::functional {

Coordinates Warp::within_tile() const {
  Coordinates at = at_;
  for (const Coordinate of_item : {Coordinate::block_m, Coordinate::block_n, Coordinate::block_z, Coordinate::k_begin,
                                   Coordinate::partial, Coordinate::k_count})
    at[static_cast<std::size_t>(of_item)] = 0;
  return at;
}

bool Warp::perform(const LoadGlobal& load) {
  const Instruction& now = instruction();
  const auto vector = static_cast<std::size_t>(now.global.vector());
  const Base base = now.global.base(at_);
  Fragment& into = fragment(load.into);
  into.vector = now.global.vector();
  into.from_shared = false;
  into.lane_values.assign(now.global.places().size() * vector, 0);
  for (const Place& place : now.global.places()) {
    const std::int64_t row = base.row + place.row;
    const std::int64_t column = base.column + place.column;
    if (!now.global.active(base, place.bound) || !global().contains(load.from.buffer, base.layer, row, column))
      continue;
    for (std::size_t element = 0; element < vector; ++element)
      into.lane_values[place.lane_slot * vector + element] =
          global().load(load.from.buffer, base.layer, row, column + static_cast<std::int64_t>(element));
  }
  into.elements = Elements(now.cells, now.fragment.base(within_tile()));
  for (const Cells::Cell& cell : now.cells.cells)
    into.elements.set(cell.at_row, cell.at_column, into.lane_values[cell.value]);
  return true;
}

bool Warp::perform(const StoreGlobal& store) {
  const Instruction& now = instruction();
  const Base base = now.global.base(at_);
  const Base local = now.fragment.base(within_tile());
  const Fragment& from = fragment(store.from);
  for (const Place& place : now.global.places()) {
    const std::int64_t row = base.row + place.row;
    const std::int64_t column = base.column + place.column;
    if (!now.global.active(base, place.bound) || !global().contains(store.to.buffer, base.layer, row, column)) continue;
    for (int element = 0; element < now.global.vector(); ++element)
      global().store(store.to.buffer, base.layer, row, column + element,
                     store.by_lane ? from.lane_value(place.lane_slot, now.global.vector(), element)
                                   : from.elements.at(local.row + place.row, local.column + place.column + element));
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
    if (!now.global.active(base, place.bound) || !global().contains(atomic.to.buffer, base.layer, row, column))
      continue;
    for (std::size_t element = 0; element < vector; ++element) {
      const auto beyond = static_cast<std::int64_t>(element);
      double& before = old[place.lane_slot * vector + element];
      before = global().load(atomic.to.buffer, base.layer, row, column + beyond);
      global().store(atomic.to.buffer, base.layer, row, column + beyond,
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

Elements Warp::read(const SharedAccess& access, const AccessTable& table, const Cells& cells, const Coordinates& at,
                    bool transposed) {
  const Base base = table.base(at);
  const std::int64_t stage = access.stage(at);
  SharedMemory& memory = peer(access.peer).shared;
  Elements elements(cells, base);
  for (const Cells::Cell& cell : cells.cells) {
    if (!table.active(base, cell.bound)) continue;
    const std::int64_t row = base.row + cell.row;
    const std::int64_t column = base.column + cell.column;
    elements.set(cell.at_row, cell.at_column,
                 memory.at(access.tile, stage, transposed ? column : row, transposed ? row : column));
  }
  return elements;
}

bool Warp::perform(const LoadShared& load) {
  const Instruction& now = instruction();
  Fragment& into = fragment(load.into);
  into.elements = read(load.from, now.shared, now.cells, at_);
  into.lane_values.clear();
  if (load.how != SharedRead::lds || !code_.stores_by_lane) return true;
  const Base base = now.shared.base(at_);
  const auto vector = static_cast<std::size_t>(now.shared.vector());
  into.vector = now.shared.vector();
  into.from_shared = true;
  into.lane_values.assign(now.shared.places().size() * vector, SharedMemory::nothing);
  for (const Place& place : now.shared.places()) {
    if (!now.shared.active(base, place.bound)) continue;
    for (std::size_t element = 0; element < vector; ++element)
      into.lane_values[place.lane_slot * vector + element] =
          into.elements.at(base.row + place.row, base.column + place.column + static_cast<std::int64_t>(element));
  }
  return true;
}

bool Warp::perform(const StoreShared& store) {
  const Instruction& now = instruction();
  const Base base = now.shared.base(at_);
  const std::int64_t stage = store.to.stage(at_);
  const std::int64_t origin_row = store.origin_row(at_);
  const std::int64_t origin_column = store.origin_column(at_);
  const Fragment& from = fragment(store.from);
  const bool by_lane = !from.lane_values.empty() && !from.from_shared && !store.packs;
  const auto element_of = [&](std::int64_t row, std::int64_t column) {
    constexpr std::int64_t word = products_of_a_dot;
    return store.packs ? from.elements.at(word * row + column % word, column / word) : from.elements.at(row, column);
  };
  SharedMemory& memory = peer(store.to.peer).shared;
  for (const Place& place : now.shared.places()) {
    if (!now.shared.active(base, place.bound)) continue;
    const std::int64_t row = base.row + place.row;
    for (int element = 0; element < now.shared.vector(); ++element) {
      const std::int64_t column = base.column + place.column + element;
      memory.at(store.to.tile, stage, row, column) =
          by_lane ? from.lane_value(place.lane_slot, now.shared.vector(), element)
                  : element_of(row - origin_row, column - origin_column);
    }
  }
  return true;
}

double Warp::Fragment::lane_value(std::size_t lane_slot, int stored_vector, int element) const {
  constexpr std::size_t lanes = 32;
  const auto width = static_cast<std::size_t>(vector);
  // Of all values of the lane, in the order it loaded them and stores them.
  const std::size_t number =
      lane_slot / lanes * static_cast<std::size_t>(stored_vector) + static_cast<std::size_t>(element);
  const std::size_t value = (number / width * lanes + lane_slot % lanes) * width + number % width;
  return value < lane_values.size() ? lane_values[value] : SharedMemory::nothing;
}

}  // namespace gpusim::functional
