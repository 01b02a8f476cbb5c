#include "schedules/gemm_wgmma.h"

#include "schedules/gemm_block_scales.h"
#include "schedules/gemm_copies.h"
#include "schedules/gemm_epilogue.h"
#include "schedules/gemm_pipeline.h"
#include "schedules/gemm_program.h"

namespace gpusim::schedules {
namespace {

constexpr int warp_rows = 16;  ///< of each 64 rows of the group

/// Where a warp's lanes have an outer x k block of an operand: `vector` elements each, along k of A, along n of B.
SharedAccess block_access(TileId tile, const Layout& stage, const Layout& row, const Layout& column, int vector,
                          bool transposed) {
  SharedAccess access{tile, stage, row, column, vector, std::nullopt};
  if (transposed) std::swap(access.row, access.column);
  return access;
}

/// What the k tile's products are added to.
Token tile_sums(GemmProgram& program, const GemmPlan& plan) {
  return plan.tiling.promote ? program.token("tile sums") : program.c();
}

/// First row of the tile that a warp's group has.
Layout group_row(const GemmPlan& plan) {
  if (plan.tiling.pingpong) return {};  // each has whole tiles
  return along(Coordinate::warp, plan.tiling.tile.m / plan.tiling.consumers, warps_per_group);
}

/// Appends the reads of the words that place the warp's stored elements of A: half of the lanes name them to the
/// instruction, all that lie side by side of a row each.
Metadata append_metadata(Body& body, GemmProgram& program, const GemmPlan& plan, const Layout& stage) {
  const int m_steps = plan.row_blocks();
  const int blocks = plan.metadata.shared.rows;
  Layout row = group_row(plan) + along(Coordinate::warp, warp_rows, 1, warps_per_group) +
               along(Coordinate::lane, 1, 1, warp_rows);
  if (m_steps > 1) row += along(Coordinate::repeat, wgmma_rows, 1, m_steps);
  SharedAccess from{plan.metadata_tile(),
                    stage,
                    {},
                    row * plan.metadata_words,
                    plan.metadata_words,
                    Bound{along(Coordinate::lane), warp_rows}};
  if (blocks > 1) from.row = along(Coordinate::repeat, 1, m_steps, blocks);
  const Metadata metadata{program.token("metadata"), plan.metadata_words};
  append(body, LoadShared{from, metadata.fragment}, metadata_loads(plan));
  return metadata;
}

/// Rows of wgmma instructions that a group has one after the other, of which some are multiplied at a time.
struct RowBlocks {
  int first = 0;
  int count = 0;
};

/// Steps of the k tile, each one instruction's k, that are multiplied as one group.
struct Steps {
  int first = 0;
  int count = 0;
};

/// First row of A that a warp has, of the CTA's tile.
Layout first_row(const GemmPlan& plan) {
  return group_row(plan) + along(Coordinate::warp, warp_rows, 1, warps_per_group);
}

/// wgmma of `steps` of the k tile in `stage`, all but how A comes: k innermost, then n, then m.
WarpgroupMultiply multiplication(GemmProgram& program, const GemmPlan& plan, const Layout& stage, const Steps& steps) {
  const MmaShape& shape = plan.tiling.instruction;
  const int n_steps = plan.tiling.tile.n / shape.n;
  Layout k(std::int64_t{steps.first} * shape.k);
  if (steps.count > 1) k += along(Coordinate::repeat, shape.k, 1, steps.count);
  Layout n;
  if (n_steps > 1) n = along(Coordinate::repeat, shape.n, steps.count, n_steps);
  WarpgroupMultiply multiply;
  const int vector_b = shape.n * shape.k / lanes_per_warp;
  multiply.b = block_access(tile_b, stage, k + along(Coordinate::lane, 1, 1, shape.k),
                            n + along(Coordinate::lane, vector_b, shape.k), vector_b, plan.b.shared_transposed);
  multiply.c = tile_sums(program, plan);
  multiply.input = plan.problem.dtype;
  multiply.accumulate = plan.problem.accumulate;
  multiply.shape = shape;
  multiply.a_transposed = plan.a.shared_transposed;
  multiply.b_transposed = plan.b.shared_transposed;
  multiply.c_transposed = plan.tiling.swap_ab;
  return multiply;
}

/// Appends the wgmma of `blocks` of the k tile in `stage`, as one group.
void append_multiply(Body& body, GemmProgram& program, const GemmPlan& plan, const Layout& stage,
                     const RowBlocks& blocks) {
  const MmaShape& shape = plan.tiling.instruction;
  const int k_steps = plan.tiling.tile.k / shape.k;
  const int n_steps = plan.tiling.tile.n / shape.n;
  const int half = plan.problem.sparse ? 2 : 1;
  const Layout stored_k = along(Coordinate::repeat, shape.k / half, 1, k_steps);
  Layout m = first_row(plan);
  if (blocks.count > 1) m += along(Coordinate::repeat, wgmma_rows, std::int64_t{k_steps} * n_steps);
  m += std::int64_t{blocks.first} * wgmma_rows;

  WarpgroupMultiply multiply = multiplication(program, plan, stage, {0, k_steps});
  const int vector_a = warp_rows * shape.k / half / lanes_per_warp;
  multiply.a =
      block_access(tile_a, stage, m + along(Coordinate::lane, 1, 1, warp_rows),
                   stored_k + along(Coordinate::lane, vector_a, warp_rows), vector_a, plan.a.shared_transposed);
  if (plan.has_metadata()) multiply.metadata = append_metadata(body, program, plan, stage);
  if (plan.tiling.promote)  // a predicate says that the first wgmma of the tile writes instead of adding
    append(body, Arithmetic{.pipe = Pipe::alu, .reads = {}, .writes = multiply.c, .overhead = true});
  append(body, multiply, std::int64_t{blocks.count} * n_steps * k_steps);
  append(body, WarpgroupCommit{});
}

/// Appends the reads of a step's fragment of A, a transposed one of 4-byte elements, all rows of the group: each lane
/// one element at a time, four lanes along k and eight along m, as the registers have them.
void append_fragment(Body& body, const GemmPlan& plan, const Layout& stage, int step, Token into) {
  const int blocks = plan.row_blocks();
  const int k = plan.tiling.instruction.k;
  const int k_groups = k / quad;
  constexpr int m_lanes = lanes_per_warp / quad;
  constexpr int m_groups = warp_rows / m_lanes;
  SharedAccess from{tile_a, stage, Layout(std::int64_t{step} * k), first_row(plan), 1, std::nullopt};
  from.row += along(Coordinate::lane, 1, 1, quad) + along(Coordinate::repeat, quad, m_groups, k_groups);
  from.column += along(Coordinate::lane, 1, quad) + along(Coordinate::repeat, m_lanes, 1, m_groups);
  const int block_reads = m_groups * k_groups;
  if (blocks > 1) from.column += along(Coordinate::repeat, wgmma_rows, block_reads);
  append(body, LoadShared{from, into}, std::int64_t{blocks} * block_reads);
}

/// Appends the wgmma of the k tile in `stage` with A from registers, a group for each step: its fragment is read while
/// the steps before are multiplied. With double buffering it is waited for that of the tile before, whose last step is
/// done with when this one's is read.
void append_multiply_from_registers(Body& body, GemmProgram& program, const GemmPlan& plan, const Layout& stage) {
  const int steps = plan.tiling.tile.k / plan.tiling.instruction.k;
  const int n_steps = plan.tiling.tile.n / plan.tiling.instruction.n;
  for (int step = 0; step < steps; ++step) {
    if (plan.tiling.double_buffer) append(body, WarpgroupWait{steps - 1});
    WarpgroupMultiply multiply = multiplication(program, plan, stage, {step, 1});
    const Token fragment = program.token("a" + std::to_string(step));
    append_fragment(body, plan, stage, step, fragment);
    multiply.a = fragment;
    append(body, multiply, std::int64_t{plan.row_blocks()} * n_steps);
    append(body, WarpgroupCommit{});
  }
}

/// Until the loop's tile is multiplied, or with double buffering the one before.
WarpgroupWait wait_in_loop(const GemmPlan& plan) { return {plan.tiling.double_buffer ? 1 : 0}; }

/// Adds the tile's sums to the product's, so many instructions.
void append_promotion(Body& body, GemmProgram& program, const GemmPlan& plan, std::int64_t instructions) {
  Scale add{.c = program.c(), .source = tile_sums(program, plan), .beta = 1};
  if (plan.has_block_scales()) {
    append_scale_products(program, body, plan);
    add.factors = block_factors(program, plan);
  }
  append(body, add, instructions);
}

/// Appends the multiplication of the k tile in `stage`, its `release` by the warp, and what is done with its sums:
/// promoted ones are added to those of the product as soon as their rows are complete.
template <class Release>
void append_tile(Body& body, GemmProgram& program, const GemmPlan& plan, const Layout& stage, Release&& release) {
  if (plan.has_a_in_registers()) {
    append_multiply_from_registers(body, program, plan, stage);
    if (!plan.tiling.double_buffer) append(body, WarpgroupWait{0});
    return release();
  }
  const int all = plan.row_blocks();
  const int at_a_time = plan.promoted_blocks();
  for (int first = 0; first < all; first += at_a_time) {
    if (plan.has_block_scales()) append_tile_scales_of_a(program, body, plan, stage, first);
    append_multiply(body, program, plan, stage, {first, at_a_time});
    append(body, wait_in_loop(plan));
    if (first + at_a_time == all) release();
    if (plan.tiling.promote) append_promotion(body, program, plan, std::int64_t{plan.accumulators()} * at_a_time / all);
  }
}

/// What is still multiplied after the loop.
void append_drain(Body& body, const GemmPlan& plan) {
  if (plan.tiling.double_buffer && !plan.tiling.pingpong) append(body, WarpgroupWait{0});
}

/// While the loop's tile is multiplied, the stage before it is released. The index goes on from item to item: an item's
/// last stage is released in the first trip of the next; by groups that take turns in its own last trip, for their next
/// is long after.
void append_late_release(Body& body, const GemmPlan& plan, const Pipeline& pipeline, const Walker& walker) {
  const Layout before = walker.stage(plan.tiling.stages - 1);
  if (!plan.tiling.pingpong) return pipeline.copies().release(body, before, Bound{along(walker.k(), -1), 0});
  pipeline.copies().release(body, before, walker.behind_first());
  append(body, WarpgroupWait{0}, 1, walker.at_last());
  pipeline.copies().release(body, walker.stage(), walker.at_last());
}

/// All warps multiply, and one of them issues the copies.
Program sharing(const GemmPlan& plan) {
  const Pipeline pipeline(plan);
  GemmProgram program(plan);
  const Walker& walker = program.walker;
  program.begin(0);
  program.clear(program.body());
  pipeline.append_start(program.body());
  // A stage is filled again as soon as it has been multiplied; with double buffering that is a trip later.
  const std::int64_t ahead = plan.tiling.stages - (plan.tiling.double_buffer ? 1 : 0);
  Loop first{ahead, {}, false};
  pipeline.copies().copy(first.body, walker.first_step(ahead), true);
  program.body().emplace_back(std::move(first));

  Loop loop = walker.k_loop(true);
  pipeline.append_full(loop.body, walker);
  append_overhead(loop.body, loop_overhead + stage_overhead + coordinate_overhead);
  append_tile(loop.body, program, plan, walker.stage(), [&] {
    append(loop.body, CtaBarrier{});  // all have read the stage that is filled next
    pipeline.copies().copy(loop.body, walker.step(ahead), true);
  });
  program.body().emplace_back(std::move(loop));
  append_drain(program.body(), plan);
  append_epilogue(program, program.body(), plan, wgmma_result(plan));
  append_epilogue_end(program.body(), plan);
  pipeline.append_end(program.body());
  return program.take();
}

/// Of all consumers, or of one group of those that take turns.
Program wgmma_consumer(const GemmPlan& plan, std::optional<int> group) {
  const Pipeline pipeline(plan);
  GemmProgram program(plan);
  const Walker& walker = program.walker;
  program.begin(0);
  if (plan.tiling.consumer_registers > 0) append(program.body(), RegisterReallocate{plan.tiling.consumer_registers});
  pipeline.append_start(program.body());

  Body item;
  if (plan.has_block_scales()) append_scales_of_b(program, item, plan);
  program.clear(item);
  Loop loop = walker.k_loop(!group);
  if (plan.has_block_scales()) append_tile_scales_of_b(program, loop.body, plan);
  pipeline.append_full(loop.body, walker);
  append_overhead(loop.body, loop_overhead + stage_overhead);
  append_tile(loop.body, program, plan, walker.stage(), [&] {
    if (plan.tiling.double_buffer)
      append_late_release(loop.body, plan, pipeline, walker);
    else
      pipeline.copies().release(loop.body, walker.stage());
  });
  item.emplace_back(std::move(loop));
  append_drain(item, plan);
  append_epilogue(program, item, plan, wgmma_result(plan));
  walker.append_items(program.body(), std::move(item), group);
  append_epilogue_end(program.body(), plan);
  pipeline.append_end(program.body());
  return program.take();
}

std::vector<Role> consumers(const GemmPlan& plan) {
  const int warps = plan.compute_warps();
  if (!plan.tiling.pingpong) return {{"consumer", warps, wgmma_consumer(plan, std::nullopt)}};
  std::vector<Role> groups;
  groups.reserve(pingpong_groups);
  for (int group = 0; group < pingpong_groups; ++group)
    groups.push_back({"consumer " + std::to_string(group), warps, wgmma_consumer(plan, group)});
  return groups;
}

}  // namespace

int metadata_loads(const GemmPlan& plan) { return plan.row_blocks() * plan.metadata.shared.rows; }

std::vector<Role> wgmma_roles(const GemmPlan& plan) {
  const int warps = plan.compute_warps();
  if (!plan.tiling.specialize) return {{"worker", warps, sharing(plan)}};
  const int registers = plan.tiling.producer_registers;
  std::vector<Role> roles = consumers(plan);
  roles.push_back({"producer", 1, producer_program(plan, registers)});
  // Registers are reallocated by whole warp groups.
  if (registers > 0) roles.push_back({"idle", warps_per_group - 1, idle_program(plan, registers)});
  return roles;
}

}  // namespace gpusim::schedules
