// The fields of accesses and actions.
#pragma once

#include <string_view>
#include <tuple>

#include "gpusim/program.h"
#include "schedule/field_list.h"

namespace gpusim::schedule {

template <>
struct FieldsOf<Bound> {
  static constexpr std::tuple list{required("value", &Bound::value), required("limit", &Bound::limit)};
};
template <>
struct FieldsOf<GlobalAccess> {
  static constexpr std::tuple list{
      required("buffer", &GlobalAccess::buffer),        required("row", &GlobalAccess::row),
      required("column", &GlobalAccess::column),        optional("vector", &GlobalAccess::vector),
      optional("lanes", &GlobalAccess::lanes),          optional("address", &GlobalAccess::address),
      optional("uniform", &GlobalAccess::uniform),      sparse("layer", &GlobalAccess::layer),
      sparse("whole_lines", &GlobalAccess::whole_lines)};
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
struct FieldsOf<RegisterReads> {
  static constexpr std::tuple list{required("operands", &RegisterReads::operands),
                                   optional("instructions", &RegisterReads::instructions)};
};

template <>
struct FieldsOf<Metadata> {
  static constexpr std::tuple list{required("fragment", &Metadata::fragment), optional("words", &Metadata::words)};
};

template <>
struct FieldsOf<BlockFactors> {
  static constexpr std::tuple list{required("rows", &BlockFactors::rows), required("columns", &BlockFactors::columns),
                                   optional("width", &BlockFactors::width), optional("before", &BlockFactors::before),
                                   optional("k", &BlockFactors::k)};
};

template <>
struct FieldsOf<LoadGlobal> {
  static constexpr std::string_view name = "load_global";
  static constexpr std::tuple list{required("into", &LoadGlobal::into), required("from", &LoadGlobal::from),
                                   optional("bypass_l1", &LoadGlobal::bypass_l1),
                                   sparse("origin_row", &LoadGlobal::origin_row),
                                   sparse("origin_column", &LoadGlobal::origin_column)};
};
template <>
struct FieldsOf<StoreGlobal> {
  static constexpr std::string_view name = "store_global";
  static constexpr std::tuple list{required("to", &StoreGlobal::to), required("from", &StoreGlobal::from),
                                   sparse("origin_row", &StoreGlobal::origin_row),
                                   sparse("origin_column", &StoreGlobal::origin_column),
                                   sparse("by_lane", &StoreGlobal::by_lane)};
};
template <>
struct FieldsOf<LoadShared> {
  static constexpr std::string_view name = "load_shared";
  static constexpr std::tuple list{required("into", &LoadShared::into), required("from", &LoadShared::from),
                                   sparse("how", &LoadShared::how)};
};
template <>
struct FieldsOf<StoreShared> {
  static constexpr std::string_view name = "store_shared";
  static constexpr std::tuple list{required("to", &StoreShared::to), required("from", &StoreShared::from),
                                   sparse("origin_row", &StoreShared::origin_row),
                                   sparse("origin_column", &StoreShared::origin_column),
                                   sparse("packs", &StoreShared::packs)};
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
                                   optional("plane_rows", &BulkCopy::plane_rows),
                                   sparse("layer", &BulkCopy::layer),
                                   sparse("tile_row", &BulkCopy::tile_row),
                                   sparse("tile_column", &BulkCopy::tile_column),
                                   sparse("multicast", &BulkCopy::multicast)};
};
template <>
struct FieldsOf<BarrierArrive> {
  static constexpr std::string_view name = "barrier_arrive";
  static constexpr std::tuple list{required("at", &BarrierArrive::at), optional("expect", &BarrierArrive::expect),
                                   sparse("peer", &BarrierArrive::peer)};
};
template <>
struct FieldsOf<BarrierWait> {
  static constexpr std::string_view name = "barrier_wait";
  static constexpr std::tuple list{required("at", &BarrierWait::at), required("phase", &BarrierWait::phase)};
};
template <>
struct FieldsOf<Multiply> {
  static constexpr std::string_view name = "multiply";
  static constexpr std::tuple list{required("pipe", &Multiply::pipe),
                                   required("c", &Multiply::c),
                                   required("a", &Multiply::a),
                                   required("b", &Multiply::b),
                                   required("input", &Multiply::input),
                                   required("accumulate", &Multiply::accumulate),
                                   optional("shape", &Multiply::shape),
                                   optional("sparse", &Multiply::sparse),
                                   sparse("a_transposed", &Multiply::a_transposed),
                                   sparse("b_transposed", &Multiply::b_transposed),
                                   sparse("reads", &Multiply::reads)};
};
template <>
struct FieldsOf<Scale> {
  static constexpr std::string_view name = "scale";
  static constexpr std::tuple list{required("c", &Scale::c),          optional("source", &Scale::source),
                                   optional("alpha", &Scale::alpha),  optional("beta", &Scale::beta),
                                   sparse("bias", &Scale::bias),      sparse("activation", &Scale::activation),
                                   sparse("factors", &Scale::factors)};
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
                                   required("shape", &WarpgroupMultiply::shape),
                                   sparse("a_transposed", &WarpgroupMultiply::a_transposed),
                                   sparse("b_transposed", &WarpgroupMultiply::b_transposed),
                                   sparse("c_transposed", &WarpgroupMultiply::c_transposed),
                                   sparse("metadata", &WarpgroupMultiply::metadata)};
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
struct FieldsOf<BulkStore> {
  static constexpr std::string_view name = "bulk_store";
  static constexpr std::tuple list{
      required("buffer", &BulkStore::buffer),        required("row", &BulkStore::row),
      required("column", &BulkStore::column),        required("rows", &BulkStore::rows),
      required("columns", &BulkStore::columns),      required("tile", &BulkStore::tile),
      optional("stage", &BulkStore::stage),          optional("tile_row", &BulkStore::tile_row),
      optional("layer", &BulkStore::layer),          optional("reduce", &BulkStore::reduce),
      sparse("tile_column", &BulkStore::tile_column)};
};
template <>
struct FieldsOf<BulkCommit> {
  static constexpr std::string_view name = "bulk_commit";
  static constexpr std::tuple<> list{};
};
template <>
struct FieldsOf<BulkWait> {
  static constexpr std::string_view name = "bulk_wait";
  static constexpr std::tuple list{required("pending", &BulkWait::pending)};
};
template <>
struct FieldsOf<GridBarrier> {
  static constexpr std::string_view name = "grid_barrier";
  static constexpr std::tuple list{sparse("waits", &GridBarrier::waits)};
};
template <>
struct FieldsOf<RegisterReallocate> {
  static constexpr std::string_view name = "register_reallocate";
  static constexpr std::tuple list{required("registers", &RegisterReallocate::registers)};
};

template <>
struct FieldsOf<Dealing> {
  static constexpr std::tuple list{required("vector", &Dealing::vector), required("slots", &Dealing::slots)};
};
template <>
struct FieldsOf<Map> {
  static constexpr std::string_view name = "map";
  static constexpr std::tuple list{required("pipe", &Map::pipe),
                                   required("into", &Map::into),
                                   required("a", &Map::a),
                                   sparse("b", &Map::b),
                                   sparse("combination", &Map::combination),
                                   sparse("alpha", &Map::alpha),
                                   sparse("beta", &Map::beta),
                                   sparse("term", &Map::term),
                                   sparse("function", &Map::function),
                                   sparse("b_from", &Map::b_from),
                                   sparse("dealing", &Map::dealing),
                                   sparse("columns", &Map::columns),
                                   sparse("diagonal", &Map::diagonal)};
};
template <>
struct FieldsOf<Reduce> {
  static constexpr std::string_view name = "reduce";
  static constexpr std::tuple list{required("pipe", &Reduce::pipe),     required("into", &Reduce::into),
                                   required("from", &Reduce::from),     sparse("reduction", &Reduce::reduction),
                                   sparse("dealing", &Reduce::dealing), sparse("keep", &Reduce::keep)};
};
template <>
struct FieldsOf<Shuffle> {
  static constexpr std::string_view name = "shuffle";
  static constexpr std::tuple list{required("into", &Shuffle::into), required("from", &Shuffle::from),
                                   required("distance", &Shuffle::distance)};
};
template <>
struct FieldsOf<TransposeMatrices> {
  static constexpr std::string_view name = "transpose_matrices";
  static constexpr std::tuple list{required("fragment", &TransposeMatrices::fragment)};
};

}  // namespace gpusim::schedule
