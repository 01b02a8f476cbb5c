// The kernels that turn a product's activations into its type.
#pragma once

#include <vector>

#include "gpusim/schedule.h"
#include "gpusim/validate.h"
#include "validate/gemm_protocol.h"

namespace gpusim::validate {

inline constexpr const char* activations_buffer = "activations";

/// Those that the protocol times with a product, in their order; none where activations are in its type already. What
/// the last one writes stands for A, which L2 holds as the protocol says.
[[nodiscard]] std::vector<Schedule> quantisation(const MeasuredGemm& row, const GemmProtocol& protocol);

}  // namespace gpusim::validate
