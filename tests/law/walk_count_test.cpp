// Law: counting a walk's instructions gives what walking it out does.
#include <doctest/doctest.h>

#include <array>

#include "support/random_grids.h"

namespace gpusim::walk_count_test {

using testing::RandomGrid;

namespace {

std::int64_t& value(Coordinates& at, Coordinate source) { return at[static_cast<std::size_t>(source)]; }

/// A bound on any coordinates there are, rising, falling, or coming and going with them.
Bound random_bound(RandomGrid& random) {
  constexpr std::array sources{Coordinate::block_m, Coordinate::block_n, Coordinate::block_z, Coordinate::partial,
                               Coordinate::loop0,   Coordinate::loop1,   Coordinate::loop2,   Coordinate::warp};
  Bound bound;
  for (std::int64_t terms = random.from(0, 2); terms > 0; --terms) {
    const auto source = sources[static_cast<std::size_t>(random.from(0, sources.size() - 1))];
    // One draw a statement: arguments may be evaluated in any order.
    const std::int64_t stride = random.from(-2, 2);
    const std::int64_t divisor = random.from(1, 3);
    const std::int64_t modulus = random.from(0, 5);
    bound.value += along(source, stride, divisor, modulus);
  }
  if (random.from(0, 2) == 0) bound.value += along(Coordinate::loop1) + along(Coordinate::k_begin);
  bound.limit = random.from(-3, 12);
  return bound;
}

/// for items: { for k tiles: { for 3: { inner } outer } last }
struct Walk3 {
  Bound inner, outer, last;
  std::int64_t turns = 1;
  std::int64_t turn = 0;

  [[nodiscard]] Program program() const {
    const auto run = [](std::int64_t count, const Bound& guard) { return Operation{CtaBarrier{}, count, guard}; };
    const Loop steps{.trips = 3, .body = {run(1, inner)}};
    const Loop k{.trips = 12, .body = {steps, run(10, outer)}, .walk = Walk::k_tiles};
    const Loop items{.trips = 1000, .body = {k, run(100, last)}, .walk = Walk::items, .turns = turns, .turn = turn};
    return {{}, {items}};
  }

  [[nodiscard]] std::int64_t walked_out(const Schedule& schedule, CtaId cta) const {
    const auto counted = [](std::int64_t count, const Bound& guard, const Coordinates& at) {
      return guard.value(at) < guard.limit ? count : 0;
    };
    std::int64_t sum = 0;
    std::int64_t k_before = 0;
    Coordinates at{};
    for (std::int64_t index = 0; index < work_items(schedule, cta); ++index) {
      const WorkItem item = work_item(schedule, cta, index);
      value(at, Coordinate::block_m) = item.block_m;
      value(at, Coordinate::block_n) = item.block_n;
      value(at, Coordinate::block_z) = item.block_z;
      value(at, Coordinate::k_begin) = item.k_first - k_before;
      value(at, Coordinate::partial) = item.partial ? 1 : 0;
      value(at, Coordinate::loop0) = index;
      if (index % turns != turn) {
        k_before += item.k_tiles;
        continue;
      }
      for (std::int64_t k = k_before; k < k_before + item.k_tiles; ++k) {
        value(at, Coordinate::loop1) = k;
        for (std::int64_t step = 0; step < 3; ++step) {
          value(at, Coordinate::loop2) = step;
          sum += counted(1, inner, at);
        }
        value(at, Coordinate::loop2) = 0;
        sum += counted(10, outer, at);
      }
      value(at, Coordinate::loop1) = 0;
      sum += counted(100, last, at);
      k_before += item.k_tiles;
    }
    return sum;
  }
};

/// Without the coordinates of loops that are not around the operation.
Bound within(const Bound& bound, std::size_t loops) {
  Layout value(bound.value.offset());
  for (const Term& term : bound.value.terms()) {
    const auto loop = static_cast<std::size_t>(term.source) - static_cast<std::size_t>(Coordinate::loop0);
    if (loop >= 3 || loop < loops) value.add(term);
  }
  return {value, bound.limit};
}

}  // namespace

TEST_CASE("instructions of a walk are counted as walking it out counts them") {
  RandomGrid random(3);
  for (int i = 0; i < 600; ++i) {
    CAPTURE(i);
    const Schedule schedule = random.make();
    const Bound inner = random_bound(random);
    const Bound outer = within(random_bound(random), 2);
    Walk3 walk{inner, outer, within(random_bound(random), 1)};
    if (random.from(0, 2) == 0) {
      walk.turns = random.from(2, 3);
      walk.turn = random.from(0, walk.turns - 1);
    }
    const CtaId cta(random.from(0, cta_count(schedule) - 1));
    CHECK(instruction_count(schedule, walk.program(), cta, 0) == walk.walked_out(schedule, cta));
  }
}

}  // namespace gpusim::walk_count_test
