#include "schedules/gemm_pipeline.h"

namespace gpusim::schedules {

void Pipeline::append_start(Body& body) const {
  if (copies_.shared_by_cluster())
    append(body, ClusterBarrier{.relaxed = true});
  else
    append(body, CtaBarrier{});
}

void Pipeline::append_end(Body& body) const {
  if (copies_.shared_by_cluster()) append(body, ClusterBarrier{});
}

void Pipeline::append_full(Body& body, const Walker& walker) const {
  const BarrierSlot full{barrier_full, walker.stage()};
  if (consumers_arrive_) append(body, BarrierArrive{full, Bytes(), std::nullopt});
  append(body, BarrierWait{full, walker.round()});
}

Program producer_program(const GemmPlan& plan, int registers) {
  const Pipeline pipeline(plan);
  GemmProgram program(plan);
  const Walker& walker = program.walker;
  program.begin_producer();
  if (registers > 0) append(program.body(), RegisterReallocate{registers});
  pipeline.append_start(program.body());
  Loop loop = walker.k_loop(plan.tiling.pingpong);  // where consumers take turns none of them has all k tiles
  append(loop.body, BarrierWait{{barrier_empty, walker.stage()}, walker.round() + -1});
  pipeline.copies().copy(loop.body, walker.step(), false);
  append_overhead(loop.body, loop_overhead + stage_overhead + coordinate_overhead);
  Body item;
  item.emplace_back(std::move(loop));
  walker.append_items(program.body(), std::move(item));
  pipeline.append_end(program.body());
  return program.take();
}

Program idle_program(const GemmPlan& plan, int registers) {
  const Pipeline pipeline(plan);
  Program program;
  append(program.body, RegisterReallocate{registers});
  pipeline.append_start(program.body);
  pipeline.append_end(program.body);
  return program;
}

std::vector<Barrier> pipeline_barriers(const GemmPlan& plan) {
  const int arrivals = 1 + (plan.tiling.consumers_arrive ? plan.compute_warps() : 0);
  std::vector<Barrier> barriers{{"full", plan.tiling.stages, arrivals}};
  if (plan.tiling.specialize) barriers.push_back({"empty", plan.tiling.stages, BulkCopies(plan).releases()});
  return barriers;
}

}  // namespace gpusim::schedules
