// What each thread of simt has of the operands' fragments and of C.
#include <algorithm>

#include "schedules/gemm_access.h"

namespace gpusim::schedules {
namespace {

/// One side of the thread tiles, along m or n.
struct Side {
  int elements;  ///< of one thread
  int threads;   ///< of one warp
  int run;       ///< consecutive elements of one thread
  Layout lane;   ///< a lane's place among the warp's threads
};

constexpr int pair = 2;

Side side_m(const GemmPlan& plan) {
  const int elements = plan.thread_tile.rows;
  const int columns = plan.lanes.columns;
  return {elements, plan.lanes.rows, consecutive_elements(plan.tiling.order_m, elements, plan.fragment_bytes()),
          plan.tiling.pair_lanes
              ? along(Coordinate::lane, 1, 1, pair) + along(Coordinate::lane, pair, std::int64_t{pair} * columns)
              : along(Coordinate::lane, 1, columns)};
}

Side side_n(const GemmPlan& plan) {
  const int elements = plan.thread_tile.columns;
  return {elements, plan.lanes.columns, consecutive_elements(plan.tiling.order_n, elements, plan.fragment_bytes()),
          along(Coordinate::lane, 1, plan.tiling.pair_lanes ? pair : 1, plan.lanes.columns)};
}

/// First element of a lane's vector number repeat / divisor, of all its vectors or (`innermost`) modulo their number.
Layout place(const Side& side, int vector, std::int64_t divisor, bool innermost) {
  const int vectors = side.run / vector;  // of one run
  Layout at = side.lane * side.run;
  at += along(Coordinate::repeat, std::int64_t{side.threads} * side.run, divisor * vectors,
              innermost ? side.elements / side.run : 0);
  if (vectors > 1) at += along(Coordinate::repeat, vector, divisor, vectors);
  return at;
}

/// A thread's part of an operand for one fragment: k along the rows, or across them.
Access fragment_access(const Side& side, int fragment_k, bool along_k, int vector) {
  Access access;
  access.vector = vector;
  if (along_k) {
    access.count = std::int64_t{side.elements} * (fragment_k / vector);
    access.row = place(side, 1, 1, true);
    if (fragment_k > vector) access.column = along(Coordinate::repeat, vector, side.elements);
    return access;
  }
  access.count = std::int64_t{fragment_k} * (side.elements / vector);
  access.row = along(Coordinate::repeat, 1, 1, fragment_k);
  access.column = place(side, vector, fragment_k, false);
  return access;
}

}  // namespace

int consecutive_elements(ElementOrder order, int elements, int element_bytes) {
  if (order == ElementOrder::strided) return 1;
  return order == ElementOrder::contiguous ? elements : vector_of(elements, element_bytes);
}

Access thread_rows_access(const GemmPlan& plan, bool along_k, int vector) {
  const int words = plan.products_at_once();
  return widened(fragment_access(side_m(plan), plan.tiling.fragment_k / words, along_k, vector), words);
}

Access thread_columns_access(const GemmPlan& plan, bool along_k, int vector) {
  const int words = plan.products_at_once();
  return widened(fragment_access(side_n(plan), plan.tiling.fragment_k / words, along_k, vector), words);
}

Access thread_tile_access(const GemmPlan& plan, int element_bytes) {
  Access access = thread_bias_access(plan, element_bytes);
  Side part = side_m(plan);
  const int rows = part.elements / plan.tiling.cta_slices;
  access.count *= rows;
  if (rows < part.run) {
    part.lane = part.lane * (part.run / rows);
    part.run = rows;
  }
  part.elements = rows;
  access.row = place(part, 1, 1, true);
  access.column = place(side_n(plan), access.vector, rows, false);
  return access;
}

bool shares_rows(const GemmPlan& plan, int slices) {
  const Side side = side_m(plan);
  const int rows = side.elements / slices;
  return side.elements % slices == 0 && (rows % side.run == 0 || side.run % rows == 0);
}

Layout thread_part_row(const GemmPlan& plan, int ahead) {
  const Side side = side_m(plan);
  const int slices = plan.tiling.cta_slices;
  const int warps = plan.slice_warps();
  const int rows = side.elements / slices;
  const int parts = std::max(side.run / rows, 1);  // of a run
  const std::int64_t shift = std::int64_t{ahead} * warps;
  // Neighbouring runs of a thread are as far apart as its warp's threads have rows in one.
  Layout row = along(Coordinate::warp, std::int64_t{side.threads} * std::max(rows, side.run),
                     std::int64_t{warps} * parts, slices / parts, shift);
  if (parts > 1) row += along(Coordinate::warp, rows, warps, parts, shift);
  return row;
}

Access thread_bias_access(const GemmPlan& plan, int element_bytes) {
  const Side columns = side_n(plan);
  Access access;
  access.vector = vector_of(columns.run, element_bytes);
  access.count = columns.elements / access.vector;
  access.column = place(columns, access.vector, 1, false);
  return access;
}

}  // namespace gpusim::schedules
