// What would be faster where nobody tuned a kernel, as far as the quick model can tell.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpusim/profile.h"
#include "gpusim/run_options.h"
#include "matmul_options.h"
#include "options.h"

namespace app {

/// The quick model's time of kernels that follow each other; nothing where the GPU cannot run them, or has no limits
/// worth tuning for, as a textbook's.
[[nodiscard]] std::optional<double> quick_kernels_us(const gpusim::Profile& profile,
                                                     const std::vector<gpusim::Schedule>& kernels,
                                                     const gpusim::RunOptions& run);

/// Work of `ctas` CTAs that leave most SMs idle, and could be shared among more of them.
struct IdleSms {
  std::int64_t ctas = 0;
  std::int64_t sms = 0;
  std::string_view work;    ///< "row"
  std::string_view option;  ///< that says among how many each is shared
  std::string_view shared;  ///< "shares each among as many CTAs"
};
/// The hint with the least number, of powers of two, that `us_of` finds about as fast as any; empty where none is much
/// faster than one, or most SMs have work.
[[nodiscard]] std::string idle_hint(const IdleSms& idle,
                                    const std::function<std::optional<double>(std::int64_t)>& us_of);

/// A type that tensor cores take instead of bf16; slices of k where most SMs have no tile; or, where --schedule was not
/// given, another instruction of the GPU's. Empty where nothing is known to help.
[[nodiscard]] std::string matmul_hint(const gpusim::Profile& profile, const Matmul& matmul, const Options& options,
                                      const gpusim::RunOptions& run);

}  // namespace app
