// Listings of programs.
#pragma once

#include <string>

#include "gpusim/schedule.h"

namespace gpusim::schedule {

/// The program, one operation a line, every line behind `indent` spaces. With a schedule, its buffers, tiles and
/// barriers are called by name; without, by index.
[[nodiscard]] std::string listing(const Program& program, const Schedule* schedule, int indent);

}  // namespace gpusim::schedule
