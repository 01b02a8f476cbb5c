#include "schedules/gemm_mma.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "schedules/gemm_cta_slices.h"

namespace gpusim::schedules {
namespace {

constexpr int row_bytes = 16;       ///< of the 8x8 matrices of 16-bit elements that ldmatrix deals out
constexpr int quad_pair_bytes = 8;  ///< along k, of one lane's part of Volta's operands

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

std::int64_t multiplications(const GemmPlan& plan) {
  const MmaShape& shape = plan.tiling.instruction;
  return std::int64_t{plan.warp_tile.rows / shape.m} * (plan.warp_tile.columns / shape.n) *
         (plan.tiling.fragment_k / shape.k);
}

/// Instructions of a statement that wait for queues to memory.
std::int64_t memory_instructions(const Statement& statement) {
  const auto* const operation = std::get_if<Operation>(&statement);
  if (operation == nullptr) return 0;
  const bool waits =
      !std::holds_alternative<Arithmetic>(operation->action) && !std::holds_alternative<CommitGroup>(operation->action);
  return waits ? operation->count : 0;
}

/// Statements in their order, cut into parts with as many memory instructions each as runs allow.
class Parts {
 public:
  Parts(Body statements, int count) : statements_(std::move(statements)), count_(count) {
    for (const Statement& each : statements_) memory_ += memory_instructions(each);
  }

  /// Nothing once all parts have been.
  void append_next(Body& body) {
    ++parts_;
    for (; taken_ < statements_.size() && (parts_ == count_ || before_ * count_ < memory_ * parts_); ++taken_) {
      before_ += memory_instructions(statements_[taken_]);
      body.push_back(std::move(statements_[taken_]));
    }
  }

 private:
  Body statements_;
  std::int64_t count_;
  std::int64_t memory_ = 0;
  std::int64_t parts_ = 0;
  std::int64_t before_ = 0;  ///< memory instructions of what has been taken
  std::size_t taken_ = 0;
};

}  // namespace

int interleaved_strips(int rows, std::int64_t multiplications) {
  constexpr int most = 5;
  constexpr int least_multiplications = 4;
  for (int count = std::min(most, rows); count > 1; --count)
    if (rows % count == 0 && multiplications >= std::int64_t{count} * least_multiplications) return count;
  return 1;
}

int interleaved_strips(const GemmPlan& plan) {
  return interleaved_strips(plan.warp_tile.rows / plan.tiling.instruction.m, multiplications(plan));
}

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
  const MmaShape& shape = plan.tiling.instruction;
  const bool quad_pairs = shape.m == 4 * quad && shape.n == 4 * quad && shape.k * element == quad_pair_bytes;
  FragmentRead read{
      quad_pairs ? quad_pair_access(shape, outer, k, k_along_rows) : register_access(outer, k, element, k_along_rows),
      SharedRead::lds};
  const int each = std::max(1, register_bytes / element);
  if (!k_along_rows) read.packs = read.access.count / each * (each - 1);
  return read;
}

MmaSteps::MmaSteps(const GemmPlan& plan, GemmProgram& program)
    : plan_(plan),
      program_(program),
      strips_(plan.tiling.interleave ? interleaved_strips(plan) : 1),
      a_(fragment_read(plan, plan.warp_tile.rows / strips_, stored_k(plan), !plan.a.shared_transposed,
                       plan.tiling.matrices_a)),
      b_(fragment_read(plan, plan.warp_tile.columns, plan.tiling.fragment_k, plan.b.shared_transposed,
                       plan.tiling.matrices_b)) {}

bool MmaSteps::carries_over() const {
  const GemmTiling& tiling = plan_.tiling;
  const bool copies_ahead = tiling.prefetch || (tiling.variant == GemmVariant::async && tiling.stages > 1);
  return tiling.double_buffer && tiling.carry_over && copies_ahead && plan_.fragment_steps() % 2 == 0;
}

std::string MmaSteps::half(const char* name, int step) const {
  return plan_.tiling.double_buffer ? name + std::to_string(step % 2) : std::string(name);
}

Token MmaSteps::strip_of_a(int step, int strip) {
  return program_.token(strips_ == 1 ? half("a", step) : half("a", step) + "_" + std::to_string(strip));
}

int MmaSteps::stored_k(const GemmPlan& plan) { return plan.tiling.fragment_k / (plan.problem.sparse ? 2 : 1); }

void MmaSteps::read(Body& body, const Layout& stage, const Layout& step_number, int step,
                    const std::optional<Bound>& guard) {
  const Layout k_a = cta_slice_row(plan_, plan_.problem.sparse ? 2 : 1) + step_number * stored_k(plan_);
  const Layout k = cta_slice_row(plan_) + step_number * plan_.tiling.fragment_k;
  const bool a_along_k = !plan_.a.shared_transposed;
  const bool b_along_k = plan_.b.shared_transposed;
  const Layout column = warp_column(plan_);
  append_indices(body, plan_.tiling.index_overhead / plan_.fragment_steps());
  const auto read_b = [&] {
    const Token b = program_.token(half("b", step));
    append(body, LoadShared{b_.access.shared(tile_b, stage, b_along_k ? column : k, b_along_k ? k : column), b, b_.how},
           b_.access.count, guard);
  };
  if (strips_ > 1) read_b();  // every strip is multiplied by it
  for (int strip = 0; strip < strips_; ++strip) {
    const Layout row = warp_row(plan_) + std::int64_t{strip} * (plan_.warp_tile.rows / strips_);
    const Token a = strip_of_a(step, strip);
    append(body, LoadShared{a_.access.shared(tile_a, stage, a_along_k ? row : k_a, a_along_k ? k_a : row), a, a_.how},
           a_.access.count, guard);
  }
  if (strips_ == 1) read_b();
  for (int strip = 0; strip < strips_; ++strip)
    if (a_.packs > 0) append_conversion(body, strip_of_a(step, strip), a_.packs);
  if (b_.packs > 0) append_conversion(body, program_.token(half("b", step)), b_.packs);
}

void MmaSteps::multiply(Body& body, int step, int strip) {
  Multiply multiply;
  multiply.pipe = Pipe::tensor;
  multiply.a = strip_of_a(step, strip);
  multiply.b = program_.token(half("b", step));
  multiply.c = program_.c();
  multiply.input = plan_.problem.dtype;
  multiply.accumulate = plan_.problem.accumulate;
  multiply.shape = plan_.tiling.instruction;
  multiply.sparse = plan_.problem.sparse;
  multiply.a_transposed = plan_.a.shared_transposed;
  multiply.b_transposed = plan_.b.shared_transposed;
  append(body, multiply, multiplications(plan_) / strips_);
}

void MmaSteps::multiply_among(Body& body, int step, Body others) {
  Parts parts(std::move(others), strips_);
  for (int strip = 0; strip < strips_; ++strip) {
    parts.append_next(body);
    multiply(body, step, strip);
  }
}

void MmaSteps::append_indices(Body& body, std::int64_t instructions) const {
  if (instructions > 0) append_overhead(body, instructions);
}

void MmaSteps::multiply_tile(Body& body, const Layout& stage) {
  const int steps = plan_.fragment_steps();
  append_indices(body, plan_.tiling.index_overhead % steps);
  if (plan_.tiling.double_buffer || steps == 1) {
    read_first(body, stage);
    for (int step = 0; step < steps; ++step) {
      Body reads;
      if (step + 1 < steps) read(reads, stage, step + 1, step + 1);
      multiply_among(body, step, std::move(reads));
    }
    return;
  }
  Loop loop{steps, {}, false};
  const Coordinate step = plan_.persistent() ? Coordinate::loop2 : Coordinate::loop1;
  read(loop.body, stage, along(step), 0);
  multiply_among(loop.body, 0, {});
  body.emplace_back(std::move(loop));
}

void MmaSteps::read_first(Body& body, const Layout& stage, const std::optional<Bound>& guard) {
  read(body, stage, 0, 0, guard);
}

void MmaSteps::multiply_tile_ahead(Body& body, const Layout& stage, const Layout& next,
                                   const std::optional<Bound>& next_guard, const Writer& copies, int copying_steps,
                                   const Writer& handover) {
  const int steps = plan_.fragment_steps();
  append_indices(body, plan_.tiling.index_overhead % steps);
  Body copied;
  copies(copied);
  Parts parts(std::move(copied), copying_steps);
  for (int step = 0; step < steps; ++step) {
    Body others;
    if (step + 1 == steps) {
      handover(body);
      read_first(others, next, next_guard);
    } else {
      read(others, stage, step + 1, step + 1);
    }
    parts.append_next(others);
    multiply_among(body, step, std::move(others));
  }
}

}  // namespace gpusim::schedules
