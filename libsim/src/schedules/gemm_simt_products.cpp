#include <algorithm>

#include "schedules/gemm_buffers.h"
#include "schedules/gemm_cta_slices.h"
#include "schedules/gemm_simt_parts.h"

namespace gpusim::schedules {
namespace {

constexpr int fp32_bytes = 4;
/// A swizzled fragment's address is no immediate.
constexpr std::int64_t swizzle_overhead = 1;

/// What a compiler leaves of the reuse cache, and how evenly it numbers registers: CLBlast's Xgemm with threads of 4x8,
/// 4x16, 8x8, 8x16 and 16x8, compiled by nvcc 13 for sm_86, reads 2.13 to 2.25 operands an FFMA (4x8, 4x16: 2.19 to
/// 2.25; 8x8, 8x16: 2.13 to 2.21), 50 to 54 % of them from the busier bank. A place of the reuse cache is of a bank and
/// an operand, and keeps its register until that operand is read from that bank again (arXiv:2503.20481).
constexpr std::int64_t products_a_miss = 64;
constexpr std::int64_t busier_percent = 51;

/// An outer product walks along the shorter side of the thread's tile: the other side's element stays in the reuse
/// cache and is read once for each such run, and again when something came between; c and the shorter side's element
/// are read for every FFMA. Without reuse all three are, half of them from either bank.
RegisterReads register_reads(const Extent& tile, bool reuse) {
  constexpr std::int64_t whole = 100;
  constexpr std::int64_t operands_of_one = 3;
  constexpr std::int64_t banks = 2;
  const std::int64_t products = std::int64_t{tile.rows} * tile.columns;
  if (!reuse) return {operands_of_one * products, banks * products};
  const std::int64_t runs = std::max(tile.rows, tile.columns);
  const std::int64_t operands = 2 * products + runs + (products - runs) / products_a_miss;
  return {(operands * busier_percent + whole - 1) / whole, products};
}

}  // namespace

SimtProducts::SimtProducts(const GemmPlan& plan, GemmProgram& program)
    : plan_(plan),
      program_(program),
      first_(cta_slice_row(plan, plan.products_at_once())),
      operands_{Operand{&plan.a,
                        buffer_a,
                        tile_a,
                        warp_row(plan),
                        block_row(plan),
                        thread_rows_access(plan, !plan.a.shared_transposed, plan.a.read_vector),
                        plan.thread_tile.rows,
                        {"a", "a_next"}},
                Operand{&plan.b,
                        buffer_b,
                        plan.b_tile(),
                        warp_column(plan),
                        block_column(plan),
                        thread_columns_access(plan, plan.b.shared_transposed, plan.b.read_vector),
                        plan.thread_tile.columns,
                        {"b", "b_next"}}} {}

bool SimtProducts::k_along_rows(const Operand& operand) const {
  return (operand.buffer == buffer_a) != operand.plan->shared_transposed;
}

/// PRMTs of one step's fragment, for HFMA2: elements that share a register of sums meet two neighbours of one operand,
/// which a load along them brings in one register; others are put together. The other operand's element is a half of a
/// register, whichever: HFMA2 takes it twice.
std::int64_t SimtProducts::pairings(const Operand& operand) const {
  const Extent pair = plan_.pair();
  const bool is_paired = (operand.buffer == buffer_a ? pair.rows : pair.columns) > 1;
  if (!is_paired || (!k_along_rows(operand) && operand.access.vector % products_of_a_pair == 0)) return 0;
  return std::int64_t{operand.elements} / products_of_a_pair * plan_.tiling.fragment_k;
}

std::int64_t SimtProducts::pointers() const {
  std::int64_t steps = 0;
  for (const Operand& operand : operands_)
    if (!operand.plan->staged) steps += k_along_rows(operand) ? operand.elements : plan_.slice_k();
  return steps;
}

std::int64_t SimtProducts::addresses() const {
  std::int64_t pointers = 0;
  for (const Operand& operand : operands_)
    if (!operand.plan->staged) pointers += k_along_rows(operand) ? operand.elements : 1;
  return pointers;
}

void SimtProducts::read(Body& body, const Operand& operand, const TileStep& step, const Layout& k, std::size_t buffer,
                        const std::optional<Bound>& guard) {
  const Access& access = operand.access;
  const Token into = program_.token(operand.names[buffer]);
  if (operand.plan->staged) {
    const bool rows_first = k_along_rows(operand);
    const std::int64_t words = plan_.products_at_once();
    if (operand.plan->swizzle != Swizzle::none) append_overhead(body, swizzle_overhead);
    append(body,
           LoadShared{.from = access.shared(operand.tile, step.stage, rows_first ? operand.outer : k,
                                            rows_first ? k : operand.outer * words),
                      .into = into},
           access.count, guard);
  } else {
    const Layout tile = step.number * plan_.tiling.tile.k;
    LoadGlobal load{
        .from = operand_access(plan_, *operand.plan, operand.buffer, access, operand.block + operand.outer, tile + k),
        .into = into};
    (k_along_rows(operand) ? load.origin_column : load.origin_row) = tile;
    append(body, load, access.count, guard);
  }
}

void SimtProducts::read_both(Body& body, const TileStep& step, const Layout& k, std::size_t buffer,
                             const std::optional<Bound>& guard) {
  for (const Operand& operand : operands_) read(body, operand, step, k, buffer, guard);
  for (const Operand& operand : operands_)
    if (const std::int64_t words = pairings(operand); words > 0) {
      const Token fragment = program_.token(operand.names[buffer]);
      append(body, Arithmetic{.pipe = Pipe::alu, .reads = {fragment}, .writes = fragment}, words);
    }
  const bool as_they_are = plan_.has_dot_products() || plan_.has_half_sums();
  if (as_they_are || size_of(plan_.problem.dtype) >= fp32_bytes) return;
  for (const Operand& operand : operands_)
    append_conversion(body, program_.token(operand.names[buffer]),
                      std::int64_t{operand.elements} * plan_.tiling.fragment_k);
}

GlobalAccess SimtProducts::spilled(std::int64_t first) const {
  return local_access(plan_, 1, first, plan_.spill_slots);
}

/// Each fragment's products need all accumulators. Those that are spilled come and go; with two buffers of fragments
/// the compiler has two steps of k at hand, and a spilled accumulator comes and goes once for both. What was loaded for
/// the last time (LDL.LU) L1 gives up, and what is stored passes through it: L1 has none of them.
void SimtProducts::multiply_fragment(Body& body, std::size_t buffer) {
  const std::int64_t visits = plan_.tiling.double_buffer ? 2 : 1;
  const auto visit = static_cast<std::int64_t>(buffer);
  const std::int64_t first = plan_.spilled * visit / visits;
  const std::int64_t spills = plan_.spilled * (visit + 1) / visits - first;
  if (spills > 0)
    append(body, LoadGlobal{.from = spilled(first), .into = program_.token(local_memory), .bypass_l1 = true}, spills);
  append(body,
         Multiply{.pipe = Pipe::fma,
                  .a = program_.token(operands_[0].names[buffer]),
                  .b = program_.token(operands_[1].names[buffer]),
                  .c = program_.c(),
                  .input = plan_.problem.dtype,
                  .accumulate = plan_.problem.accumulate,
                  .a_transposed = plan_.a.shared_transposed,
                  .b_transposed = plan_.b.shared_transposed,
                  .reads = register_reads(
                      {plan_.thread_tile.rows / plan_.pair().rows, plan_.thread_tile.columns / plan_.pair().columns},
                      plan_.tiling.reuse_operands)},
         std::int64_t{plan_.sum_registers()} * plan_.tiling.fragment_k / plan_.products_at_once());
  if (spills > 0) append(body, StoreGlobal{spilled(first), program_.token(local_memory)}, spills);
}

void SimtProducts::multiply_among(Body& body, const TileStep& step, const WriterOfStep& copies) {
  multiply_steps(body, step, first_, copies);
}

void SimtProducts::multiply(Body& body, const TileStep& step) {
  const int steps = plan_.fragment_steps();
  const int unrolled = plan_.unrolled_steps();
  if (unrolled == steps) {
    multiply_steps(body, step, first_);
    return;
  }
  Loop loop{steps / unrolled, {}, false};
  const Coordinate index = plan_.persistent() ? Coordinate::loop2 : Coordinate::loop1;
  multiply_steps(loop.body, step, first_ + along(index, std::int64_t{unrolled} * rows_of_a_step()));
  body.emplace_back(std::move(loop));
}

bool SimtProducts::carries_over() const {
  const GemmTiling& tiling = plan_.tiling;
  return tiling.double_buffer && tiling.carry_over && tiling.prefetch && tiling.stages > 1 && tiling.unroll == 0 &&
         plan_.fragment_steps() % 2 == 0;
}

void SimtProducts::read_first(Body& body, const TileStep& step) { read_both(body, step, first_, 0); }

void SimtProducts::multiply_ahead(Body& body, const TileStep& step, const TileStep& next, const WriterOfStep& copies,
                                  const Writer& handover) {
  const int steps = plan_.fragment_steps();
  for (int now = 0; now < steps; ++now) {
    const auto buffer = static_cast<std::size_t>(now % 2);
    if (now + 1 == steps) {
      handover(body);
      read_both(body, next, first_, 1 - buffer, next.guard);
    } else {
      read_both(body, step, first_ + Layout(std::int64_t{now + 1} * rows_of_a_step()), 1 - buffer);
    }
    copies(body, now, steps);
    multiply_fragment(body, buffer);
  }
}

/// The steps of an iteration, the first of which is at row `k` of the tiles in shared memory. Fragments are read ahead
/// inside it alone.
void SimtProducts::multiply_steps(Body& body, const TileStep& step, const Layout& k, const WriterOfStep& copies) {
  const int steps = plan_.unrolled_steps();
  read_both(body, step, k, 0);
  for (int now = 0; now < steps; ++now) {
    const auto buffer = static_cast<std::size_t>(now % 2);
    if (now + 1 < steps) read_both(body, step, k + Layout(std::int64_t{now + 1} * rows_of_a_step()), 1 - buffer);
    if (copies) copies(body, now, steps);
    multiply_fragment(body, buffer);
  }
}

}  // namespace gpusim::schedules
