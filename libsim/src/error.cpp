#include "gpusim/error.h"

#include <algorithm>
#include <limits>
#include <utility>

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

char lower(char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter; }

/// Whether `text`, of three letters and more, is where `word` begins; case does not count.
bool begins_with(std::string_view word, std::string_view text) {
  constexpr std::size_t fewest = 3;
  return text.size() >= fewest && text.size() < word.size() &&
         std::equal(text.begin(), text.end(), word.begin(), [](char a, char b) { return lower(a) == lower(b); });
}

/// Insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`; case does not count.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> two_back(b.size() + 1), back(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    two_back = std::exchange(back, std::move(row));
    row.assign(b.size() + 1, i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({back[j] + 1, row[j - 1] + 1, back[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], two_back[j - 2] + 1);
    }
  }
  return row[b.size()];
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
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(text, candidate);
    const std::size_t tolerated = (std::max(text.size(), candidate.size()) + 2) / 3;
    // Half of it wrong is another word.
    if (distance > tolerated || distance >= best_distance || 2 * distance > std::max(text.size(), candidate.size()))
      continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

}  // namespace gpusim
