// Limits and version of schedule files.
#pragma once

#include <cstddef>

namespace gpusim::schedule {

inline constexpr int schema_version = 1;
inline constexpr std::size_t most_bytes = std::size_t{16} << 20;
inline constexpr std::size_t most_levels = 64;
inline constexpr std::size_t most_problems = 50;  ///< reported; a file can hold millions

}  // namespace gpusim::schedule
