// Numbers in messages and listings.
#pragma once

#include <cstdint>
#include <string>

namespace gpusim {

[[nodiscard]] inline std::string text(std::int64_t number) { return std::to_string(number); }

[[nodiscard]] inline std::string extent_text(std::int64_t rows, std::int64_t columns) {
  return text(rows) + " x " + text(columns);
}

}  // namespace gpusim
