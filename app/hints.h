// What would be faster where nobody tuned a kernel, as far as the quick model can tell.
#pragma once

#include <string>

#include "gpusim/profile.h"
#include "gpusim/run_options.h"
#include "matmul_options.h"
#include "options.h"

namespace app {

/// The quick model's time of kernels that follow each other.
[[nodiscard]] double quick_us(const gpusim::Profile& profile, const std::vector<gpusim::Schedule>& kernels,
                              const gpusim::RunOptions& run);
/// Of the time at hand, what is worth a hint.
inline constexpr double worth_telling = 0.85;

/// Of a product whose schedule nobody chose: another instruction of the GPU's, or slices of k where most SMs have no
/// tile. Empty where nothing is known to help.
[[nodiscard]] std::string matmul_hint(const gpusim::Profile& profile, const Matmul& matmul, const Options& options,
                                      const gpusim::RunOptions& run);

}  // namespace app
