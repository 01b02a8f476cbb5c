#include "machine/strided_borders.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

namespace gpusim::machine {
namespace {

/// What an action asks memory for, lane by lane.
struct AccessOf {
  const GlobalAccess* operator()(const LoadGlobal& load) const { return &load.from; }
  const GlobalAccess* operator()(const CopyAsync& copy) const { return &copy.from; }
  const GlobalAccess* operator()(const StoreGlobal& store) const { return &store.to; }
  const GlobalAccess* operator()(const AtomicAdd& add) const { return &add.to; }
  template <class Action>
  const GlobalAccess* operator()(const Action&) const {
    return nullptr;
  }
};

/// Elements from one CTA, or trip, to the next; none where they do not lie in a line.
std::optional<std::int64_t> stride_along(const Layout& layout, Coordinate source) {
  std::int64_t stride = 0;
  for (const Term& term : layout.terms()) {
    if (term.source != source) continue;
    if (term.divisor != 1 || term.modulus != 0 || term.shift != 0) return std::nullopt;
    stride += term.stride;
  }
  return stride;
}

class BorderFinder {
 public:
  explicit BorderFinder(const Schedule& schedule) : schedule_(schedule) {}

  void look_at(const Loop& loop) {
    for (const Statement& statement : loop.body)
      if (const auto* const operation = std::get_if<Operation>(&statement))
        if (const GlobalAccess* const access = std::visit(AccessOf(), operation->action)) add(*access, loop.trips);
  }

  [[nodiscard]] std::vector<std::int64_t> take() {
    std::sort(borders_.begin(), borders_.end());
    borders_.erase(std::unique(borders_.begin(), borders_.end()), borders_.end());
    return std::move(borders_);
  }

 private:
  void add(const GlobalAccess& access, std::int64_t trips) {
    const std::int64_t of_cta = stride_along(access.column, Coordinate::block_n).value_or(0);
    const std::int64_t of_trip = stride_along(access.column, Coordinate::loop0).value_or(0);
    if (of_cta <= 0 || of_trip <= 0) return;
    const std::int64_t columns =
        schedule_.buffers[static_cast<std::size_t>(access.buffer.index())].columns - access.column.offset();
    // Trips that some CTA has inside and some other outside.
    const std::int64_t first = std::max<std::int64_t>((columns - schedule_.grid_n * of_cta) / of_trip, 0);
    const std::int64_t last = std::min(columns / of_trip, trips - 1);
    for (std::int64_t trip = first; trip <= last; ++trip) {
      const std::int64_t border = (columns - trip * of_trip + of_cta - 1) / of_cta;
      if (border > 0 && border < schedule_.grid_n) borders_.push_back(border);
    }
  }

  const Schedule& schedule_;
  std::vector<std::int64_t> borders_;
};

}  // namespace

std::vector<std::int64_t> strided_borders(const Schedule& schedule, std::int64_t wave) {
  const bool by_rows = schedule.grid_m == 1 || (schedule.order == TileOrder::row && schedule.cluster == 1);
  if (!by_rows || schedule.grid_n <= wave) return {};
  BorderFinder borders(schedule);
  for (const Role& role : schedule.roles)
    for (const Statement& statement : role.program.body)
      if (const auto* const loop = std::get_if<Loop>(&statement)) borders.look_at(*loop);
  const std::vector<std::int64_t> of_row = borders.take();
  if (of_row.empty()) return {};
  std::vector<std::int64_t> of_all;
  for (std::int64_t row = 0; row < schedule.grid_m * schedule.grid_z; ++row) {
    const std::int64_t first = row * schedule.grid_n;
    if (row > 0) of_all.push_back(first);
    for (const std::int64_t border : of_row) of_all.push_back(first + border);
  }
  return of_all;
}

}  // namespace gpusim::machine
