// How many warp instructions a program is, and how many multiply-adds, without walking loops whose trips are all alike.
#include <algorithm>
#include <array>
#include <optional>

#include "gpusim/schedule.h"

namespace gpusim {
namespace {

std::size_t index_of(Coordinate source) { return static_cast<std::size_t>(source); }
std::size_t loop_coordinate(std::size_t depth) { return index_of(Coordinate::loop0) + depth; }
bool is_loop(Coordinate source) {
  return source == Coordinate::loop0 || source == Coordinate::loop1 || source == Coordinate::loop2;
}

void set_item(Coordinates& at, const WorkItem& item, std::int64_t k_before) {
  at[index_of(Coordinate::block_m)] = item.block_m;
  at[index_of(Coordinate::block_n)] = item.block_n;
  at[index_of(Coordinate::block_z)] = item.block_z;
  at[index_of(Coordinate::k_begin)] = item.k_first - k_before;
  at[index_of(Coordinate::partial)] = item.partial ? 1 : 0;
  at[index_of(Coordinate::k_count)] = item.k_tiles;
}

/// A CTA's work items, where a schedule says what they are.
struct Walker {
  const Schedule& schedule;
  CtaId cta;
  std::int64_t items;
  std::int64_t k_tiles;  ///< of all items

  [[nodiscard]] WorkItem item(std::int64_t index) const { return work_item(schedule, cta, index); }
};

Walker walker_of(const Schedule& schedule, CtaId cta) {
  Walker walker{schedule, cta, work_items(schedule, cta), 0};
  for (std::int64_t i = 0; i < walker.items; ++i) walker.k_tiles += walker.item(i).k_tiles;
  return walker;
}

/// Counts how often guards hold over the loops around them.
class Counter {
 public:
  explicit Counter(const Coordinates& at, const Walker* walker = nullptr) : at_(at), walker_(walker) {}

  std::int64_t count(const std::vector<Statement>& body) {
    return sum_of<std::int64_t>(body, [](const Action&) { return 1; });
  }
  /// The sum over the instructions of what each is `worth`.
  template <class Sum, class Worth>
  Sum sum_of(const std::vector<Statement>& body, const Worth& worth) {
    Sum sum = 0;
    for (const Statement& statement : body) {
      if (const auto* operation = std::get_if<Operation>(&statement)) {
        if (const Sum each = worth(operation->action); each != 0)
          sum += each * static_cast<Sum>(operation->count * times(operation->guard, 0));
      } else {
        const auto& loop = std::get<Loop>(statement);
        loops_.push_back(frame_of(loop));
        sum += sum_of<Sum>(loop.body, worth);
        loops_.pop_back();
      }
    }
    return sum;
  }

 private:
  struct Frame {
    std::int64_t first;
    std::int64_t trips;  ///< of k tiles: those of all items, unless one item is looked at
    Walk walk;
    std::int64_t turns = 1;
  };

  [[nodiscard]] Frame frame_of(const Loop& loop) const {
    if (walker_ == nullptr || loop.walk == Walk::none) return {0, loop.trips, Walk::none};
    if (loop.walk == Walk::items) return {loop.turn, walker_->items, loop.walk, loop.turns};
    return {0, walker_->k_tiles, loop.walk};
  }

  /// Trips, over the loops from `depth` inwards, at which the guard holds.
  std::int64_t times(const std::optional<Bound>& guard, std::size_t depth) {
    if (depth == loops_.size()) return !guard || guard->value(at_) < guard->limit ? 1 : 0;
    const Frame& loop = loops_[depth];
    if (loop.walk == Walk::items) {
      if (loop.turns > 1 || (guard && depends_on_item(guard->value, depth))) return over_items(guard, depth);
      const bool counted_by_k = depth + 1 < loops_.size() && loops_[depth + 1].walk == Walk::k_tiles;
      return (counted_by_k ? 1 : loop.trips) * times(guard, depth + 1);
    }
    if (!guard || !guard->value.depends_on(static_cast<Coordinate>(loop_coordinate(depth))))
      return loop.trips * times(guard, depth + 1);
    if (counts_up(guard->value, depth)) return prefix(*guard, depth);
    std::int64_t sum = 0;
    std::int64_t& trip = at_[loop_coordinate(depth)];
    for (trip = loop.first; trip < loop.first + loop.trips; ++trip) sum += times(guard, depth + 1);
    trip = 0;
    return sum;
  }

  static bool depends_on_item(const Layout& value, std::size_t depth) {
    constexpr std::array of_item{Coordinate::block_m, Coordinate::block_n, Coordinate::block_z,
                                 Coordinate::k_begin, Coordinate::partial, Coordinate::k_count};
    return value.depends_on(static_cast<Coordinate>(loop_coordinate(depth))) ||
           std::any_of(of_item.begin(), of_item.end(), [&](Coordinate source) { return value.depends_on(source); });
  }

  std::int64_t over_items(const std::optional<Bound>& guard, std::size_t depth) {
    const Coordinates before = at_;
    Frame* k = depth + 1 < loops_.size() && loops_[depth + 1].walk == Walk::k_tiles ? &loops_[depth + 1] : nullptr;
    std::int64_t sum = 0;
    std::int64_t k_before = 0;
    const Frame walk = loops_[depth];
    for (std::int64_t index = 0; index < walker_->items; ++index) {
      const WorkItem item = walker_->item(index);
      set_item(at_, item, k_before);
      at_[loop_coordinate(depth)] = index;
      if (k != nullptr) *k = {k_before, item.k_tiles, Walk::k_tiles};
      if (index % walk.turns == walk.first) sum += times(guard, depth + 1);
      if (!walker_->schedule.restarts_k) k_before += item.k_tiles;
    }
    if (k != nullptr) *k = {0, walker_->k_tiles, Walk::k_tiles};
    at_ = before;
    return sum;
  }

  /// Whether the value never falls as the loop goes on, and no loop within it matters.
  [[nodiscard]] bool counts_up(const Layout& value, std::size_t depth) const {
    return std::all_of(value.terms().begin(), value.terms().end(), [depth](const Term& term) {
      const auto source = index_of(term.source);
      return !is_loop(term.source) || source < loop_coordinate(depth) ||
             (source == loop_coordinate(depth) && term.modulus == 0 && term.stride >= 0);
    });
  }

  /// Of a value that never falls, the trips below the limit are the first ones: found by bisection.
  std::int64_t prefix(const Bound& guard, std::size_t depth) {
    std::int64_t& trip = at_[loop_coordinate(depth)];
    const std::int64_t first = loops_[depth].first;
    std::int64_t low = first;
    std::int64_t high = first + loops_[depth].trips;
    while (low < high) {
      trip = low + (high - low) / 2;
      if (guard.value(at_) < guard.limit)
        low = trip + 1;
      else
        high = trip;
    }
    trip = 0;
    std::int64_t held = low - first;
    for (std::size_t inner = depth + 1; inner < loops_.size(); ++inner) held *= loops_[inner].trips;
    return held;
  }

  Coordinates at_;
  const Walker* walker_;
  std::vector<Frame> loops_;
};

Counter counter_of_warp(const Walker& walker, int warp) {
  Coordinates at{};
  // Outside a walk, the CTA's first item is its own tile.
  if (walker.items > 0) set_item(at, walker.item(0), 0);
  at[index_of(Coordinate::warp)] = warp;
  return Counter(at, &walker);
}

/// Multiply-adds of one instruction of a warp on the pipe.
double multiply_adds_of(const Action& action, Pipe pipe) {
  constexpr double lanes = 32;
  constexpr double products_of_a_dot = 4;
  constexpr double warps_of_a_group = 4;
  const auto all_of = [](const MmaShape& shape) { return 1.0 * shape.m * shape.n * shape.k; };
  const auto* const of_group = std::get_if<WarpgroupMultiply>(&action);
  if (of_group != nullptr && pipe == Pipe::tensor) return all_of(of_group->shape) / warps_of_a_group;
  const auto* const multiply = std::get_if<Multiply>(&action);
  if (multiply == nullptr || multiply->pipe != pipe) return 0;
  if (pipe == Pipe::tensor) return all_of(multiply->shape);
  return is_dot_product(*multiply) ? lanes * products_of_a_dot : lanes;
}

/// Whether all CTAs' multiply-adds are known from one's: guards do not ask for the place of its tile, and instructions
/// are worth as much everywhere (those of fp16 pairs are one or two a lane).
bool all_tiles_alike(const std::vector<Statement>& body, Pipe pipe) {
  return std::all_of(body.begin(), body.end(), [pipe](const Statement& statement) {
    if (const auto* const loop = std::get_if<Loop>(&statement)) return all_tiles_alike(loop->body, pipe);
    const auto& operation = std::get<Operation>(statement);
    if (multiply_adds_of(operation.action, pipe) == 0) return true;
    const auto* const multiply = std::get_if<Multiply>(&operation.action);
    if (multiply != nullptr && is_half_product(*multiply)) return false;
    constexpr std::array of_place{Coordinate::block_m, Coordinate::block_n, Coordinate::block_z};
    return !operation.guard || std::none_of(of_place.begin(), of_place.end(), [&](Coordinate source) {
      return operation.guard->value.depends_on(source);
    });
  });
}

}  // namespace

std::int64_t instruction_count(const Program& program, const Coordinates& at) {
  return Counter(at).count(program.body);
}

std::int64_t instruction_count(const Schedule& schedule, const Program& program, CtaId cta, int warp) {
  const Walker walker = walker_of(schedule, cta);
  return counter_of_warp(walker, warp).count(program.body);
}

std::int64_t warp_instructions(const Schedule& schedule) {
  const Walker walker = walker_of(schedule, CtaId(0));
  std::int64_t sum = 0;
  int warp = 0;
  for (const Role& role : schedule.roles)
    for (const int end = warp + role.warps; warp < end; ++warp)
      sum += counter_of_warp(walker, warp).count(role.program.body);
  return sum;
}

std::optional<double> multiply_adds(const Schedule& schedule) {
  const Pipe pipe = schedule.work.pipe;
  if (!std::all_of(schedule.roles.begin(), schedule.roles.end(),
                   [pipe](const Role& role) { return all_tiles_alike(role.program.body, pipe); }))
    return std::nullopt;
  const Walker walker = walker_of(schedule, CtaId(0));
  double sum = 0;
  int warp = 0;
  for (const Role& role : schedule.roles)
    for (const int end = warp + role.warps; warp < end; ++warp)
      sum += counter_of_warp(walker, warp).sum_of<double>(role.program.body, [pipe](const Action& action) {
        return multiply_adds_of(action, pipe);
      });
  // Slices of k, and what is dealt of it, differ in length.
  if (walker.k_tiles > 0) {
    const double products = static_cast<double>(tile_count(schedule)) / static_cast<double>(schedule.splits);
    return sum * products * static_cast<double>(schedule.k_tiles) / static_cast<double>(walker.k_tiles);
  }
  return walker.items > 0 ? sum * static_cast<double>(tile_count(schedule)) / static_cast<double>(walker.items) : sum;
}

}  // namespace gpusim
