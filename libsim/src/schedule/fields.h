// The one list of fields of everything in a schedule, from which writing, reading and refusing JSON and the digest
// follow.
#pragma once

#include <tuple>

#include "gpusim/schedule.h"
#include "schedule/action_fields.h"
#include "schedule/field_list.h"

namespace gpusim::schedule {

template <>
struct FieldsOf<Buffer> {
  static constexpr std::tuple list{required("name", &Buffer::name),
                                   required("rows", &Buffer::rows),
                                   required("columns", &Buffer::columns),
                                   required("pitch", &Buffer::pitch),
                                   required("dtype", &Buffer::dtype),
                                   optional("placement", &Buffer::placement),
                                   optional("slice", &Buffer::slice),
                                   sparse("layers", &Buffer::layers),
                                   sparse("layer_pitch", &Buffer::layer_pitch)};
};
template <>
struct FieldsOf<SharedTile> {
  static constexpr std::tuple list{
      required("name", &SharedTile::name),       required("rows", &SharedTile::rows),
      required("columns", &SharedTile::columns), required("dtype", &SharedTile::dtype),
      optional("stages", &SharedTile::stages),   required("pitch", &SharedTile::pitch),
      optional("swizzle", &SharedTile::swizzle), sparse("overlaps", &SharedTile::overlaps)};
};
template <>
struct FieldsOf<Barrier> {
  static constexpr std::tuple list{required("name", &Barrier::name), optional("slots", &Barrier::slots),
                                   optional("arrivals", &Barrier::arrivals)};
};
template <>
struct FieldsOf<Work> {
  static constexpr std::tuple list{required("flops", &Work::flops), required("pipe", &Work::pipe),
                                   required("input", &Work::input), required("accumulate", &Work::accumulate),
                                   sparse("sparse", &Work::sparse)};
};

/// What follows from an action's name in an operation, a loop, a role and the schedule as a whole.
template <>
struct FieldsOf<Operation> {
  static constexpr std::tuple list{optional("count", &Operation::count), optional("guard", &Operation::guard)};
};
template <>
struct FieldsOf<Loop> {
  static constexpr std::tuple list{required("trips", &Loop::trips), optional("steps_tiles", &Loop::steps_tiles),
                                   required("body", &Loop::body),   sparse("walk", &Loop::walk),
                                   sparse("turns", &Loop::turns),   sparse("turn", &Loop::turn)};
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
  static constexpr std::tuple list{required("name", &Schedule::name),
                                   optional("choices", &Schedule::choices),
                                   required("work", &Schedule::work),
                                   required("grid_m", &Schedule::grid_m),
                                   required("grid_n", &Schedule::grid_n),
                                   optional("cluster", &Schedule::cluster),
                                   optional("order", &Schedule::order),
                                   required("registers_per_thread", &Schedule::registers_per_thread),
                                   required("buffers", &Schedule::buffers),
                                   optional("shared_tiles", &Schedule::shared_tiles),
                                   optional("barriers", &Schedule::barriers),
                                   required("roles", &Schedule::roles),
                                   sparse("grid_z", &Schedule::grid_z),
                                   sparse("cluster_m", &Schedule::cluster_m),
                                   sparse("group", &Schedule::group),
                                   sparse("ctas", &Schedule::ctas),
                                   sparse("k_tiles", &Schedule::k_tiles),
                                   sparse("splits", &Schedule::splits),
                                   sparse("stream_k", &Schedule::stream_k),
                                   sparse("restarts_k", &Schedule::restarts_k),
                                   sparse("consecutive", &Schedule::consecutive)};
};

}  // namespace gpusim::schedule
