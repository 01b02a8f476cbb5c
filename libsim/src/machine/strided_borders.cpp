#include "machine/strided_borders.h"

#include <algorithm>
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

/// Elements from one CTA, or trip of the outermost loop, to the next; none where they do not lie in a line.
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

  /// `trips` of the loop around all of it; 1 where there is none.
  void look_at(const std::vector<Statement>& body, std::optional<std::int64_t> trips = {}) {
    for (const Statement& statement : body) {
      if (const auto* const loop = std::get_if<Loop>(&statement))
        look_at(loop->body, trips.value_or(loop->trips));
      else if (const auto* const access = std::visit(AccessOf(), std::get<Operation>(statement).action))
        add(*access, trips.value_or(1));
    }
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
    if (of_cta <= 0 || of_trip < 0) return;
    const std::int64_t columns =
        schedule_.buffers[static_cast<std::size_t>(access.buffer.index())].columns - access.column.offset();
    // Trips that some CTA has inside and some other outside; all are alike where they are in one place.
    const std::int64_t first =
        of_trip == 0 ? 0 : std::max<std::int64_t>((columns - schedule_.grid_n * of_cta) / of_trip, 0);
    const std::int64_t last = of_trip == 0 ? 0 : std::min(columns / of_trip, trips - 1);
    for (std::int64_t trip = first; trip <= last; ++trip) {
      const std::int64_t border = (columns - trip * of_trip + of_cta - 1) / of_cta;
      if (border > 0 && border < schedule_.grid_n) borders_.push_back(border);
    }
  }

  const Schedule& schedule_;
  std::vector<std::int64_t> borders_;
};

}  // namespace

StridedBorders::StridedBorders(const Schedule& schedule, std::int64_t wave) : row_ctas_(schedule.grid_n) {
  const bool by_rows = schedule.grid_m == 1 || (schedule.order == TileOrder::row && schedule.cluster == 1);
  if (!by_rows || row_ctas_ <= wave) return;
  BorderFinder borders(schedule);
  for (const Role& role : schedule.roles) borders.look_at(role.program.body);
  of_row_ = borders.take();
}

std::optional<std::int64_t> StridedBorders::after(std::int64_t cta) const {
  if (of_row_.empty()) return std::nullopt;
  const std::int64_t row = std::max<std::int64_t>(cta, 0) / row_ctas_;
  const std::int64_t first = row * row_ctas_;
  const auto border = std::upper_bound(of_row_.begin(), of_row_.end(), std::max<std::int64_t>(cta, 0) - first);
  return first + (border == of_row_.end() ? row_ctas_ : *border);
}

}  // namespace gpusim::machine
