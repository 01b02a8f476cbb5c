// The profiles of arch/, compiled into the library so that it needs no files when it runs.
#pragma once

#include <span>
#include <string_view>

namespace gpusim::profile_detail {

struct EmbeddedProfile {
  std::string_view name;  // of the file, without ".json"
  std::string_view text;
};

/// In order of name.
[[nodiscard]] std::span<const EmbeddedProfile> embedded_profiles();

}  // namespace gpusim::profile_detail
