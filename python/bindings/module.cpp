// gpusim._gpusim: the library as Python's private module. The package gpusim chooses what of it is public.
#include "bindings.h"

PYBIND11_MODULE(_gpusim, module) {
  using namespace bindings;
  module.doc() = "The C++ library gpusim. Use the package gpusim instead.";

  // An attribute's type must be known before a signature names it.
  bind_error(module);
  bind_names(module);
  bind_spec(module);
  bind_profile(module);
  bind_profile_io(module);
  bind_schedule(module);
  bind_schedule_io(module);
  bind_gemm(module);
  bind_kernels(module);
  bind_kernel_result(module);
  bind_result(module);
  bind_gpu(module);
  bind_tune(module);
  bind_estimate(module);
  bind_view(module);
  bind_functional(module);
  bind_functional_kernels(module);
}
