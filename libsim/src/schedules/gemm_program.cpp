#include "schedules/gemm_program.h"

namespace gpusim::schedules {
namespace {

// Index arithmetic, in instructions a warp; docs/schedules.md says what they are.
constexpr std::int64_t prologue_overhead = 24;
constexpr std::int64_t producer_overhead = 16;
constexpr std::int64_t epilogue_overhead = 8;
constexpr std::int64_t zeros_per_instruction = 2;
constexpr std::int64_t narrowed_per_instruction = 2;

constexpr int fp32_bytes = 4;

Extent extent_a(const GemmPlan& plan) { return {plan.tiling.tile.m, plan.tiling.tile.k}; }
Extent extent_b(const GemmPlan& plan) { return {plan.tiling.tile.k, plan.tiling.tile.n}; }

Layout block_row(const GemmPlan& plan) { return along(Coordinate::block_m, plan.tiling.tile.m); }
Layout block_column(const GemmPlan& plan) { return along(Coordinate::block_n, plan.tiling.tile.n); }

std::int64_t multiplications(const GemmPlan& plan) {
  const int k = plan.tiling.fragment_k;
  if (!plan.on_tensor_cores()) return std::int64_t{plan.accumulators()} * k;
  const MmaShape& shape = plan.tiling.instruction;
  return std::int64_t{plan.warp_tile.rows / shape.m} * (plan.warp_tile.columns / shape.n) * (k / shape.k);
}

}  // namespace

void append(Body& body, Action action, std::int64_t count, std::optional<Bound> guard) {
  body.emplace_back(Operation{std::move(action), count, std::move(guard)});
}

GemmProgram::GemmProgram(const GemmPlan& plan)
    : plan_(plan),
      copy_a_(copy_access(extent_a(plan), size_of(plan.problem.dtype), plan.compute_warps())),
      copy_b_(copy_access(extent_b(plan), size_of(plan.problem.dtype), plan.compute_warps())) {}

Token GemmProgram::fragment(std::optional<Token>& token, const char* name) {
  if (!token) token = program_.token(name);
  return *token;
}

void GemmProgram::overhead(Body& body, std::int64_t instructions) const {
  append(body, Arithmetic{.pipe = Pipe::alu, .reads = {}, .writes = {}, .overhead = true}, instructions);
}

void GemmProgram::begin() {
  const bool copies_itself = plan_.tiling.variant != GemmVariant::tma;
  overhead(body(), prologue_overhead + (copies_itself ? copies_per_tile() : 0));
  const std::int64_t zeros = plan_.accumulators() * size_of(plan_.problem.accumulate) / fp32_bytes;
  append(body(), Arithmetic{.pipe = Pipe::alu, .reads = {}, .writes = fragment(c_, "c"), .overhead = true},
         (zeros + zeros_per_instruction - 1) / zeros_per_instruction);
}

void GemmProgram::begin_producer() { overhead(body(), producer_overhead); }

std::optional<Bound> GemmProgram::guard(const TileStep& step, const Access& access) const {
  const bool all_busy = access.busy_warps >= plan_.compute_warps();
  if (!step.may_be_beyond) {
    if (all_busy) return std::nullopt;
    return Bound{along(Coordinate::warp), access.busy_warps};
  }
  Layout value = step.number;
  if (!all_busy) value += along(Coordinate::warp, plan_.k_tiles, access.busy_warps);
  return Bound{value, plan_.k_tiles};
}

void GemmProgram::load_tile(Body& body, const TileStep& step) {
  const Layout k = step.number * plan_.tiling.tile.k;
  append(body, LoadGlobal{copy_a_.global(buffer_a, block_row(plan_), k), fragment(staged_a_, "staged_a")},
         copy_a_.count, guard(step, copy_a_));
  append(body, LoadGlobal{copy_b_.global(buffer_b, k, block_column(plan_)), fragment(staged_b_, "staged_b")},
         copy_b_.count, guard(step, copy_b_));
}

void GemmProgram::store_tile(Body& body) const {
  append(body, StoreShared{copy_a_.shared(tile_a, 0, 0, 0), staged_a_.value()}, copy_a_.count, guard({}, copy_a_));
  append(body, StoreShared{copy_b_.shared(tile_b, 0, 0, 0), staged_b_.value()}, copy_b_.count, guard({}, copy_b_));
}

void GemmProgram::copy_tile(Body& body, const TileStep& step) const {
  const Layout k = step.number * plan_.tiling.tile.k;
  append(body, CopyAsync{copy_a_.global(buffer_a, block_row(plan_), k), copy_a_.shared(tile_a, step.stage, 0, 0)},
         copy_a_.count, guard(step, copy_a_));
  append(body, CopyAsync{copy_b_.global(buffer_b, k, block_column(plan_)), copy_b_.shared(tile_b, step.stage, 0, 0)},
         copy_b_.count, guard(step, copy_b_));
}

void GemmProgram::bulk_copy_tile(Body& body, const TileStep& step) const {
  const Extent a = extent_a(plan_);
  const Extent b = extent_b(plan_);
  const std::int64_t elements = std::int64_t{a.rows} * a.columns + std::int64_t{b.rows} * b.columns;
  const BarrierSlot full{barrier_full, step.stage};
  const Layout k = step.number * plan_.tiling.tile.k;
  std::optional<Bound> guard;
  if (step.may_be_beyond) guard = Bound{step.number, plan_.k_tiles};
  append(body, BarrierArrive{full, Bytes(elements * size_of(plan_.problem.dtype))}, 1, guard);
  append(body, BulkCopy{buffer_a, block_row(plan_), k, a.rows, a.columns, tile_a, step.stage, full}, 1, guard);
  append(body, BulkCopy{buffer_b, k, block_column(plan_), b.rows, b.columns, tile_b, step.stage, full}, 1, guard);
}

void GemmProgram::convert(Body& body, Token fragment, std::int64_t elements) const {
  append(body, Arithmetic{.pipe = Pipe::alu, .reads = {fragment}, .writes = fragment, .overhead = false}, elements);
}

void GemmProgram::multiply_fragment(Body& body, const Layout& stage, const Layout& k) {
  const int fragment_k = plan_.tiling.fragment_k;
  const int element = size_of(plan_.problem.dtype);
  const bool tensor = plan_.on_tensor_cores();
  const Access read_a = tensor ? matrix_access({plan_.warp_tile.rows, fragment_k}, element) : thread_rows_access(plan_);
  const Access read_b =
      tensor ? matrix_access({fragment_k, plan_.warp_tile.columns}, element) : thread_columns_access(plan_);
  const Token a = fragment(a_, "a");
  const Token b = fragment(b_, "b");
  append(body, LoadShared{read_a.shared(tile_a, stage, warp_row(plan_), k), a}, read_a.count);
  append(body, LoadShared{read_b.shared(tile_b, stage, k, warp_column(plan_)), b}, read_b.count);
  if (!tensor && element < fp32_bytes) {
    convert(body, a, std::int64_t{plan_.thread_tile.rows} * fragment_k);
    convert(body, b, std::int64_t{plan_.thread_tile.columns} * fragment_k);
  }
  append(body,
         Multiply{tensor ? Pipe::tensor : Pipe::fma, a, b, fragment(c_, "c"), plan_.problem.dtype,
                  plan_.problem.accumulate, tensor ? plan_.tiling.instruction : MmaShape{}},
         multiplications(plan_));
}

void GemmProgram::multiply_tile(Body& body, const Layout& stage) {
  if (plan_.fragment_steps() == 1) {
    multiply_fragment(body, stage, 0);
    return;
  }
  Loop steps{plan_.fragment_steps(), {}, false};
  multiply_fragment(steps.body, stage, along(Coordinate::loop1, plan_.tiling.fragment_k));
  body.emplace_back(std::move(steps));
}

void GemmProgram::finish() {
  const GemmProblem& problem = plan_.problem;
  const Access access = plan_.on_tensor_cores() ? mma_store_access(plan_.warp_tile) : thread_tile_access(plan_);
  const GlobalAccess to =
      access.global(buffer_c, block_row(plan_) + warp_row(plan_), block_column(plan_) + warp_column(plan_));
  const Token c = fragment(c_, "c");
  const bool narrower = size_of(problem.dtype) < size_of(problem.accumulate);
  overhead(body(), epilogue_overhead + access.count);

  Scale scale{c, std::nullopt, problem.alpha, problem.beta};
  if (problem.beta != 0) {
    scale.source = fragment(source_, "source");
    append(body(), LoadGlobal{to, *scale.source}, access.count);
    if (narrower) convert(body(), *scale.source, plan_.accumulators());
  }
  if (problem.alpha != 1 || problem.beta != 0) {
    const int instructions_each = problem.alpha != 1 && problem.beta != 0 ? 2 : 1;
    append(body(), scale, std::int64_t{plan_.accumulators()} * instructions_each);
  }
  if (narrower) convert(body(), c, (plan_.accumulators() + narrowed_per_instruction - 1) / narrowed_per_instruction);
  append(body(), StoreGlobal{to, c}, access.count);
}

}  // namespace gpusim::schedules
