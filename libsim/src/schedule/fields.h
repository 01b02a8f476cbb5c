// The one list of fields of everything in a schedule, from which writing, reading and refusing JSON and the digest
// follow.
#pragma once

#include <string_view>
#include <tuple>
#include <utility>

#include "gpusim/schedule.h"

namespace gpusim::schedule {

template <class Owner, class Value>
struct Member {
  std::string_view key;
  Value Owner::*pointer;
  bool required = true;  ///< otherwise it keeps its default where a file leaves it out
};

template <class Owner, class Value>
constexpr Member<Owner, Value> required(std::string_view key, Value Owner::*pointer) {
  return {key, pointer, true};
}
template <class Owner, class Value>
constexpr Member<Owner, Value> optional(std::string_view key, Value Owner::*pointer) {
  return {key, pointer, false};
}

/// FieldsOf<T>::list is a tuple of T's Members; an Action's FieldsOf also has its name in JSON.
template <class T>
struct FieldsOf;

template <class T>
concept HasFields = requires {
  FieldsOf<T>::list;
};

/// Calls visit(member) for each member of T, in order.
template <class T, class Visit>
void for_each_field(Visit&& visit) {
  std::apply([&](const auto&... members) { (visit(members), ...); }, FieldsOf<T>::list);
}

template <>
struct FieldsOf<Bound> {
  static constexpr std::tuple list{required("value", &Bound::value), required("limit", &Bound::limit)};
};
template <>
struct FieldsOf<GlobalAccess> {
  static constexpr std::tuple list{
      required("buffer", &GlobalAccess::buffer),  required("row", &GlobalAccess::row),
      required("column", &GlobalAccess::column),  optional("vector", &GlobalAccess::vector),
      optional("lanes", &GlobalAccess::lanes),    optional("address", &GlobalAccess::address),
      optional("uniform", &GlobalAccess::uniform)};
};
template <>
struct FieldsOf<SharedAccess> {
  static constexpr std::tuple list{
      required("tile", &SharedAccess::tile),       optional("stage", &SharedAccess::stage),
      required("row", &SharedAccess::row),         required("column", &SharedAccess::column),
      optional("vector", &SharedAccess::vector),   optional("lanes", &SharedAccess::lanes),
      optional("address", &SharedAccess::address), optional("uniform", &SharedAccess::uniform),
      optional("peer", &SharedAccess::peer)};
};
template <>
struct FieldsOf<BarrierSlot> {
  static constexpr std::tuple list{required("barrier", &BarrierSlot::barrier), optional("slot", &BarrierSlot::slot)};
};
template <>
struct FieldsOf<MmaShape> {
  static constexpr std::tuple list{required("m", &MmaShape::m), required("n", &MmaShape::n),
                                   required("k", &MmaShape::k)};
};

template <>
struct FieldsOf<LoadGlobal> {
  static constexpr std::string_view name = "load_global";
  static constexpr std::tuple list{required("into", &LoadGlobal::into), required("from", &LoadGlobal::from),
                                   optional("bypass_l1", &LoadGlobal::bypass_l1)};
};
template <>
struct FieldsOf<StoreGlobal> {
  static constexpr std::string_view name = "store_global";
  static constexpr std::tuple list{required("to", &StoreGlobal::to), required("from", &StoreGlobal::from)};
};
template <>
struct FieldsOf<LoadShared> {
  static constexpr std::string_view name = "load_shared";
  static constexpr std::tuple list{required("into", &LoadShared::into), required("from", &LoadShared::from)};
};
template <>
struct FieldsOf<StoreShared> {
  static constexpr std::string_view name = "store_shared";
  static constexpr std::tuple list{required("to", &StoreShared::to), required("from", &StoreShared::from)};
};
template <>
struct FieldsOf<CopyAsync> {
  static constexpr std::string_view name = "copy_async";
  static constexpr std::tuple list{required("to", &CopyAsync::to), required("from", &CopyAsync::from),
                                   optional("through_l1", &CopyAsync::through_l1)};
};
template <>
struct FieldsOf<CommitGroup> {
  static constexpr std::string_view name = "commit_group";
  static constexpr std::tuple<> list{};
};
template <>
struct FieldsOf<WaitGroup> {
  static constexpr std::string_view name = "wait_group";
  static constexpr std::tuple list{required("pending", &WaitGroup::pending)};
};
template <>
struct FieldsOf<BulkCopy> {
  static constexpr std::string_view name = "bulk_copy";
  static constexpr std::tuple list{required("buffer", &BulkCopy::buffer),
                                   required("row", &BulkCopy::row),
                                   required("column", &BulkCopy::column),
                                   required("rows", &BulkCopy::rows),
                                   required("columns", &BulkCopy::columns),
                                   required("tile", &BulkCopy::tile),
                                   optional("stage", &BulkCopy::stage),
                                   required("done", &BulkCopy::done),
                                   optional("rank", &BulkCopy::rank),
                                   optional("planes", &BulkCopy::planes),
                                   optional("plane_rows", &BulkCopy::plane_rows)};
};
template <>
struct FieldsOf<BarrierArrive> {
  static constexpr std::string_view name = "barrier_arrive";
  static constexpr std::tuple list{required("at", &BarrierArrive::at), optional("expect", &BarrierArrive::expect)};
};
template <>
struct FieldsOf<BarrierWait> {
  static constexpr std::string_view name = "barrier_wait";
  static constexpr std::tuple list{required("at", &BarrierWait::at), required("phase", &BarrierWait::phase)};
};
template <>
struct FieldsOf<Multiply> {
  static constexpr std::string_view name = "multiply";
  static constexpr std::tuple list{required("pipe", &Multiply::pipe),   required("c", &Multiply::c),
                                   required("a", &Multiply::a),         required("b", &Multiply::b),
                                   required("input", &Multiply::input), required("accumulate", &Multiply::accumulate),
                                   optional("shape", &Multiply::shape), optional("sparse", &Multiply::sparse)};
};
template <>
struct FieldsOf<Scale> {
  static constexpr std::string_view name = "scale";
  static constexpr std::tuple list{required("c", &Scale::c), optional("source", &Scale::source),
                                   optional("alpha", &Scale::alpha), optional("beta", &Scale::beta)};
};
template <>
struct FieldsOf<Arithmetic> {
  static constexpr std::string_view name = "arithmetic";
  static constexpr std::tuple list{required("pipe", &Arithmetic::pipe), optional("writes", &Arithmetic::writes),
                                   optional("reads", &Arithmetic::reads), optional("overhead", &Arithmetic::overhead)};
};
template <>
struct FieldsOf<CtaBarrier> {
  static constexpr std::string_view name = "cta_barrier";
  static constexpr std::tuple<> list{};
};
template <>
struct FieldsOf<LoadConstant> {
  static constexpr std::string_view name = "load_constant";
  static constexpr std::tuple list{required("into", &LoadConstant::into), optional("address", &LoadConstant::address)};
};
template <>
struct FieldsOf<AtomicAdd> {
  static constexpr std::string_view name = "atomic_add";
  static constexpr std::tuple list{required("to", &AtomicAdd::to), required("from", &AtomicAdd::from),
                                   optional("into", &AtomicAdd::into)};
};
template <>
struct FieldsOf<WarpgroupMultiply> {
  static constexpr std::string_view name = "warpgroup_multiply";
  static constexpr std::tuple list{required("c", &WarpgroupMultiply::c),
                                   required("a", &WarpgroupMultiply::a),
                                   required("b", &WarpgroupMultiply::b),
                                   required("input", &WarpgroupMultiply::input),
                                   required("accumulate", &WarpgroupMultiply::accumulate),
                                   required("shape", &WarpgroupMultiply::shape)};
};
template <>
struct FieldsOf<WarpgroupCommit> {
  static constexpr std::string_view name = "warpgroup_commit";
  static constexpr std::tuple<> list{};
};
template <>
struct FieldsOf<WarpgroupWait> {
  static constexpr std::string_view name = "warpgroup_wait";
  static constexpr std::tuple list{required("pending", &WarpgroupWait::pending)};
};
template <>
struct FieldsOf<ClusterBarrier> {
  static constexpr std::string_view name = "cluster_barrier";
  static constexpr std::tuple list{optional("relaxed", &ClusterBarrier::relaxed)};
};

template <>
struct FieldsOf<Buffer> {
  static constexpr std::tuple list{required("name", &Buffer::name),       required("rows", &Buffer::rows),
                                   required("columns", &Buffer::columns), required("pitch", &Buffer::pitch),
                                   required("dtype", &Buffer::dtype),     optional("placement", &Buffer::placement),
                                   optional("slice", &Buffer::slice)};
};
template <>
struct FieldsOf<SharedTile> {
  static constexpr std::tuple list{required("name", &SharedTile::name),       required("rows", &SharedTile::rows),
                                   required("columns", &SharedTile::columns), required("dtype", &SharedTile::dtype),
                                   optional("stages", &SharedTile::stages),   required("pitch", &SharedTile::pitch),
                                   optional("swizzle", &SharedTile::swizzle)};
};
template <>
struct FieldsOf<Barrier> {
  static constexpr std::tuple list{required("name", &Barrier::name), optional("slots", &Barrier::slots),
                                   optional("arrivals", &Barrier::arrivals)};
};
template <>
struct FieldsOf<Work> {
  static constexpr std::tuple list{required("flops", &Work::flops), required("pipe", &Work::pipe),
                                   required("input", &Work::input), required("accumulate", &Work::accumulate)};
};

/// What follows from an action's name in an operation, a loop, a role and the schedule as a whole.
template <>
struct FieldsOf<Operation> {
  static constexpr std::tuple list{optional("count", &Operation::count), optional("guard", &Operation::guard)};
};
template <>
struct FieldsOf<Loop> {
  static constexpr std::tuple list{required("trips", &Loop::trips), optional("steps_tiles", &Loop::steps_tiles),
                                   required("body", &Loop::body)};
};
template <>
struct FieldsOf<Program> {
  static constexpr std::tuple list{required("tokens", &Program::tokens), required("body", &Program::body)};
};
template <>
struct FieldsOf<Role> {
  static constexpr std::tuple list{required("name", &Role::name), required("warps", &Role::warps),
                                   required("program", &Role::program)};
};
template <>
struct FieldsOf<Schedule> {
  static constexpr std::tuple list{
      required("name", &Schedule::name),         optional("choices", &Schedule::choices),
      required("work", &Schedule::work),         required("grid_m", &Schedule::grid_m),
      required("grid_n", &Schedule::grid_n),     optional("cluster", &Schedule::cluster),
      optional("order", &Schedule::order),       required("registers_per_thread", &Schedule::registers_per_thread),
      required("buffers", &Schedule::buffers),   optional("shared_tiles", &Schedule::shared_tiles),
      optional("barriers", &Schedule::barriers), required("roles", &Schedule::roles)};
};

}  // namespace gpusim::schedule
