// The measured microbenchmarks of libsim/data/anchors/, compiled into the library.
#pragma once

#include <span>
#include <string_view>

namespace gpusim::validate {

struct AnchorFile {
  std::string_view name;  // of the file, without ".json"
  std::string_view text;
};

/// In order of name.
[[nodiscard]] std::span<const AnchorFile> anchor_files();

}  // namespace gpusim::validate
