// How the sources of measured GEMMs took their times, as far as it changes what a time contains.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "gpusim/run_options.h"

namespace gpusim::validate {

/// What stands between two kernels in a measured time.
enum class Gap : std::uint8_t {
  none,    ///< kernel traces
  stream,  ///< back-to-back launches
  graph,   ///< replay of a CUDA graph
};

struct GemmProtocol {
  std::string_view source;  ///< sources that begin so
  Gap gap = Gap::stream;
  L2State a = L2State::warm;  ///< activations
  L2State b = L2State::warm;  ///< weights
  std::optional<std::int64_t> locked_mhz;
  std::string_view gpu;  ///< as the table has it; and which one that was, where its name alone would say otherwise
  std::string_view profile;
  /// The weights have as many copies that take turns as fill L2, at most so many; 0: one.
  int copies = 0;
};

/// The source's; for others back-to-back launches on a warm L2.
[[nodiscard]] const GemmProtocol& protocol_of(std::string_view source);

/// The name to load the profile by.
[[nodiscard]] std::string_view profile_name(std::string_view gpu, std::string_view source);

}  // namespace gpusim::validate
