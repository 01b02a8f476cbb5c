// Schedules in files.
#pragma once

#include <string>

#include "files.h"
#include "gpusim/schedule.h"

namespace app {

/// The schedule in a file, which is then one of `files`. Throws InputError when it cannot be read or is no schedule.
[[nodiscard]] gpusim::Schedule read_schedule(const std::string& path, CommandFiles& files);

/// Whether a word of the command line means a file rather than a name.
[[nodiscard]] bool means_file(const std::string& word);

}  // namespace app
