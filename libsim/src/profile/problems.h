// Collects what is wrong with an input, and the phrases that errors share.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpusim/error.h"

namespace gpusim::profile_detail {

/// Problems in order of discovery. Beyond a few dozen only their number is kept: a hostile file cannot make the message
/// as large as itself.
class Problems {
 public:
  void add(std::string where, std::string what);
  [[nodiscard]] bool empty() const { return problems_.empty(); }
  [[nodiscard]] std::size_t count() const { return problems_.size() + left_off_; }
  /// Throws ProfileError when there are any.
  void throw_if_any() &&;

 private:
  std::vector<Problem> problems_;
  std::size_t left_off_ = 0;
};

/// The user's own text in double quotes: shortened, and without control characters.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// `; did you mean "..."?` for the nearest candidate, or "".
[[nodiscard]] std::string did_you_mean(std::string_view text, std::span<const std::string_view> candidates);

/// "a, b, c"
template <class Range>
[[nodiscard]] std::string comma_separated(const Range& texts) {
  std::string list;
  for (const auto& text : texts) {
    if (!list.empty()) list += ", ";
    list += text;
  }
  return list;
}

}  // namespace gpusim::profile_detail
