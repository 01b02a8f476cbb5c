// gpusim/schedules/gemm.h
#include "gpusim/schedules/gemm.h"

#include "bindings.h"
#include "record.h"

namespace bindings {

namespace {

using namespace gpusim::schedules;

void bind_structs(py::module_& module) {
  bind_choices<GemmProblem>(
      module, "GemmProblem", "C = alpha A B + beta C, with A m x k, B k x n and C m x n, row-major.",
      member("m", &GemmProblem::m, "Rows of A and C."), member("n", &GemmProblem::n, "Columns of B and C."),
      member("k", &GemmProblem::k, "Columns of A, rows of B."),
      member("dtype", &GemmProblem::dtype, "Type of A, B and C."),
      member("accumulate", &GemmProblem::accumulate, "Type of the sums."),
      member("alpha", &GemmProblem::alpha, "Factor of the product."),
      member("beta", &GemmProblem::beta, "Factor of what C holds before."));
  bind_choices<GemmTiling>(
      module, "GemmTiling", "How the product is cut and scheduled. choose() fills one in for a GPU.",
      member("tile", &GemmTiling::tile,
             "(m, n, k): block of C a CTA computes, and its step through k. T is (T, T, 32)."),
      member("variant", &GemmTiling::variant, "simt, tensor, async or tma."),
      member("stages", &GemmTiling::stages, "Buffers in shared memory (async, tma)."),
      member("specialize", &GemmTiling::specialize, "tma: a producer warp issues the copies."),
      member("fragment_k", &GemmTiling::fragment_k,
             "k elements read from shared memory at a time; 0: 16 bytes for simt, tile k for the others."),
      member("registers", &GemmTiling::registers, "Registers a thread; 0: an estimate."),
      member("instruction", &GemmTiling::instruction, "(m, n, k) of a tensor-core instruction."));
  bind_choices<GemmRequest>(
      module, "GemmRequest", "What the user fixed; choose() chooses the rest.",
      member("tile", &GemmRequest::tile, "As in GemmTiling."),
      member("variant", &GemmRequest::variant, "None: the best the GPU has: tma, async, tensor, simt."),
      member("stages", &GemmRequest::stages, "None: what shared memory holds, at most 4."),
      member("specialize", &GemmRequest::specialize, "As in GemmTiling."),
      member("registers", &GemmRequest::registers, "None: an estimate."),
      member("fragment_k", &GemmRequest::fragment_k, "None: what fits."));
}

}  // namespace

void bind_gemm(py::module_& module) {
  py::module_ schedules = module.def_submodule("schedules");
  bind_structs(schedules);
  schedules.def("gemm", &gemm, py::arg("problem"), py::arg("tiling"));
  schedules.def("choose", &choose, py::arg("profile"), py::arg("problem"), py::arg("request"));
  schedules.def(
      "default_dtypes", &default_dtypes, py::arg("profile"),
      "(dtype, accumulate): fp16 with fp32 sums where the GPU multiplies it on tensor cores, else fp32 with fp32.");
  schedules.def("variants", &variants, py::arg("profile"), py::arg("input"), py::arg("accumulate"),
                "Variants this GPU can run on these types, best first.");
  schedules.def("estimate_registers", &estimate_registers, py::arg("problem"), py::arg("tiling"),
                "Registers a thread the kernel needs.");
}

}  // namespace bindings
