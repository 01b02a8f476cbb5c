// The result for people: what ran, how fast, and why not faster.
#pragma once

#include <string>

#include "gpusim/result.h"

namespace gpusim::view {

/// A page of text, at most 100 columns wide, ending with a newline.
[[nodiscard]] std::string text(const Result& result);

}  // namespace gpusim::view
