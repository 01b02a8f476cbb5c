#include "schedules/gemm_roles.h"

#include "schedules/gemm_program.h"

namespace gpusim::schedules {
namespace {

// Loop arithmetic, in instructions a k tile: counter, comparison, branch; and the stage's step and wrap.
constexpr std::int64_t loop_overhead = 3;
constexpr std::int64_t stage_overhead = 2;
constexpr std::int64_t coordinate_overhead = 2;  // of the boxes of A and B

/// Tile, and round through the stages, that the k loop stands at.
struct Ring {
  std::int64_t stages;

  [[nodiscard]] Layout stage() const { return along(Coordinate::loop0, 1, 1, stages); }
  [[nodiscard]] Layout round() const { return along(Coordinate::loop0, 1, stages); }
  [[nodiscard]] TileStep now() const { return {along(Coordinate::loop0), stage()}; }
  /// The tile that goes into the stage just read, stages - 1 tiles on.
  [[nodiscard]] TileStep ahead() const {
    return {along(Coordinate::loop0) + (stages - 1), along(Coordinate::loop0, 1, 1, stages, stages - 1), true};
  }
};

Loop tile_loop(const GemmPlan& plan) { return {plan.k_tiles, {}, true}; }

/// The first stages - 1 tiles, one a trip.
Loop prologue_loop(const GemmPlan& plan) { return {plan.tiling.stages - 1, {}, false}; }
TileStep prologue_step(const GemmPlan& plan) {
  return {along(Coordinate::loop0), along(Coordinate::loop0), plan.tiling.stages - 1 > plan.k_tiles};
}

/// simt and tensor: one tile after another through one buffer.
Program synchronous(const GemmPlan& plan) {
  GemmProgram writer(plan);
  writer.begin();
  Loop loop = tile_loop(plan);
  writer.load_tile(loop.body, {along(Coordinate::loop0), 0});
  writer.overhead(loop.body, writer.copies_per_tile() + loop_overhead);
  writer.store_tile(loop.body);
  append(loop.body, CtaBarrier{});
  writer.multiply_tile(loop.body, 0);
  append(loop.body, CtaBarrier{});
  writer.body().emplace_back(std::move(loop));
  writer.finish();
  return writer.take();
}

Program asynchronous(const GemmPlan& plan) {
  const Ring ring{plan.tiling.stages};
  GemmProgram writer(plan);
  writer.begin();
  Loop prologue = prologue_loop(plan);
  writer.copy_tile(prologue.body, prologue_step(plan));
  append(prologue.body, CommitGroup{});
  writer.body().emplace_back(std::move(prologue));

  Loop loop = tile_loop(plan);
  append(loop.body, WaitGroup{plan.tiling.stages - 2});
  append(loop.body, CtaBarrier{});
  writer.copy_tile(loop.body, ring.ahead());
  append(loop.body, CommitGroup{});
  writer.overhead(loop.body, writer.copies_per_tile() + loop_overhead + stage_overhead);
  writer.multiply_tile(loop.body, ring.stage());
  writer.body().emplace_back(std::move(loop));
  writer.finish();
  return writer.take();
}

/// tma: all warps compute, and one of them, the leader, issues the copies.
Program sharing_tma(const GemmPlan& plan, bool leader) {
  const Ring ring{plan.tiling.stages};
  GemmProgram writer(plan);
  writer.begin();
  append(writer.body(), CtaBarrier{});  // the mbarriers are initialised
  if (leader) {
    Loop prologue = prologue_loop(plan);
    writer.bulk_copy_tile(prologue.body, prologue_step(plan));
    writer.body().emplace_back(std::move(prologue));
  }
  Loop loop = tile_loop(plan);
  append(loop.body, BarrierWait{{barrier_full, ring.stage()}, ring.round()});
  append(loop.body, CtaBarrier{});
  if (leader) writer.bulk_copy_tile(loop.body, ring.ahead());
  writer.overhead(loop.body, loop_overhead + stage_overhead + (leader ? coordinate_overhead : 0));
  writer.multiply_tile(loop.body, ring.stage());
  writer.body().emplace_back(std::move(loop));
  writer.finish();
  return writer.take();
}

/// tma, specialised: these warps only compute ...
Program consumer(const GemmPlan& plan) {
  const Ring ring{plan.tiling.stages};
  GemmProgram writer(plan);
  writer.begin();
  append(writer.body(), CtaBarrier{});
  Loop loop = tile_loop(plan);
  append(loop.body, BarrierWait{{barrier_full, ring.stage()}, ring.round()});
  writer.overhead(loop.body, loop_overhead + stage_overhead);
  writer.multiply_tile(loop.body, ring.stage());
  append(loop.body, BarrierArrive{{barrier_empty, ring.stage()}, Bytes()});
  writer.body().emplace_back(std::move(loop));
  writer.finish();
  return writer.take();
}

/// ... and this one only copies, as far ahead as there are free stages.
Program producer(const GemmPlan& plan) {
  const Ring ring{plan.tiling.stages};
  GemmProgram writer(plan);
  writer.begin_producer();
  append(writer.body(), CtaBarrier{});
  Loop loop{plan.k_tiles, {}, false};
  append(loop.body, BarrierWait{{barrier_empty, ring.stage()}, ring.round() + -1});
  writer.bulk_copy_tile(loop.body, ring.now());
  writer.overhead(loop.body, loop_overhead + stage_overhead + coordinate_overhead);
  writer.body().emplace_back(std::move(loop));
  return writer.take();
}

}  // namespace

std::vector<Role> gemm_roles(const GemmPlan& plan) {
  const int warps = plan.compute_warps();
  switch (plan.tiling.variant) {
    case GemmVariant::simt:
    case GemmVariant::tensor:
      return {{"worker", warps, synchronous(plan)}};
    case GemmVariant::async:
      return {{"worker", warps, asynchronous(plan)}};
    case GemmVariant::tma:
      break;
  }
  if (plan.tiling.specialize) return {{"consumer", warps, consumer(plan)}, {"producer", 1, producer(plan)}};
  std::vector<Role> roles{{"leader", 1, sharing_tma(plan, true)}};
  if (warps > 1) roles.push_back({"worker", warps - 1, sharing_tma(plan, false)});
  return roles;
}

std::vector<Barrier> gemm_barriers(const GemmPlan& plan) {
  if (plan.tiling.variant != GemmVariant::tma) return {};
  std::vector<Barrier> barriers{{"full", plan.tiling.stages, 1}};
  if (plan.tiling.specialize) barriers.push_back({"empty", plan.tiling.stages, plan.compute_warps()});
  return barriers;
}

}  // namespace gpusim::schedules
