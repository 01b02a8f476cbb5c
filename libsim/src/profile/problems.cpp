#include "profile/problems.h"

#include <utility>

namespace gpusim::profile_detail {
namespace {

constexpr std::size_t most_problems = 64;
constexpr std::size_t longest_quote = 64;

}  // namespace

void Problems::add(std::string where, std::string what) {
  if (problems_.size() < most_problems) {
    problems_.push_back({std::move(where), std::move(what)});
  } else {
    ++left_off_;
  }
}

void Problems::throw_if_any() && {
  if (problems_.empty()) return;
  if (left_off_ > 0) problems_.push_back({"...", "and " + std::to_string(left_off_) + " more problems"});
  throw ProfileError(std::move(problems_));
}

std::string in_quotes(std::string_view text) {
  const bool shortened = text.size() > longest_quote;
  // A multi-byte character must not be cut: step back over its continuation bytes.
  std::size_t length = shortened ? longest_quote : text.size();
  while (shortened && length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U) --length;
  std::string quote = "\"";
  for (const char letter : text.substr(0, length)) {
    const bool control = static_cast<unsigned char>(letter) < 0x20U || letter == 0x7F;
    quote += control ? '?' : letter;
  }
  return quote + (shortened ? "...\"" : "\"");
}

std::string did_you_mean(std::string_view text, std::span<const std::string_view> candidates) {
  const std::string_view near = nearest(text, candidates);
  return near.empty() ? "" : "; did you mean \"" + std::string(near) + "\"?";
}

}  // namespace gpusim::profile_detail
