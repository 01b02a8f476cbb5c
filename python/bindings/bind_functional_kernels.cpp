// gpusim/functional_kernels.h
#include "gpusim/functional_kernels.h"

#include "bindings.h"
#include "record.h"

namespace bindings {

namespace {

using namespace gpusim::functional;

template <class Problem>
void bind_check(py::module_& module, const char* name,
                KernelCheck (*check)(const gpusim::Schedule&, const Problem&, std::uint64_t), const char* doc) {
  module.def(name, check, py::arg("schedule"), py::arg("problem"), py::arg("seed") = 1,
             py::call_guard<py::gil_scoped_release>(), doc);
}

}  // namespace

void bind_functional_kernels(py::module_& module) {
  py::module_ functional = module.def_submodule("functional");
  Record<KernelCheck>(functional, "KernelCheck", "A kernel's results compared element by element.")
      .member("elements", &KernelCheck::elements, "Elements compared.")
      .member("wrong", &KernelCheck::wrong, "Of these, wrong.")
      .member("first_buffer", &KernelCheck::first_buffer, "Buffer of the first wrong one.")
      .member("first_row", &KernelCheck::first_row, "Its row.")
      .member("first_column", &KernelCheck::first_column, "Its column.")
      .member("expected", &KernelCheck::expected, "What it should be.")
      .member("actual", &KernelCheck::actual, "What it is.")
      .with_repr();
  bind_check(functional, "check_copy", &check_copy, "Executes a stream on random numbers and compares its result.");
  bind_check(functional, "check_elementwise", &check_elementwise, "The same for an elementwise kernel.");
  bind_check(functional, "check_transpose", &check_transpose, "The same for a transposition.");
  bind_check(functional, "check_reduce", &check_reduce, "The same for a reduction.");
  bind_check(functional, "check_softmax", &check_softmax, "The same for a softmax.");
  bind_check(functional, "check_layernorm", &check_layernorm, "The same for a layer norm or RMS norm.");
  bind_check(functional, "check_gemv", &check_gemv, "The same for a few rows times a matrix.");
  functional.def("check_attention", &check_attention, py::arg("kernels"), py::arg("problem"), py::arg("seed") = 1,
                 py::call_guard<py::gil_scoped_release>(),
                 "The same for attention, its kernels as schedules.attention_kernels() gives them.");
}

}  // namespace bindings
