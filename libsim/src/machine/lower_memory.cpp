// Lowering of what reads and writes memory.
#include "machine/lowering.h"

#include "sizes.h"

namespace gpusim::machine {
namespace {

void at_peer(const SharedAccess& access, sm::StepKind peer_kind, sm::Step& step) {
  if (!access.peer) return;
  step.kind = peer_kind;
  step.peer = sm::Base::of_warp(*access.peer);
}

}  // namespace

std::int32_t Lowering::global(const GlobalAccess& access, const sm::Step& step) {
  kernel_.globals.push_back(lower_global(access, step.count, warps_, schedule_, memory_));
  return static_cast<std::int32_t>(kernel_.globals.size() - 1);
}

std::int32_t Lowering::shared(const SharedAccess& access, const sm::Step& step) {
  kernel_.shareds.push_back(lower_shared(access, step.count, warps_, schedule_));
  return static_cast<std::int32_t>(kernel_.shareds.size() - 1);
}

std::int32_t Lowering::box(sm::BoxPlan plan) {
  kernel_.boxes.push_back(std::move(plan));
  return static_cast<std::int32_t>(kernel_.boxes.size() - 1);
}

DType Lowering::type_of(const GlobalAccess& access) const {
  return schedule_.buffers[static_cast<std::size_t>(access.buffer.index())].dtype;
}

DType Lowering::type_of(const SharedAccess& access) const {
  return schedule_.shared_tiles[static_cast<std::size_t>(access.tile.index())].dtype;
}

/// Registers of one instruction of the whole warp, and the address it needs.
template <class Access>
void Lowering::on_registers(const Access& access, DType dtype, sm::Step& step) {
  step.wide_bytes = std::int64_t{lanes_per_warp} * access.vector * size_of(dtype);
  step.uniform = access.uniform;
  if (access.address) read_address(*access.address, step);
}

void Lowering::lower_action(const LoadGlobal& load, sm::Step& step) {
  step.kind = sm::StepKind::load_global;
  step.global = global(load.from, step);
  step.through_l1 = !load.bypass_l1;
  step.whole_lines = load.from.whole_lines;
  on_registers(load.from, type_of(load.from), step);
  fill(step, load.into);
}

void Lowering::lower_action(const StoreGlobal& stored, sm::Step& step) {
  step.kind = sm::StepKind::store_global;
  step.global = global(stored.to, step);
  on_registers(stored.to, type_of(stored.to), step);
  store(step, stored.from);
}

void Lowering::lower_action(const LoadConstant& load, sm::Step& step) {
  step.kind = sm::StepKind::load_constant;
  step.latency = (load.address ? profile_.lsu.constant_indexed_latency : profile_.lsu.constant_latency).count();
  if (load.address) read_address(*load.address, step);
  fill(step, load.into);
}

void Lowering::lower_action(const AtomicAdd& atomic, sm::Step& step) {
  step.kind = sm::StepKind::atomic;
  step.global = global(atomic.to, step);
  on_registers(atomic.to, type_of(atomic.to), step);
  store(step, atomic.from);
  if (atomic.into) fill(step, *atomic.into);
}

void Lowering::lower_action(const LoadShared& load, sm::Step& step) {
  step.kind = sm::StepKind::load_shared;
  step.shared = shared(load.from, step);
  kernel_.shareds.back().together = sm::lanes_together(load.how);
  on_registers(load.from, type_of(load.from), step);
  step.wide_bytes = filled_bytes(load, size_of(type_of(load.from)));
  at_peer(load.from, sm::StepKind::load_peer, step);
  fill(step, load.into);
}

void Lowering::lower_action(const StoreShared& stored, sm::Step& step) {
  step.kind = sm::StepKind::store_shared;
  step.shared = shared(stored.to, step);
  on_registers(stored.to, type_of(stored.to), step);
  at_peer(stored.to, sm::StepKind::store_peer, step);
  store(step, stored.from);
}

void Lowering::lower_action(const CopyAsync& copy, sm::Step& step) {
  step.kind = sm::StepKind::copy_async;
  step.through_l1 = copy.through_l1;
  step.whole_lines = copy.from.whole_lines;
  on_registers(copy.from, type_of(copy.from), step);
  step.global = global(copy.from, step);
  step.shared = shared(copy.to, step);
  step.serial_class = sm::serial_exempt;
}

void Lowering::lower_action(const BulkCopy& copy, sm::Step& step) {
  step.kind = sm::StepKind::bulk_copy;
  step.global = box(lower_box(copy, schedule_, memory_));
  step.expect = copy.planes * copy.rows * copy.columns * kernel_.boxes.back().matrix.element_bytes;
  step.multicast = copy.multicast;
  step.serial_class = sm::serial_exempt;
  at_barrier(copy.done, step);
}

void Lowering::lower_action(const BulkStore& stored, sm::Step& step) {
  step.kind = sm::StepKind::bulk_store;
  step.global = box(lower_box(stored, schedule_, memory_));
  step.reduce = stored.reduce;
  step.serial_class = sm::serial_exempt;
}

}  // namespace gpusim::machine
