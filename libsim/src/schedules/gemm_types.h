// Which types a GPU multiplies, and by what.
#pragma once

#include <string>

#include "gpusim/schedules/gemm.h"

namespace gpusim::schedules {

/// "fp16 with fp32 accumulation"
[[nodiscard]] std::string types_text(DType input, DType accumulate);
/// On the FMA pipe: by simt, naive and coalesced kernels.
[[nodiscard]] bool fma_can(const Profile& profile, DType input, DType accumulate);
/// Why there is no product of these types: the GPU has none, gpusim has none of the operands' type on any GPU, or none
/// with such sums.
[[nodiscard]] Problem no_product(const Profile& profile, DType input, DType accumulate);

}  // namespace gpusim::schedules
