# Writes OUTPUT, a C++ file with the text of every file named in the file LIST: FUNCTION, declared in HEADER within
# NAMESPACE, returns a span of STRUCT{name, text}. Run as cmake -P.
#
# Bytes are written as hexadecimal escapes in short pieces, so that neither the size of a file nor what it contains can
# upset a compiler.
file(READ "${LIST}" files)
set(bytes_a_line 64)
string(REPEAT "\\\\x[0-9a-f][0-9a-f]" ${bytes_a_line} full_line)

set(entries "")
foreach(path IN LISTS files)
  get_filename_component(name "${path}" NAME_WLE)
  file(SIZE "${path}" size)
  file(READ "${path}" text HEX)
  string(REGEX REPLACE "(..)" "\\\\x\\1" text "${text}")
  string(REGEX REPLACE "(${full_line})" "      \"\\1\"\n" text "${text}")
  string(REGEX REPLACE "(\n|^)(\\\\[^\n]+)$" "\\1      \"\\2\"\n" text "${text}")
  string(APPEND entries "    {\"${name}\",\n     std::string_view(\n      \"\"\n${text}      , ${size})},\n")
endforeach()
list(LENGTH files count)

file(CONFIGURE OUTPUT "${OUTPUT}" @ONLY CONTENT [[
// Written by libsim/cmake/embed_files.cmake.
#include <array>

#include "@HEADER@"

namespace @NAMESPACE@ {

std::span<const @STRUCT@> @FUNCTION@() {
  static constexpr std::array<@STRUCT@, @count@> files{{
@entries@  }};
  return files;
}

}  // namespace @NAMESPACE@
]])
