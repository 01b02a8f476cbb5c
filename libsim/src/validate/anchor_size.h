// Sizes of memory as text: "192KiB", "20MiB".
#pragma once

#include <string>
#include <string_view>

namespace gpusim::validate {

/// Throws std::logic_error when the text is no size.
[[nodiscard]] double bytes_from(std::string_view text);

/// The nearest whole number of KiB.
[[nodiscard]] std::string whole_kibibytes(double bytes);

}  // namespace gpusim::validate
