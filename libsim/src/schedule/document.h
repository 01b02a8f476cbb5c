// JSON text as a tree, refused before it is built where it is too long or too deep.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpusim/error.h"

namespace gpusim::schedule {

using Json = nlohmann::json;

/// `key` as a part of a JSON pointer, with its slash.
[[nodiscard]] std::string pointer_part(std::string_view key);

/// The tree; none, and one of `problems`, when `text` is not a JSON object within the limits.
[[nodiscard]] std::optional<Json> read_document(std::string_view text, std::string_view origin,
                                                std::vector<Problem>& problems);

}  // namespace gpusim::schedule
