// Short names for citations: a file's "references" are named in its sources as `ref:name`.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "profile/document.h"

namespace gpusim::profile_detail {

/// Citation by short name.
using References = std::map<std::string, std::string>;

/// Reads the "references" object of a profile file; `where` is its place, for problems.
[[nodiscard]] References read_references(const JsonValue& json, const std::string& where, Problems& problems);

/// `source` with every `ref:name` replaced by its citation.
[[nodiscard]] std::string resolve(std::string_view source, const References& references, const std::string& where,
                                  Problems& problems);

}  // namespace gpusim::profile_detail
