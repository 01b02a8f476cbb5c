// How a warp reads mma's fragments, from shared memory or straight from global memory.
#include <algorithm>
#include <numeric>

#include "schedules/gemm_mma.h"

namespace gpusim::schedules {
namespace {

constexpr int row_bytes = 16;  ///< of the 8x8 matrices of 16-bit elements that ldmatrix deals out

/// Whether the instruction's operands are made of the matrices that ldmatrix deals out.
bool takes_matrices(const MmaShape& shape, int element_bytes) {
  return shape.m % matrix_rows == 0 && shape.n % matrix_rows == 0 && shape.k * element_bytes % row_bytes == 0;
}

/// Reads of one register a lane, as mma has its operands: four lanes along k, the others along m or n.
Access register_access(int outer, int fragment_k, int element_bytes, bool k_along_rows) {
  const int each = std::max(1, register_bytes / element_bytes);  // elements of a register, consecutive along k
  const int k_lanes = std::gcd(quad, fragment_k / each);
  const int outer_lanes = std::gcd(lanes_per_warp / k_lanes, outer);
  const int outer_groups = outer / outer_lanes;
  const int k_groups = fragment_k / (each * k_lanes);

  Access access;
  // Across the rows the elements of a register are read one by one.
  const int singles = k_along_rows ? 1 : each;
  access.vector = k_along_rows ? each : 1;
  access.count = std::int64_t{singles} * outer_groups * k_groups;
  Layout k = along(Coordinate::lane, each, 1, k_lanes);
  if (singles > 1) k += along(Coordinate::repeat, 1, 1, singles);
  if (k_groups > 1) k += along(Coordinate::repeat, std::int64_t{each} * k_lanes, std::int64_t{singles} * outer_groups);
  Layout across = along(Coordinate::lane, 1, k_lanes, outer_lanes);
  if (outer_groups > 1) across += along(Coordinate::repeat, outer_lanes, singles, outer_groups);
  access.row = k_along_rows ? across : k;
  access.column = k_along_rows ? k : across;
  if (k_lanes * outer_lanes < lanes_per_warp)
    access.lanes = Bound{along(Coordinate::lane), std::int64_t{k_lanes} * outer_lanes};
  return access;
}

/// Reads of what Volta's quad pairs multiply: a lane has all k of a row of A or column of B, two lanes the same one.
Access quad_pair_access(const MmaShape& shape, int outer, int fragment_k, bool k_along_rows) {
  const int outer_groups = outer / shape.m;
  const int singles = k_along_rows ? 1 : shape.k;
  Access access;
  access.vector = k_along_rows ? shape.k : 1;
  access.count = std::int64_t{singles} * outer_groups * (fragment_k / shape.k);
  Layout k;
  if (singles > 1) k += along(Coordinate::repeat, 1, 1, singles);
  if (fragment_k > shape.k) k += along(Coordinate::repeat, shape.k, std::int64_t{singles} * outer_groups);
  // Lanes l to l + 3 and l + 16 to l + 19 are a quad pair, with eight rows or columns.
  Layout across = along(Coordinate::lane, 1, 1, quad) + along(Coordinate::lane, quad, lanes_per_warp / 2) +
                  along(Coordinate::lane, std::int64_t{2} * quad, quad, 2);
  if (outer_groups > 1) across += along(Coordinate::repeat, shape.m, singles, outer_groups);
  access.row = k_along_rows ? across : k;
  access.column = k_along_rows ? k : across;
  return access;
}

/// Loads of registers, or of elements one by one that are put together afterwards.
FragmentRead single_read(const Access& access, int element_bytes, bool k_along_rows) {
  FragmentRead read{access, SharedRead::lds};
  const int each = std::max(1, register_bytes / element_bytes);
  if (!k_along_rows) read.packs = access.count / each * (each - 1);
  return read;
}

/// Loads of a register a lane of an 8x8 matrix of 16-bit elements each, k down its rows and two neighbours across: four
/// lanes along a row.
Access matrix_rows_access(int outer, int k) {
  constexpr int pair = 2;
  const int groups = outer / matrix_rows;
  Access access;
  access.vector = pair;
  access.count = std::int64_t{groups} * (k / matrix_rows);
  access.row = along(Coordinate::lane, 1, quad) + along(Coordinate::repeat, matrix_rows, groups);
  access.column = along(Coordinate::lane, pair, 1, quad) + along(Coordinate::repeat, matrix_rows, 1, groups);
  return access;
}

}  // namespace

FragmentRead fragment_read(const GemmPlan& plan, int outer, int k, bool k_along_rows, int matrices_at_once) {
  const int element = size_of(plan.problem.dtype);
  const Extent fragment = k_along_rows ? Extent{outer, k} : Extent{k, outer};
  const bool matrices = takes_matrices(plan.tiling.instruction, element);
  const bool transposable = k_along_rows || element == half_bytes;
  // Without matrices operands lie in registers as compilers like: as many bytes at a time as there are in a row.
  if (plan.tiling.ldmatrix && !matrices) return {matrix_access(fragment, element), SharedRead::lds};
  if (plan.tiling.ldmatrix && transposable)
    return {matrix_access(fragment, element, matrices_at_once),
            k_along_rows ? SharedRead::ldmatrix : SharedRead::ldmatrix_trans};
  return direct_read(plan, outer, k, k_along_rows);
}

FragmentRead direct_read(const GemmPlan& plan, int outer, int k, bool k_along_rows) {
  const MmaShape& shape = plan.tiling.instruction;
  const int element = size_of(plan.problem.dtype);
  if (is_of_quad_pairs(shape, element))
    return single_read(quad_pair_access(shape, outer, k, k_along_rows), element, k_along_rows);
  if (k_along_rows || element != half_bytes || !takes_matrices(shape, element))
    return single_read(register_access(outer, k, element, k_along_rows), element, k_along_rows);
  FragmentRead read{matrix_rows_access(outer, k), SharedRead::lds};
  read.turns = read.access.count;
  return read;
}

}  // namespace gpusim::schedules
