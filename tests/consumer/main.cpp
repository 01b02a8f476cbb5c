// Uses the installed library: it has the version, the profiles and the engine.
#include <iostream>

#include "gpusim/functional.h"
#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"
#include "gpusim/schedules/gemm.h"
#include "gpusim/version.h"

int main() {
  const gpusim::Gpu gpu(gpusim::load_profile("textbook-2023"));
  const gpusim::schedules::GemmProblem problem{.m = 32, .n = 32, .k = 32, .dtype = gpusim::DType::fp32};
  const auto tiling = gpusim::schedules::choose(gpu.profile(), problem, {.tile = {32, 32, 32}});
  const gpusim::Result result = gpu.run(gpusim::schedules::gemm(problem, tiling));
  std::cout << "gpusim " << gpusim::version() << ": " << gpusim::cycles(result).count() << " cycles\n";
  const bool right = result.version == gpusim::version() && gpusim::cycles(result).count() > 0 &&
                     gpusim::functional::random_matrix(2, 3, 1).cols() == 3;
  return right ? 0 : 1;
}
