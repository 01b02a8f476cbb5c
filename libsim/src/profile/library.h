// Where profile texts come from: compiled in, or files.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "profile/embedded.h"
#include "profile/problems.h"

namespace gpusim::profile_detail {

/// A profile's text and where it is from.
struct Source {
  std::string text;
  std::string origin;     ///< for errors: "arch/ada.json"
  std::string identity;   ///< equal for two ways to name one text
  std::string folder;     ///< that a relative "base" starts from
  std::string file = {};  ///< that it was read from, if any
};

/// Whether a user means a file, not a built-in profile.
[[nodiscard]] bool is_path(std::string_view name);

/// The built-in profile that `name` means; nullptr and a problem under `where` when it means none or several.
[[nodiscard]] const EmbeddedProfile* find_embedded(std::string_view name, const std::string& where, Problems& problems);

/// The text of a built-in profile.
[[nodiscard]] Source source_of(const EmbeddedProfile& profile);

/// The text of the file at `path`; nothing and a problem under `where` when it cannot be read or is too large.
[[nodiscard]] std::optional<Source> read_file(const std::string& path, const std::string& where, Problems& problems);

}  // namespace gpusim::profile_detail
