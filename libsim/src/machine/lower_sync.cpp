// Lowering of groups, barriers and what has no operands.
#include "machine/lowering.h"

namespace gpusim::machine {

void Lowering::at_barrier(const BarrierSlot& slot, sm::Step& step) {
  step.barrier = static_cast<std::int32_t>(slot.barrier.index());
  step.slot = sm::Base::of_warp(slot.slot);
}

void Lowering::lower_action(const CommitGroup&, sm::Step& step) {
  step.kind = sm::StepKind::commit_group;
  step.serial_class = sm::serial_exempt;
}

void Lowering::lower_action(const WaitGroup& wait, sm::Step& step) {
  step.kind = sm::StepKind::wait_group;
  step.pending = wait.pending;
  step.serial_class = sm::serial_exempt;
}

void Lowering::lower_action(const BulkCommit&, sm::Step& step) {
  step.kind = sm::StepKind::bulk_commit;
  step.serial_class = sm::serial_exempt;
}

void Lowering::lower_action(const BulkWait& wait, sm::Step& step) {
  step.kind = sm::StepKind::bulk_wait;
  step.pending = wait.pending;
  step.serial_class = sm::serial_exempt;
}

void Lowering::lower_action(const WarpgroupCommit&, sm::Step& step) {
  step.kind = sm::StepKind::warpgroup_commit;
  step.serial_class = sm::serial_exempt;
}

void Lowering::lower_action(const WarpgroupWait& wait, sm::Step& step) {
  step.kind = sm::StepKind::warpgroup_wait;
  step.pending = wait.pending;
  step.serial_class = sm::serial_exempt;
}

void Lowering::lower_action(const BarrierArrive& arrive, sm::Step& step) {
  step.kind = arrive.peer ? sm::StepKind::arrive_peer : sm::StepKind::barrier_arrive;
  if (arrive.peer) step.peer = sm::Base::of_warp(*arrive.peer);
  step.expect = arrive.expect.count();
  at_barrier(arrive.at, step);
}

void Lowering::lower_action(const BarrierWait& wait, sm::Step& step) {
  step.kind = sm::StepKind::barrier_wait;
  step.phase = sm::Base::of_warp(wait.phase);
  at_barrier(wait.at, step);
}

void Lowering::lower_action(const CtaBarrier&, sm::Step& step) { step.kind = sm::StepKind::cta_barrier; }

void Lowering::lower_action(const ClusterBarrier& barrier, sm::Step& step) {
  step.kind = sm::StepKind::cluster_barrier;
  step.relaxed = barrier.relaxed;
}

void Lowering::lower_action(const GridBarrier& barrier, sm::Step& step) {
  step.kind = sm::StepKind::grid_barrier;
  step.relaxed = !barrier.waits;
}

void Lowering::lower_action(const RegisterReallocate& reallocate, sm::Step& step) {
  step.kind = sm::StepKind::register_reallocate;
  step.registers = reallocate.registers;
  step.serial_class = sm::serial_exempt;
}

}  // namespace gpusim::machine
