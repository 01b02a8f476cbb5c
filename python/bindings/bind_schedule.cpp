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
      .with_repr();
  Record<Occupancy>(module, "Occupancy", "CTAs that fit one SM at a time.")
      .member("ctas", &Occupancy::ctas, "How many.")
      .member("limiter", &Occupancy::limiter,
              "What limits them: registers, shared memory, warps, CTA slots or nothing.")
      .with_repr();
}

}  // namespace

void bind_schedule(py::module_& module) {
  bind_parts(module);
  Record<Schedule>(module, "Schedule",
                   "A kernel as the machine sees it: buffers, grid, shared memory, registers, and one program for each "
                   "warp role. Immutable. str() lists it like assembly.")
      .member("name", &Schedule::name, "Its name.")
      .member("buffers", &Schedule::buffers, "Matrices in global memory.")
      .member("grid_m", &Schedule::grid_m, "CTAs along the rows of the output.")
      .member("grid_n", &Schedule::grid_n, "CTAs along its columns.")
      .member("cluster", &Schedule::cluster, "Consecutive CTAs that form a cluster.")
      .member("order", &Schedule::order, "In which order CTAs are launched: row (along n first) or column.")
      .member("roles", &Schedule::roles, "Warps by program.")
      .member("shared_tiles", &Schedule::shared_tiles, "Matrices in shared memory.")
      .member("registers_per_thread", &Schedule::registers_per_thread, "Registers a thread has.")
      .member("work", &Schedule::work, "What it is for.")
      .computed(
          "choices", [](const Schedule& schedule) { return dict_of(schedule.choices); },
          "What it was generated from, resolved, as text by name.")
      .computed("cta_count", &gpusim::cta_count, "CTAs of the grid.")
      .computed("warps_per_cta", &gpusim::warps_per_cta, "Warps of a CTA.")
      .computed("shared_bytes", &gpusim::shared_bytes, "Bytes of shared memory a CTA asks for.")
      .computed("warp_instructions", &gpusim::warp_instructions, "Warp instructions of the CTA at block (0, 0).")
      .computed(
          "digest", [](const Schedule& schedule) { return hexadecimal(gpusim::digest(schedule)); },
          "Same schedule, same digest, on any machine. 16 hexadecimal digits.")
      .bound()
      .def("__str__", py::overload_cast<const Schedule&>(&gpusim::to_string))
      .def("__repr__", [](const Schedule& schedule) { return "<gpusim.Schedule " + schedule.name + ">"; });

  module.def("occupancy", &gpusim::occupancy, py::arg("schedule"), py::arg("profile"),
             "CTAs of this schedule that fit one SM at a time, and what limits them.");
  module.def("check", py::overload_cast<const Schedule&>(&gpusim::check), py::arg("schedule"));
  module.def("check", py::overload_cast<const Schedule&, const gpusim::Profile&>(&gpusim::check), py::arg("schedule"),
             py::arg("profile"));
}

}  // namespace bindings
