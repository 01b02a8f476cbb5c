// Option values, read strictly: a value that is not wholly what it should be becomes a Problem.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpusim/error.h"

namespace app {

using Problems = std::vector<gpusim::Problem>;

struct Range {
  std::int64_t minimum = 1;
  std::int64_t maximum = std::int64_t{1} << 40;
};

/// What a product may have of rows, columns and matrices.
inline constexpr Range gemm_side{1, (std::int64_t{1} << 31) - 1};
inline constexpr Range gemm_batch{1, std::int64_t{1} << 20};

/// A whole number in decimal digits within the range, or nothing and a problem at `where`.
[[nodiscard]] std::optional<std::int64_t> whole_number(std::string_view text, std::string_view where, Range range,
                                                       Problems& problems);

/// A finite decimal number, or nothing and a problem.
[[nodiscard]] std::optional<double> real_number(std::string_view text, std::string_view where, Problems& problems);

/// The parts between separators, empty ones included.
[[nodiscard]] std::vector<std::string> split(std::string_view text, char separator);

/// Adds "unknown ..." with the nearest choice, or `near` ("": none is), and the list of all.
void refuse_choice(std::string_view text, std::string_view near, std::string_view where, std::string_view kind,
                   const std::vector<std::string>& choices, Problems& problems);
void refuse_choice(std::string_view text, std::string_view where, std::string_view kind,
                   const std::vector<std::string>& choices, Problems& problems);
/// The same of --clock, whose megahertz are a number alone.
void refuse_clock(std::string_view text, const std::vector<std::string>& choices, Problems& problems);

}  // namespace app
