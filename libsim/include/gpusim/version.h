// The version of the library.
#pragma once

#include <string_view>

namespace gpusim {

/// "0.1.0"
[[nodiscard]] std::string_view version();

}  // namespace gpusim
