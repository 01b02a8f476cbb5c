// gpusim/schedule.h: a schedule is read here, not built; parse_schedule() and the generators make them.
#include "gpusim/schedule.h"

#include "bindings.h"
#include "digest.h"
#include "gpusim/schedule_io.h"
#include "pairs.h"
#include "record.h"

namespace bindings {

namespace {

using gpusim::Schedule;

void bind_parts(py::module_& module) {
  using namespace gpusim;
  Record<Buffer>(module, "Buffer", "A row-major matrix in global memory.")
      .member("name", &Buffer::name, "Buffers of equal name in one run are the same memory.")
      .member("rows", &Buffer::rows, "Rows.")
      .member("columns", &Buffer::columns, "Columns.")
      .member("pitch", &Buffer::pitch, "Elements from one row to the next.")
      .member("dtype", &Buffer::dtype, "Type of the elements.")
      .member("placement", &Buffer::placement,
              "Where its rows lie: linear, shuffled, or one_slice (each in a line of its own, all of one L2 slice).")
      .member("slice", &Buffer::slice, "That slice.")
      .member("layers", &Buffer::layers, "Matrices of this shape.")
      .member("layer_pitch", &Buffer::layer_pitch,
              "Elements from one of them to the next where they lie side by side; 0: one after another.")
      .with_repr();
  Record<SharedTile>(module, "SharedTile", "A matrix in shared memory.")
      .member("name", &SharedTile::name, "Its name.")
      .member("rows", &SharedTile::rows, "Rows.")
      .member("columns", &SharedTile::columns, "Columns.")
      .member("dtype", &SharedTile::dtype, "Type of the elements.")
      .member("stages", &SharedTile::stages, "Buffers of it.")
      .member("pitch", &SharedTile::pitch, "Bytes from one row to the next.")
      .computed(
          "swizzle", [](const SharedTile& tile) { return static_cast<int>(tile.swizzle); },
          "Width of the XOR swizzle in bytes; 0: none.")
      .with_repr();
  Record<Role>(module, "Role", "Warps that run the same program.")
      .member("name", &Role::name, "Its name.")
      .member("warps", &Role::warps, "Warps of a CTA.")
      .computed(
          "program", [](const Role& role) { return to_string(role.program); }, "Its program, as a listing.")
      .bound()
      .def("__repr__", [](const Role& role) {
        return "<gpusim.Role " + role.name + ": " + std::to_string(role.warps) + " warps>";
      });
  Record<Work>(module, "Work", "What a kernel is for, in people's units.")
      .member("flops", &Work::flops, "Useful operations of the whole grid.")
      .member("pipe", &Work::pipe, "Where they run.")
      .member("input", &Work::input, "Type of the operands.")
      .member("accumulate", &Work::accumulate, "Type of the sums.")
      .member("sparse", &Work::sparse, "Whether A is 2:4 sparse: `flops` count its zeros.")
      .picklable()
      .with_repr();
  Record<WorkItem>(module, "WorkItem", "A tile of the output, or a range of its k tiles.")
      .member("block_m", &WorkItem::block_m, "Its place along the rows of the output.")
      .member("block_n", &WorkItem::block_n, "Along its columns.")
      .member("block_z", &WorkItem::block_z, "Along its layers.")
      .member("k_first", &WorkItem::k_first, "The first k tile.")
      .member("k_tiles", &WorkItem::k_tiles, "How many of them.")
      .member("partial", &WorkItem::partial, "Whether other items have the rest of k.")
      .with_repr();
  Record<Occupancy>(module, "Occupancy", "CTAs that fit one SM at a time.")
      .member("ctas", &Occupancy::ctas, "How many.")
      .member("limiter", &Occupancy::limiter,
              "What limits them: registers, shared memory, warps, CTA slots or nothing.")
      .picklable()
      .with_repr();
}

void require_cta(const Schedule& schedule, std::int64_t cta) {
  if (cta < 0 || cta >= gpusim::cta_count(schedule)) throw py::index_error("the schedule has no such CTA");
}

}  // namespace

void bind_schedule(py::module_& module) {
  bind_parts(module);
  Record<Schedule>(module, "Schedule",
                   "A kernel as the machine sees it: buffers, grid, shared memory, registers, and one program for each "
                   "warp role. Immutable. str() lists it like assembly.")
      .member("name", &Schedule::name, "Its name.")
      .member("buffers", &Schedule::buffers, "Matrices in global memory.")
      .member("grid_m", &Schedule::grid_m, "Tiles along the rows of what is tiled: the output or its transpose.")
      .member("grid_n", &Schedule::grid_n, "Tiles along its columns.")
      .member("grid_z", &Schedule::grid_z, "Layers of tiles: products of a batch, each in slices of k.")
      .member("cluster", &Schedule::cluster, "Consecutive CTAs that form a cluster.")
      .member("cluster_m", &Schedule::cluster_m, "Of these so many along m; 0: as they are numbered.")
      .member("order", &Schedule::order,
              "In which order tiles are numbered: row (along n first), column, grouped or hilbert.")
      .member("group", &Schedule::group, "Rows of tiles of a band, for the order grouped.")
      .member("ctas", &Schedule::ctas, "CTAs that walk the tiles; 0: one for each tile.")
      .member("k_tiles", &Schedule::k_tiles, "Tiles along k, where loops walk them.")
      .member("splits", &Schedule::splits, "Equal slices of k.")
      .member("stream_k", &Schedule::stream_k, "Whether all tiles' k tiles are dealt to the CTAs evenly.")
      .member("restarts_k", &Schedule::restarts_k, "With stream_k: whether k tiles are counted from 0 in each item.")
      .member("consecutive", &Schedule::consecutive, "Whether a CTA walks neighbouring tiles.")
      .member("roles", &Schedule::roles, "Warps by program.")
      .member("shared_tiles", &Schedule::shared_tiles, "Matrices in shared memory.")
      .member("registers_per_thread", &Schedule::registers_per_thread, "Registers a thread has.")
      .member("work", &Schedule::work, "What it is for.")
      .computed(
          "choices", [](const Schedule& schedule) { return dict_of(schedule.choices); },
          "What it was generated from, resolved, as text by name.")
      .computed("tile_count", &gpusim::tile_count, "Tiles of the output, all layers.")
      .computed("cta_count", &gpusim::cta_count, "CTAs that are launched.")
      .computed("warps_per_cta", &gpusim::warps_per_cta, "Warps of a CTA.")
      .computed("shared_bytes", &gpusim::shared_bytes, "Bytes of shared memory a CTA asks for.")
      .computed("warp_instructions", &gpusim::warp_instructions, "Warp instructions of CTA 0.")
      .computed(
          "digest", [](const Schedule& schedule) { return hexadecimal(gpusim::digest(schedule)); },
          "Same schedule, same digest, on any machine. 16 hexadecimal digits.")
      .bound()
      .def("__str__", py::overload_cast<const Schedule&>(&gpusim::to_string))
      .def("__repr__", [](const Schedule& schedule) { return "<gpusim.Schedule " + schedule.name + ">"; });

  module.def(
      "work_items",
      [](const Schedule& schedule, std::int64_t cta) {
        require_cta(schedule, cta);
        std::vector<gpusim::WorkItem> items;
        for (std::int64_t i = 0; i < gpusim::work_items(schedule, gpusim::CtaId(cta)); ++i)
          items.push_back(gpusim::work_item(schedule, gpusim::CtaId(cta), i));
        return items;
      },
      py::arg("schedule"), py::arg("cta"),
      "What a CTA works on, in order. Raises IndexError when there is no such CTA.");
  module.def("occupancy", &gpusim::occupancy, py::arg("schedule"), py::arg("profile"),
             "CTAs of this schedule that fit one SM at a time, and what limits them.");
  module.def("check", py::overload_cast<const Schedule&>(&gpusim::check), py::arg("schedule"));
  module.def("check", py::overload_cast<const Schedule&, const gpusim::Profile&>(&gpusim::check), py::arg("schedule"),
             py::arg("profile"));
}

}  // namespace bindings
