#include "schedules/gemm_roles.h"

#include <algorithm>

#include "schedules/gemm_block_scales.h"
#include "schedules/gemm_copies.h"
#include "schedules/gemm_epilogue.h"
#include "schedules/gemm_mma.h"
#include "schedules/gemm_pipeline.h"
#include "schedules/gemm_program.h"
#include "schedules/gemm_simt.h"
#include "schedules/gemm_wgmma.h"

namespace gpusim::schedules {
namespace {

/// tensor: one tile after another through one buffer, or straight from memory.
void write_synchronous(GemmProgram& program, Body& body, const GemmPlan& plan, const WarpCopies& copies,
                       MmaSteps& steps) {
  Loop loop = program.walker.k_loop(true);
  const TileStep step = program.walker.step();
  const bool stages_anything = plan.a.staged || plan.b.staged;
  const std::int64_t overhead = steps.pointers() + loop_overhead;
  if (plan.tiling.load_batch > 0) {
    copies.pass(loop.body, step, plan.tiling.load_batch);
    append_overhead(loop.body, overhead);
  } else {
    copies.load(loop.body, step);
    append_overhead(loop.body, copies.per_tile() + overhead);
    copies.store(loop.body, step);
  }
  if (stages_anything) append(loop.body, CtaBarrier{});
  steps.multiply_tile(loop.body, step);
  if (stages_anything) append(loop.body, CtaBarrier{});
  body.emplace_back(std::move(loop));
}

/// tensor: the next tile is loaded into registers while this one is multiplied. Of two buffers one was read before the
/// last barrier; of one, all have to have read it first.
void write_prefetched(GemmProgram& program, Body& body, const GemmPlan& plan, const WarpCopies& copies,
                      MmaSteps& steps) {
  const Walker& walker = program.walker;
  const bool ring = plan.tiling.stages > 1;
  const TileStep first = walker.first_step();
  // What goes through local memory is waited for on the way, an operand at a time.
  const bool spreads = plan.tiling.interleave && !plan.tiling.through_local;
  const auto load = [&](Body& into) { copies.load(into, walker.step(1), spreads); };
  const int loading_steps = spreads ? std::max(plan.fragment_steps() / 2, 1) : 1;
  const auto hand_over = [&](Body& into) {
    if (!ring) append(into, CtaBarrier{});
    copies.store(into, walker.step(1), spreads);
    append(into, CtaBarrier{});
  };
  if (plan.persistent()) append(body, CtaBarrier{});  // all have read what the item before left
  copies.load(body, first);
  copies.store(body, first);
  append(body, CtaBarrier{});

  Loop loop = walker.k_loop(true);
  const std::int64_t overhead = copies.per_tile() + steps.pointers() + loop_overhead + (ring ? stage_overhead : 0);
  if (steps.carries_over()) {
    steps.read_first(body, first);
    append_overhead(loop.body, overhead);
    steps.multiply_tile_ahead(loop.body, walker.step(), walker.step(1), load, loading_steps, hand_over);
  } else if (spreads) {
    append_overhead(loop.body, overhead);
    steps.multiply_tile(loop.body, walker.step(), load, loading_steps);
    hand_over(loop.body);
  } else {
    load(loop.body);
    append_overhead(loop.body, overhead);
    steps.multiply_tile(loop.body, walker.step());
    hand_over(loop.body);
  }
  body.emplace_back(std::move(loop));
}

/// async with one buffer: cp.async saves the way through registers, and nothing runs ahead.
void write_copied(GemmProgram& program, Body& body, const WarpCopies& copies, MmaSteps& steps) {
  const Walker& walker = program.walker;
  Loop loop = walker.k_loop(true);
  const TileStep step = walker.step();
  copies.copy(loop.body, step);
  append(loop.body, CommitGroup{});
  append_overhead(loop.body, copies.per_tile() + loop_overhead);
  append(loop.body, WaitGroup{0});
  append(loop.body, CtaBarrier{});
  steps.multiply_tile(loop.body, step);
  append(loop.body, CtaBarrier{});
  body.emplace_back(std::move(loop));
}

/// async: cp.async, stages - 1 tiles ahead.
void write_asynchronous(GemmProgram& program, Body& body, const GemmPlan& plan, const WarpCopies& copies,
                        MmaSteps& steps) {
  const Walker& walker = program.walker;
  const std::int64_t ahead = plan.tiling.stages - 1;
  if (plan.persistent()) append(body, CtaBarrier{});  // all have read what the item before left
  Loop first{ahead, {}, false};
  copies.copy(first.body, walker.first_step(ahead));
  append(first.body, CommitGroup{});
  body.emplace_back(std::move(first));

  const bool spreads = steps.carries_over() && plan.tiling.interleave && plan.tiling.stages > 2;
  const auto copy = [&](Body& into) {
    copies.copy(into, walker.step(ahead), spreads);
    append(into, CommitGroup{});
    append_overhead(into, copies.per_tile() + loop_overhead + stage_overhead);
  };
  const auto hand_over = [&](Body& into) {
    append(into, WaitGroup{plan.tiling.stages - 2});
    append(into, CtaBarrier{});
  };
  Loop loop = walker.k_loop(true);
  if (steps.carries_over()) {
    hand_over(body);
    steps.read_first(body, walker.first_step());
    steps.multiply_tile_ahead(loop.body, walker.step(), walker.step(1), copy, spreads ? plan.fragment_steps() - 1 : 1,
                              hand_over);
  } else {
    hand_over(loop.body);
    copy(loop.body);
    steps.multiply_tile(loop.body, walker.step());
  }
  body.emplace_back(std::move(loop));
}

/// tensor and async: all warps alike.
Program worker(const GemmPlan& plan) {
  GemmProgram program(plan);
  const WarpCopies copies(plan, program);
  MmaSteps steps(plan, program);
  program.begin(copies.per_tile() + steps.addresses());
  Body item;
  program.clear(item);
  if (plan.tiling.variant == GemmVariant::async && plan.tiling.stages == 1)
    write_copied(program, item, copies, steps);
  else if (plan.tiling.variant == GemmVariant::async)
    write_asynchronous(program, item, plan, copies, steps);
  else if (plan.tiling.prefetch)
    write_prefetched(program, item, plan, copies, steps);
  else
    write_synchronous(program, item, plan, copies, steps);
  append_epilogue(program, item, plan, mma_result(plan));
  program.walker.append_items(program.body(), std::move(item));
  append_epilogue_end(program.body(), plan);
  return program.take();
}

/// tma: all warps compute, and one of them, the leader, issues the copies.
Program sharing_tma(const GemmPlan& plan, bool leader) {
  const Pipeline pipeline(plan);
  GemmProgram program(plan);
  const Walker& walker = program.walker;
  const std::int64_t ahead = plan.tiling.stages - 1;
  program.begin(0);
  program.clear(program.body());
  MmaSteps steps(plan, program);
  pipeline.append_start(program.body());
  if (leader) {
    Loop first{ahead, {}, false};
    pipeline.copies().copy(first.body, walker.first_step(ahead), false);
    program.body().emplace_back(std::move(first));
  }
  Loop loop = walker.k_loop(true);
  pipeline.append_full(loop.body, walker);
  append(loop.body, CtaBarrier{});
  if (leader) pipeline.copies().copy(loop.body, walker.step(ahead), false);
  append_overhead(loop.body, loop_overhead + stage_overhead + (leader ? coordinate_overhead : 0));
  steps.multiply_tile(loop.body, walker.step());
  program.body().emplace_back(std::move(loop));
  append_epilogue(program, program.body(), plan, mma_result(plan));
  append_epilogue_end(program.body(), plan);
  pipeline.append_end(program.body());
  return program.take();
}

/// tma, specialised: these warps only compute.
Program mma_consumer(const GemmPlan& plan) {
  const Pipeline pipeline(plan);
  GemmProgram program(plan);
  const Walker& walker = program.walker;
  program.begin(0);
  MmaSteps steps(plan, program);
  if (!plan.persistent()) program.clear(program.body());
  pipeline.append_start(program.body());
  Body item;
  if (plan.persistent()) program.clear(item);
  Loop loop = walker.k_loop(true);
  pipeline.append_full(loop.body, walker);
  append_overhead(loop.body, loop_overhead + stage_overhead);
  steps.multiply_tile(loop.body, walker.step());
  pipeline.copies().release(loop.body, walker.stage());
  item.emplace_back(std::move(loop));
  append_epilogue(program, item, plan, mma_result(plan));
  walker.append_items(program.body(), std::move(item));
  append_epilogue_end(program.body(), plan);
  pipeline.append_end(program.body());
  return program.take();
}

std::vector<Role> tma_roles(const GemmPlan& plan) {
  const int warps = plan.compute_warps();
  if (plan.tiling.specialize)
    return {{"consumer", warps, mma_consumer(plan)}, {"producer", 1, producer_program(plan, 0)}};
  std::vector<Role> roles{{"leader", 1, sharing_tma(plan, true)}};
  if (warps > 1) roles.push_back({"worker", warps - 1, sharing_tma(plan, false)});
  return roles;
}

}  // namespace

std::vector<Role> gemm_roles(const GemmPlan& plan) {
  switch (plan.tiling.variant) {
    case GemmVariant::naive:
    case GemmVariant::coalesced:
    case GemmVariant::simt:
      return {{"worker", plan.compute_warps(), simt_program(plan)}};
    case GemmVariant::tensor:
    case GemmVariant::async:
      return {{"worker", plan.compute_warps(), worker(plan)}};
    case GemmVariant::tma:
      return tma_roles(plan);
    case GemmVariant::wgmma:
      break;
  }
  return wgmma_roles(plan);
}

std::vector<Barrier> gemm_barriers(const GemmPlan& plan) {
  if (plan.tiling.variant < GemmVariant::tma) return {};
  std::vector<Barrier> barriers = pipeline_barriers(plan);
  if (const auto staged = staging_barrier(plan)) barriers.push_back(*staged);
  if (const auto turn = staging_turn_barrier(plan)) barriers.push_back(*turn);
  if (plan.has_block_scales()) barriers.push_back(block_scale_barrier(plan));
  return barriers;
}

}  // namespace gpusim::schedules
