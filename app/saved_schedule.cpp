#include "saved_schedule.h"

#include "files.h"
#include "gpusim/schedule_io.h"

namespace app {

namespace {

constexpr std::size_t longest_schedule = std::size_t{16} << 20;

}  // namespace

gpusim::Schedule read_schedule(const std::string& path, CommandFiles& files) {
  files.add_input(path);
  return gpusim::parse_schedule(read_text(path, longest_schedule), path);
}

bool means_file(const std::string& word) { return word.find('/') != std::string::npos || word.ends_with(".json"); }

}  // namespace app
