#include "schedules/gemm_mma.h"

#include <algorithm>
#include <utility>

#include "schedules/gemm_cta_slices.h"

namespace gpusim::schedules {
namespace {

std::int64_t multiplications(const GemmPlan& plan) {
  const MmaShape& shape = plan.tiling.instruction;
  return std::int64_t{plan.warp_tile.rows / shape.m} * (plan.warp_tile.columns / shape.n) *
         (plan.tiling.fragment_k / shape.k);
}

/// What was read: elements narrower than a register are put together, matrices turned.
void put_in_place(Body& body, const FragmentRead& read, Token fragment) {
  if (read.packs > 0) append_conversion(body, fragment, read.packs);
  if (read.turns > 0) append(body, TransposeMatrices{fragment}, read.turns);
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

MmaSteps::MmaSteps(const GemmPlan& plan, GemmProgram& program)
    : plan_(plan),
      program_(program),
      strips_(plan.tiling.interleave ? interleaved_strips(plan) : 1),
      a_{&plan.a,
         buffer_a,
         tile_a,
         block_row(plan),
         warp_row(plan),
         plan.warp_tile.rows / strips_,
         plan.tiling.fragment_k / (plan.problem.sparse ? 2 : 1),
         {}},
      b_{&plan.b,
         buffer_b,
         plan.b_tile(),
         block_column(plan),
         warp_column(plan),
         plan.warp_tile.columns,
         plan.tiling.fragment_k,
         {}} {
  a_.read = read_of(a_, plan.tiling.matrices_a);
  b_.read = read_of(b_, plan.tiling.matrices_b);
}

bool MmaSteps::k_along_rows(const Operand& operand) {
  return (operand.buffer == buffer_a) != operand.plan->shared_transposed;
}

FragmentRead MmaSteps::read_of(const Operand& operand, int matrices_at_once) const {
  const bool along_k = k_along_rows(operand);
  return operand.plan->staged ? fragment_read(plan_, operand.elements, operand.stored_k, along_k, matrices_at_once)
                              : direct_read(plan_, operand.elements, operand.stored_k, along_k);
}

std::int64_t MmaSteps::addresses() const { return direct_pointers(plan_, buffer_a) + direct_pointers(plan_, buffer_b); }

std::int64_t MmaSteps::pointers() const { return direct_steps(plan_, buffer_a) + direct_steps(plan_, buffer_b); }

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

void MmaSteps::read(Body& body, const Operand& operand, const TileStep& tile, const Layout& outer, const Layout& k,
                    Token into) const {
  const bool along_k = k_along_rows(operand);
  const Access& access = operand.read.access;
  if (operand.plan->staged) {
    append(body,
           LoadShared{access.shared(operand.tile, tile.stage, along_k ? outer : k, along_k ? k : outer), into,
                      operand.read.how},
           access.count, tile.guard);
    return;
  }
  const Layout begin = tile.number * stored_k(*operand.plan, operand.buffer);
  LoadGlobal load{
      .from = operand_access(plan_, *operand.plan, operand.buffer, access, operand.block + outer, begin + k),
      .into = into};
  (along_k ? load.origin_column : load.origin_row) = begin;
  append(body, load, access.count, tile.guard);
}

void MmaSteps::read(Body& body, const TileStep& tile, const Layout& step_number, int step) {
  append_indices(body, plan_.tiling.index_overhead / plan_.fragment_steps());
  const auto read_b = [&] {
    const Layout k = cta_slice_row(plan_) + step_number * b_.stored_k;
    read(body, b_, tile, b_.outer, k, program_.token(half("b", step)));
  };
  if (strips_ > 1) read_b();  // every strip is multiplied by it
  const Layout k_a = cta_slice_row(plan_, plan_.problem.sparse ? 2 : 1) + step_number * a_.stored_k;
  for (int strip = 0; strip < strips_; ++strip)
    read(body, a_, tile, a_.outer + std::int64_t{strip} * a_.elements, k_a, strip_of_a(step, strip));
  if (strips_ == 1) read_b();
  for (int strip = 0; strip < strips_; ++strip) put_in_place(body, a_.read, strip_of_a(step, strip));
  put_in_place(body, b_.read, program_.token(half("b", step)));
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

void MmaSteps::multiply_tile(Body& body, const TileStep& tile) {
  const int steps = plan_.fragment_steps();
  if (plan_.tiling.double_buffer || steps == 1) {
    multiply_tile(
        body, tile, [](Body&) {}, steps);
    return;
  }
  append_indices(body, plan_.tiling.index_overhead % steps);
  Loop loop{steps, {}, false};
  const Coordinate step = plan_.persistent() ? Coordinate::loop2 : Coordinate::loop1;
  read(loop.body, tile, along(step), 0);
  multiply_among(loop.body, 0, {});
  body.emplace_back(std::move(loop));
}

void MmaSteps::multiply_tile(Body& body, const TileStep& tile, const Writer& copies, int copying_steps) {
  const int steps = plan_.fragment_steps();
  append_indices(body, plan_.tiling.index_overhead % steps);
  read_first(body, tile);
  Body copied;
  copies(copied);
  Parts parts(std::move(copied), copying_steps);
  for (int step = 0; step < steps; ++step) {
    Body others;
    if (step + 1 < steps) read(others, tile, step + 1, step + 1);
    parts.append_next(others);
    multiply_among(body, step, std::move(others));
  }
}

void MmaSteps::read_first(Body& body, const TileStep& tile) { read(body, tile, 0, 0); }

void MmaSteps::multiply_tile_ahead(Body& body, const TileStep& tile, const TileStep& next, const Writer& copies,
                                   int copying_steps, const Writer& handover) {
  const int steps = plan_.fragment_steps();
  append_indices(body, plan_.tiling.index_overhead % steps);
  Body copied;
  copies(copied);
  Parts parts(std::move(copied), copying_steps);
  for (int step = 0; step < steps; ++step) {
    Body others;
    if (step + 1 == steps) {
      handover(body);
      read_first(others, next);
    } else {
      read(others, {tile.number, tile.stage, std::nullopt}, step + 1, step + 1);
    }
    parts.append_next(others);
    multiply_among(body, step, std::move(others));
  }
}

}  // namespace gpusim::schedules
