# Writes OUTPUT, a C++ file with the text of every profile named in the file LIST. Run as cmake -P.
#
# Bytes are written as hexadecimal escapes in short pieces, so that neither the size of a file nor what it contains can
# upset a compiler.
file(READ "${LIST}" profiles)
set(bytes_a_line 64)
string(REPEAT "\\\\x[0-9a-f][0-9a-f]" ${bytes_a_line} full_line)

set(entries "")
foreach(profile IN LISTS profiles)
  get_filename_component(name "${profile}" NAME_WLE)
  file(SIZE "${profile}" size)
  file(READ "${profile}" text HEX)
  string(REGEX REPLACE "(..)" "\\\\x\\1" text "${text}")
  string(REGEX REPLACE "(${full_line})" "      \"\\1\"\n" text "${text}")
  string(REGEX REPLACE "(\n|^)(\\\\[^\n]+)$" "\\1      \"\\2\"\n" text "${text}")
  string(APPEND entries "    {\"${name}\",\n     std::string_view(\n      \"\"\n${text}      , ${size})},\n")
endforeach()
list(LENGTH profiles count)

file(CONFIGURE OUTPUT "${OUTPUT}" @ONLY CONTENT [[
// Written by libsim/cmake/embed_profiles.cmake from arch/.
#include <array>

#include "profile/embedded.h"

namespace gpusim::profile_detail {

std::span<const EmbeddedProfile> embedded_profiles() {
  static constexpr std::array<EmbeddedProfile, @count@> profiles{{
@entries@  }};
  return profiles;
}

}  // namespace gpusim::profile_detail
]])
