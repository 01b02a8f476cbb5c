// Schedules to and from JSON, so that one can be saved, read, edited and replayed.
#pragma once

#include <string>
#include <string_view>

#include "gpusim/schedule.h"

namespace gpusim {

/// The schedule as JSON text: indented, keys in a fixed order, ends with a newline.
[[nodiscard]] std::string to_json(const Schedule& schedule);

/// The schedule in `text`. `origin` names the text in errors (a file name). Throws ScheduleError with all problems,
/// each at a JSON pointer; refuses more than 16 MiB or 64 levels.
[[nodiscard]] Schedule parse_schedule(std::string_view text, std::string_view origin);

}  // namespace gpusim
