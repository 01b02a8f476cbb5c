// Schedules in files.
#pragma once

#include <string>

#include "gpusim/schedule.h"

namespace app {

/// Throws InputError when the file cannot be read or is no schedule.
[[nodiscard]] gpusim::Schedule read_schedule(const std::string& path);

/// Whether a word of the command line means a file rather than a name.
[[nodiscard]] bool means_file(const std::string& word);

}  // namespace app
