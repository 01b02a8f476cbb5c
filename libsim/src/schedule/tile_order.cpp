#include "schedule/tile_order.h"

#include <algorithm>
#include <array>

namespace gpusim::schedule {
namespace {

/// A grid of cells to number: tiles, or clusters of them.
struct Grid {
  std::int64_t m = 1;
  std::int64_t n = 1;
};

TilePlace grouped(const Grid& grid, std::int64_t group, std::int64_t number) {
  const std::int64_t first = number / (group * grid.n) * group;
  const std::int64_t rows = std::min(group, grid.m - first);
  const std::int64_t within = number - first * grid.n;
  return {first + within % rows, within / rows};
}

/// A square the curve fills: it enters at `corner`, leaves at the end of `across`, and walks along `along` between.
/// All are on grid lines, so that halves of squares are exact down to single cells.
struct Square {
  TilePlace corner;
  TilePlace along;
  TilePlace across;
};

TilePlace operator+(const TilePlace& a, const TilePlace& b) { return {a.m + b.m, a.n + b.n}; }
TilePlace operator-(const TilePlace& a) { return {-a.m, -a.n}; }
TilePlace half(const TilePlace& a) { return {a.m / 2, a.n / 2}; }

/// The four quadrants in the order the curve visits them.
std::array<Square, 4> quadrants(const Square& square) {
  const TilePlace along = half(square.along);
  const TilePlace across = half(square.across);
  const TilePlace middle = square.corner + along;
  return {Square{square.corner, across, along}, Square{middle, along, across}, Square{middle + across, along, across},
          Square{middle + across + across, -across, -along}};
}

/// The cells of [0, extent) between two grid lines.
std::int64_t overlap(std::int64_t a, std::int64_t b, std::int64_t extent) {
  return std::max<std::int64_t>(0, std::min(std::max(a, b), extent) - std::min(a, b));
}

/// The square's cells that lie in the grid; none begins before it.
std::int64_t cells(const Square& square, const Grid& grid) {
  const TilePlace end = square.corner + square.along + square.across;
  return overlap(square.corner.m, end.m, grid.m) * overlap(square.corner.n, end.n, grid.n);
}

/// Descends to the cell, counting what of each quadrant lies in the grid.
TilePlace hilbert(const Grid& grid, std::int64_t number) {
  std::int64_t side = 1;
  while (side < std::max(grid.m, grid.n)) side *= 2;
  Square square{{0, 0}, {0, side}, {side, 0}};
  for (; side > 1; side /= 2) {
    for (const Square& quadrant : quadrants(square)) {
      const std::int64_t inside = cells(quadrant, grid);
      if (number < inside) {
        square = quadrant;
        break;
      }
      number -= inside;
    }
  }
  const TilePlace end = square.corner + square.along + square.across;
  return {std::min(square.corner.m, end.m), std::min(square.corner.n, end.n)};
}

TilePlace place(const Schedule& schedule, const Grid& grid, std::int64_t group, std::int64_t number) {
  switch (schedule.order) {
    case TileOrder::row:
      return {number / grid.n, number % grid.n};
    case TileOrder::column:
      return {number % grid.m, number / grid.m};
    case TileOrder::grouped:
      return grouped(grid, group, number);
    case TileOrder::hilbert:
      break;
  }
  return hilbert(grid, number);
}

}  // namespace

TilePlace place_of_tile(const Schedule& schedule, std::int64_t number) {
  if (schedule.cluster_m == 0) return place(schedule, {schedule.grid_m, schedule.grid_n}, schedule.group, number);
  const std::int64_t m = schedule.cluster_m;
  const std::int64_t n = schedule.cluster / m;
  const std::int64_t rank = number % schedule.cluster;
  const TilePlace cluster = place(schedule, {schedule.grid_m / m, schedule.grid_n / n}, (schedule.group + m - 1) / m,
                                  number / schedule.cluster);
  return {cluster.m * m + rank % m, cluster.n * n + rank / m};
}

}  // namespace gpusim::schedule
