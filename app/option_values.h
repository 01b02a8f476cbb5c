// Values of options by what they mean: numbers, shapes, words for enumerators, yes or no. Each is nothing when the
// option was not given, and nothing with a problem when its value is none.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "gpusim/schedules/gemm.h"
#include "options.h"
#include "values.h"

namespace app {

inline constexpr Range extent_range{1, 1 << 16};
inline constexpr Range job_range{1, 1024};  ///< of --jobs

/// Words for enumerators, as the command line has them.
template <class Enum>
using Words = std::vector<std::pair<std::string, Enum>>;

[[nodiscard]] std::optional<std::int64_t> number_option(const Options& options, std::string_view name, Range range,
                                                        Problems& problems);
[[nodiscard]] std::optional<int> small_number_option(const Options& options, std::string_view name, Range range,
                                                     Problems& problems);
[[nodiscard]] std::optional<double> real_option(const Options& options, std::string_view name, Problems& problems);
/// "64x32"
[[nodiscard]] std::optional<gpusim::schedules::GemmShape> shape_option(const Options& options, std::string_view name,
                                                                       Range range, Problems& problems);
/// "128" for 128x128x32, or "128x256x64"
[[nodiscard]] std::optional<gpusim::schedules::GemmTile> tile_option(const Options& options, std::string_view name,
                                                                     Problems& problems);
/// "m64n256k16", or "64x256x16" as results have it
[[nodiscard]] std::optional<gpusim::MmaShape> instruction_option(const Options& options, std::string_view name,
                                                                 Problems& problems);
/// "yes" or "no"
[[nodiscard]] std::optional<bool> yes_option(const Options& options, std::string_view name, Problems& problems);
/// A switch: true when it was given, false when "no-" and it was.
[[nodiscard]] std::optional<bool> switch_option(const Options& options, std::string_view name, Problems& problems);

/// An element type by its name.
[[nodiscard]] std::optional<gpusim::DType> dtype_option(const Options& options, std::string_view name,
                                                        Problems& problems);

template <class Enum>
[[nodiscard]] std::optional<Enum> word_option(const Options& options, std::string_view name, std::string_view kind,
                                              const Words<Enum>& words, Problems& problems) {
  const auto text = options.value(name);
  if (!text) return std::nullopt;
  const auto found = std::find_if(words.begin(), words.end(), [&](const auto& word) { return word.first == *text; });
  if (found != words.end()) return found->second;
  std::vector<std::string> choices;
  for (const auto& word : words) choices.push_back(word.first);
  refuse_choice(*text, "--" + std::string(name), kind, choices, problems);
  return std::nullopt;
}

/// The same for enumerators whose header names them.
template <class Enum>
[[nodiscard]] std::optional<Enum> word_option(const Options& options, std::string_view name, std::string_view kind,
                                              Problems& problems) {
  constexpr auto names = names_of(Enum{});
  Words<Enum> words;
  for (std::size_t i = 0; i < names.size(); ++i) words.emplace_back(names[i], static_cast<Enum>(i));
  return word_option(options, name, kind, words, problems);
}

}  // namespace app
