// The result for programs. Keys and their meaning: docs/views.md. Byte-identical from run to run.
#pragma once

#include <string>

#include "gpusim/result.h"

namespace gpusim::view {

inline constexpr int json_schema_version = 1;

/// JSON text: indented, keys in a fixed order, ends with a newline.
[[nodiscard]] std::string json(const Result& result);

}  // namespace gpusim::view
