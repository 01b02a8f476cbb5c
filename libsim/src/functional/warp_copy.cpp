// Copies beside the warp: what they bring is NaN until it has been waited for.
#include <utility>

#include "functional/warp.h"

namespace gpusim::functional {

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
    const bool inside = global().contains(action.from.buffer, source.layer, row, column);
    for (std::int64_t element = 0; element < from.shared.vector(); ++element) {
      const double value =
          inside && landed ? global().load(action.from.buffer, source.layer, row, column + element) : 0;
      cta_.shared.at(action.to.tile, stage, target.row + written.row, target.column + written.column + element) =
          landed ? value : SharedMemory::nothing;
    }
  }
}

}  // namespace gpusim::functional
