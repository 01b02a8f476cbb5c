// Sizes of kernels as tables write them.
#pragma once

#include <string>
#include <string_view>

#include "gpusim/validate_kernels.h"
#include "validate/kernel_names.h"

namespace gpusim::validate {

/// Throws UnreadableRow when the text has not the sizes that a kernel of this kind needs. Kernels without a schedule
/// need none.
[[nodiscard]] KernelShape kernel_shape(std::string_view text, KernelKind kind);

}  // namespace gpusim::validate
