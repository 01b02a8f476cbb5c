#include "functional/warp.h"

#include <utility>

namespace gpusim::functional {
namespace {

std::int64_t& coordinate(Coordinates& at, Coordinate which) { return at[static_cast<std::size_t>(which)]; }
std::size_t loop_coordinate(std::size_t depth) { return static_cast<std::size_t>(Coordinate::loop0) + depth; }

}  // namespace

Warp::Warp(const Kernel& kernel, CtaState& cta, int warp, std::pair<std::int64_t, std::int64_t> block)
    : schedule_(*kernel.schedule),
      code_(kernel.roles[kernel.role_of_warp[static_cast<std::size_t>(warp)]]),
      cta_(cta),
      warp_(warp),
      fragments_(code_.tokens) {
  coordinate(at_, Coordinate::warp) = warp;
  coordinate(at_, Coordinate::block_m) = block.first;
  coordinate(at_, Coordinate::block_n) = block.second;
}

bool Warp::run() {
  bool moved = false;
  while (!ended() && step()) moved = true;
  return moved;
}

bool Warp::step() {
  const Instruction& now = instruction();
  switch (now.kind) {
    case Instruction::Kind::operation: {
      const std::optional<Bound>& guard = now.operation->guard;
      const bool skipped = guard && guard->value(at_) >= guard->limit;
      if (!skipped && !std::visit([this](const auto& action) { return perform(action); }, now.operation->action))
        return false;
      ++next_;
      return true;
    }
    case Instruction::Kind::loop_begin:
      at_[loop_coordinate(now.depth)] = 0;
      next_ = now.trips > 0 ? next_ + 1 : now.jump;
      return true;
    case Instruction::Kind::loop_end: {
      std::int64_t& trip = at_[loop_coordinate(now.depth)];
      ++trip;
      next_ = trip < now.trips ? now.jump : next_ + 1;
      if (trip == now.trips) trip = 0;
      return true;
    }
    case Instruction::Kind::exit:
      break;
  }
  return false;
}

Coordinates Warp::within_tile() const {
  Coordinates at = at_;
  coordinate(at, Coordinate::block_m) = 0;
  coordinate(at, Coordinate::block_n) = 0;
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

bool Warp::perform(const LoadShared& load) {
  const Instruction& now = instruction();
  const Base base = now.shared.base(at_);
  const std::int64_t stage = load.from.stage(at_);
  Fragment& into = fragment(load.into);
  into.lane_values.clear();
  into.elements = Elements(now.cells, base);
  for (const Cells::Cell& cell : now.cells.cells)
    if (now.shared.active(base, cell.bound))
      into.elements.set(cell.at_row, cell.at_column,
                        cta_.shared.at(load.from.tile, stage, base.row + cell.row, base.column + cell.column));
  return true;
}

bool Warp::perform(const StoreShared& store) {
  const Instruction& now = instruction();
  const Base base = now.shared.base(at_);
  const std::int64_t stage = store.to.stage(at_);
  const Fragment& from = fragment(store.from);
  for (const Place& place : now.shared.places()) {
    if (!now.shared.active(base, place.bound)) continue;
    for (int element = 0; element < now.shared.vector(); ++element) {
      const std::size_t value =
          place.lane_slot * static_cast<std::size_t>(from.vector) + static_cast<std::size_t>(element);
      const bool loaded = element < from.vector && value < from.lane_values.size();
      cta_.shared.at(store.to.tile, stage, base.row + place.row, base.column + place.column + element) =
          loaded ? from.lane_values[value] : SharedMemory::nothing;
    }
  }
  return true;
}

bool Warp::perform(const CopyAsync&) {
  open_copies_.push_back({&instruction(), at_});
  write(open_copies_.back(), false);
  return true;
}

bool Warp::perform(const CommitGroup&) {
  groups_.push_back(std::exchange(open_copies_, {}));
  return true;
}

bool Warp::perform(const WaitGroup& wait) {
  while (groups_.size() > static_cast<std::size_t>(wait.pending)) {
    for (const Copy& copy : groups_.front()) write(copy, true);
    groups_.pop_front();
  }
  return true;
}

bool Warp::perform(const BulkCopy& copy) {
  Mbarrier& done = barrier(copy.done);
  const int element = size_of(schedule_.shared_tiles[static_cast<std::size_t>(copy.tile.index())].dtype);
  const PendingCopy pending{&copy, at_};
  write(pending, false);
  done.add(pending, copy.rows * copy.columns * element);
  finish_phase(done);
  return true;
}

bool Warp::perform(const BarrierArrive& arrive) {
  Mbarrier& at = barrier(arrive.at);
  at.arrive(arrive.expect.count());
  finish_phase(at);
  return true;
}

bool Warp::perform(const BarrierWait& wait) { return barrier(wait.at).complete(wait.phase(at_)); }

bool Warp::perform(const Multiply& multiply) {
  fragment(multiply.c).elements.add_product(fragment(multiply.a).elements, fragment(multiply.b).elements);
  return true;
}

bool Warp::perform(const Scale& scale) {
  const Elements* source = scale.source ? &fragment(*scale.source).elements : nullptr;
  fragment(scale.c).elements.scale(scale.alpha, scale.beta, source);
  return true;
}

bool Warp::perform(const CtaBarrier&) {
  if (!waits_for_round_) {
    waits_for_round_ = cta_.barrier_round + 1;
    if (++cta_.at_barrier == warps_per_cta(schedule_)) {
      cta_.at_barrier = 0;
      ++cta_.barrier_round;
    }
  }
  if (cta_.barrier_round < *waits_for_round_) return false;
  waits_for_round_.reset();
  return true;
}

void Warp::write(const Copy& copy, bool landed) {
  const Instruction& from = *copy.instruction;
  const auto& action = std::get<CopyAsync>(from.operation->action);
  const Base source = from.global.base(copy.at);
  const Base target = from.shared.base(copy.at);
  const std::int64_t stage = action.to.stage(copy.at);
  for (std::size_t i = 0; i < from.shared.places().size(); ++i) {
    const Place& read = from.global.places()[i];
    const Place& written = from.shared.places()[i];
    if (!from.global.active(source, read.bound) || !from.shared.active(target, written.bound)) continue;
    const std::int64_t row = source.row + read.row;
    const std::int64_t column = source.column + read.column;
    const bool inside = cta_.global.contains(action.from.buffer, row, column);
    for (std::int64_t element = 0; element < from.shared.vector(); ++element) {
      const double value = inside && landed ? cta_.global.load(action.from.buffer, row, column + element) : 0;
      cta_.shared.at(action.to.tile, stage, target.row + written.row, target.column + written.column + element) =
          landed ? value : SharedMemory::nothing;
    }
  }
}

void Warp::write(const PendingCopy& copy, bool landed) {
  const BulkCopy& box = *copy.copy;
  const std::int64_t row0 = box.row(copy.at);
  const std::int64_t column0 = box.column(copy.at);
  const std::int64_t stage = box.stage(copy.at);
  for (std::int64_t row = 0; row < box.rows; ++row)
    for (std::int64_t column = 0; column < box.columns; ++column) {
      const bool inside = landed && cta_.global.contains(box.buffer, row0 + row, column0 + column);
      const double value = inside ? cta_.global.load(box.buffer, row0 + row, column0 + column) : 0;
      cta_.shared.at(box.tile, stage, row, column) = landed ? value : SharedMemory::nothing;
    }
}

void Warp::finish_phase(Mbarrier& barrier) {
  for (const PendingCopy& copy : barrier.finish_phase()) write(copy, true);
}

Mbarrier& Warp::barrier(const BarrierSlot& slot) const {
  return cta_.barriers[static_cast<std::size_t>(slot.barrier.index())][static_cast<std::size_t>(slot.slot(at_))];
}

std::string Warp::wait() const {
  const std::string who = "warp " + std::to_string(warp_) + " (" + code_.role + ") waits for ";
  if (waits_for_round_)
    return who + "the CTA barrier: " + std::to_string(cta_.at_barrier) + " of " +
           std::to_string(warps_per_cta(schedule_)) + " warps are there";
  const auto& wait = std::get<BarrierWait>(instruction().operation->action);
  return who + "phase " + std::to_string(wait.phase(at_)) + " of " +
         schedule_.barriers[static_cast<std::size_t>(wait.at.barrier.index())].name + "[" +
         std::to_string(wait.at.slot(at_)) + "], whose " + barrier(wait.at).state();
}

}  // namespace gpusim::functional
