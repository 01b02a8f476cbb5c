// gpusim/functional.h. Only arrays need numpy: check_gemm and rounded work without.
#include "gpusim/functional.h"

#include <pybind11/eigen.h>

#include "bindings.h"
#include "record.h"

namespace bindings {

namespace {

using namespace gpusim::functional;

constexpr const char* execute_doc =
    R"(Executes a schedule on real numbers and returns the buffers as it leaves them.

before  a matrix of float64 for each buffer of the schedule, rows x columns, by name

Arithmetic is in double precision; elements are rounded to their buffer's type when stored. Reading a shared or fragment
element nobody wrote gives NaN. Needs numpy. Raises ScheduleError when a buffer is missing or has another shape,
DeadlockError when warps wait for what cannot come.)";

constexpr const char* check_doc =
    R"(Executes a GEMM schedule (buffers A, B, C) on random numbers and compares every element of C with alpha A B + beta C.

Give the alpha and beta it was made with. GemmCheck.wrong is 0 when it is right.)";

constexpr const char* check_kernels_doc =
    R"(Executes a product's kernels one after another, as schedules.gemm_kernels() gives them, and compares every element of
C with what the problem says. GemmCheck.wrong is 0 when it is right.)";

}  // namespace

void bind_functional(py::module_& module) {
  py::module_ functional = module.def_submodule("functional");
  Record<GemmCheck>(functional, "GemmCheck", "A product compared element by element.")
      .member("elements", &GemmCheck::elements, "Elements of C.")
      .member("wrong", &GemmCheck::wrong, "Of these, wrong.")
      .member("first_row", &GemmCheck::first_row, "Row of the first wrong one.")
      .member("first_column", &GemmCheck::first_column, "Its column.")
      .member("first_layer", &GemmCheck::first_layer, "Its product of a batch.")
      .member("expected", &GemmCheck::expected, "What it should be.")
      .member("actual", &GemmCheck::actual, "What it is.")
      .with_repr();
  const auto unlocked = py::call_guard<py::gil_scoped_release>();
  functional.def("execute", &execute, py::arg("schedule"), py::arg("before"), unlocked, execute_doc);
  functional.def("check_gemm", py::overload_cast<const gpusim::Schedule&, double, double, std::uint64_t>(&check_gemm),
                 py::arg("schedule"), py::arg("alpha") = 1.0, py::arg("beta") = 0.0, py::arg("seed") = 1, unlocked,
                 check_doc);
  functional.def(
      "check_gemm",
      py::overload_cast<const std::vector<gpusim::Schedule>&, const gpusim::schedules::GemmProblem&, std::uint64_t>(
          &check_gemm),
      py::arg("kernels"), py::arg("problem"), py::arg("seed") = 1, unlocked, check_kernels_doc);
  functional.def(
      "random_matrix", &random_matrix, py::arg("rows"), py::arg("columns"), py::arg("seed"),
      "rows x columns of small integers that every type holds exactly, the same for equal seeds. Needs numpy.");
  functional.def("rounded", &rounded, py::arg("value"), py::arg("dtype"),
                 "`value` as a `dtype` would hold it (round to nearest even).");
  functional.def("activated", &activated, py::arg("value"), py::arg("activation"),
                 "none, relu, gelu (with the normal distribution itself) or silu of `value`.");
}

}  // namespace bindings
