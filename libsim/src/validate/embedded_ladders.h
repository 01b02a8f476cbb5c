// The published ladders of libsim/data/ladders/, compiled into the library.
#pragma once

#include <span>
#include <string_view>

namespace gpusim::validate {

struct LadderFile {
  std::string_view name;  // of the file, without ".json"
  std::string_view text;
};

/// In order of name.
[[nodiscard]] std::span<const LadderFile> ladder_files();

}  // namespace gpusim::validate
