#include "gpusim/error.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "edit_distance.h"

namespace gpusim {
namespace {

std::string joined(const std::vector<Problem>& problems) {
  std::string text;
  for (const Problem& problem : problems) {
    if (!text.empty()) text += '\n';
    text += problem.where + ": " + problem.what;
  }
  return text;
}

std::string joined(const std::vector<std::string>& waits) {
  std::string text = "deadlock: no event is left and these warps have not ended";
  for (const std::string& wait : waits) text += "\n" + wait;
  return text;
}

/// Whether `text`, of three letters and more, is where `word` begins; case does not count.
bool begins_with(std::string_view word, std::string_view text) {
  constexpr std::size_t fewest = 3;
  return text.size() >= fewest && text.size() < word.size() &&
         std::equal(text.begin(), text.end(), word.begin(), [](char a, char b) { return lower(a) == lower(b); });
}

/// Whether `text`, of three letters and more, leaves out letters of `word` behind the second, half of all at most:
/// "cols" for "columns".
bool abbreviates(std::string_view text, std::string_view word) {
  constexpr std::size_t fewest = 3;
  if (text.size() < fewest || text.size() >= word.size() || 2 * text.size() < word.size()) return false;
  if (lower(text[0]) != lower(word[0]) || lower(text[1]) != lower(word[1])) return false;
  for (const char letter : word)
    if (!text.empty() && lower(letter) == lower(text.front())) text.remove_prefix(1);
  return text.empty();
}

/// Longer than anything we call by name; comparing it would only cost time.
constexpr std::size_t longest_name = 128;

}  // namespace

InputError::InputError(std::vector<Problem> problems)
    : std::runtime_error(joined(problems)), problems_(std::move(problems)) {}

DeadlockError::DeadlockError(std::vector<std::string> waits)
    : std::runtime_error(joined(waits)), waits_(std::move(waits)) {}

std::string_view nearest(std::string_view text, std::span<const std::string_view> candidates) {
  if (text.size() > longest_name) return {};
  std::string_view best;
  for (const std::string_view candidate : candidates)
    if (begins_with(candidate, text) && (best.empty() || candidate.size() < best.size())) best = candidate;
  if (!best.empty()) return best;
  std::size_t best_distance = std::numeric_limits<std::size_t>::max();
  std::string_view abbreviated;
  for (const std::string_view candidate : candidates)
    if (abbreviates(text, candidate) && (abbreviated.empty() || candidate.size() < abbreviated.size()))
      abbreviated = candidate;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(text, candidate);
    const std::size_t tolerated = (std::max(text.size(), candidate.size()) + 2) / 3;
    // Half of it wrong is another word.
    if (distance > tolerated || distance >= best_distance || 2 * distance > std::max(text.size(), candidate.size()))
      continue;
    best = candidate;
    best_distance = distance;
  }
  // One letter wrong is a slip; beyond that leaving letters out is the likelier.
  return best_distance > 1 && !abbreviated.empty() ? abbreviated : best;
}

}  // namespace gpusim
