// Ladder files, read.
#pragma once

#include <string_view>

#include "gpusim/ladders.h"

namespace gpusim::validate {

/// Throws InputError, at "name#/steps/3", when the document is no ladder.
[[nodiscard]] Ladder read_ladder(std::string_view name, std::string_view document);

}  // namespace gpusim::validate
