// "key=value" in the notes of a kernel, which are free text beside it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpusim::validate {

inline constexpr std::int64_t most_noted = 1024;  ///< of a side, of threads

/// The numbers of the first word that is "key=128x64x8"; none where there is no such word, or its value is none of that
/// key's. Words end at blanks, commas and semicolons, and may have a full stop.
[[nodiscard]] std::vector<std::int64_t> note_values(std::string_view notes, std::string_view key);

/// The first "key=value" of a key that notes have a meaning for and a value that it cannot have, and what it can;
/// nothing when there is none.
[[nodiscard]] std::optional<std::string> note_problem(std::string_view notes);

}  // namespace gpusim::validate
