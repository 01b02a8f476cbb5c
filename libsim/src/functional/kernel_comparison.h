// Executing kernels and comparing what they leave with references.
#pragma once

#include <map>
#include <vector>

#include "gpusim/functional_kernels.h"

namespace gpusim::functional {

/// Executes the kernels in order. Buffers that `before` does not have begin as NaN.
[[nodiscard]] Memory run_kernels(const std::vector<Schedule>& kernels, Memory before);

/// Compares a buffer with what is wanted there, to within a step of its type; adds to `check`.
void compare_buffer(const Memory& memory, const Schedule& of, const std::string& buffer, const Matrix& wanted,
                    KernelCheck& check);

}  // namespace gpusim::functional
