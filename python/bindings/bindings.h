// What each file of the bindings adds to the module. One file for each public header.
#pragma once

#include <pybind11/pybind11.h>

namespace bindings {

void bind_names(pybind11::module_& module);
void bind_error(pybind11::module_& module);
void bind_spec(pybind11::module_& module);
void bind_profile(pybind11::module_& module);
void bind_profile_io(pybind11::module_& module);
void bind_schedule(pybind11::module_& module);
void bind_schedule_io(pybind11::module_& module);
void bind_gemm(pybind11::module_& module);
void bind_kernels(pybind11::module_& module);
void bind_result(pybind11::module_& module);
void bind_kernel_result(pybind11::module_& module);
void bind_gpu(pybind11::module_& module);
void bind_tune(pybind11::module_& module);
void bind_view(pybind11::module_& module);
void bind_estimate(pybind11::module_& module);
void bind_functional(pybind11::module_& module);
void bind_functional_kernels(pybind11::module_& module);

}  // namespace bindings
