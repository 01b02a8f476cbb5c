#include "validate/note_values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <system_error>

#include "validate/measured_table.h"

namespace gpusim::validate {
namespace {

constexpr std::string_view between_words = " \t,;";
constexpr std::int64_t most_of_grid = std::numeric_limits<std::int32_t>::max();

/// What a key's value may be.
struct NoteKey {
  std::string_view key;
  std::string_view form;
  std::size_t fewest = 1, most = 1;  ///< numbers
  std::int64_t low = 1, high = most_noted;
  bool multiplied = false;  ///< `high` holds for the product, too
};

constexpr std::array note_keys{
    NoteKey{.key = "cta_tile", .form = "MxN or MxNxK", .fewest = 2, .most = 3},
    NoteKey{.key = "grid", .form = "XxY or XxYxZ", .fewest = 2, .most = 3, .high = most_of_grid},
    NoteKey{.key = "splitK", .form = "N"},
    NoteKey{.key = "kblk", .form = "N"},
    NoteKey{.key = "block", .form = "X, XxY or XxYxZ", .most = 3, .multiplied = true},
    NoteKey{.key = "stages", .form = "N"},
    NoteKey{.key = "threads", .form = "MxN", .fewest = 2, .most = 2},
    NoteKey{.key = "thread_tile", .form = "MxN", .fewest = 2, .most = 2},
    NoteKey{.key = "vecM", .form = "N"},
    NoteKey{.key = "vecN", .form = "N"},
    NoteKey{.key = "smemA", .form = "N", .low = 0, .high = 1},
    NoteKey{.key = "smemB", .form = "N", .low = 0, .high = 1},
    NoteKey{.key = "KWI", .form = "N"},
    NoteKey{.key = "MDIMA", .form = "N"},
    NoteKey{.key = "NDIMB", .form = "N"}};

std::vector<std::string_view> words_of(std::string_view notes) {
  std::vector<std::string_view> words;
  while (true) {
    notes.remove_prefix(std::min(notes.find_first_not_of(between_words), notes.size()));
    if (notes.empty()) return words;
    words.push_back(notes.substr(0, notes.find_first_of(between_words)));
    notes.remove_prefix(words.back().size());
  }
}

/// The key that the word gives a value; null when it has none that means something.
const NoteKey* key_of(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos) return nullptr;
  const auto* const found = std::find_if(note_keys.begin(), note_keys.end(),
                                         [&](const NoteKey& each) { return each.key == word.substr(0, equals); });
  return found == note_keys.end() ? nullptr : found;
}

/// The numbers of the word's value; none when the key cannot have it.
std::vector<std::int64_t> numbers_of(std::string_view word, const NoteKey& key) {
  std::string_view value = word.substr(key.key.size() + 1);
  if (value.ends_with('.')) value.remove_suffix(1);  // of a sentence
  std::vector<std::int64_t> numbers;
  std::int64_t product = 1;
  while (true) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || number < key.low || number > key.high) return {};
    product *= key.multiplied ? number : 1;
    if (product > key.high) return {};
    numbers.push_back(number);
    value.remove_prefix(static_cast<std::size_t>(end - value.data()));
    if (value.empty()) break;
    if (value.front() != 'x') return {};
    value.remove_prefix(1);
  }
  return numbers.size() < key.fewest || numbers.size() > key.most ? std::vector<std::int64_t>() : numbers;
}

}  // namespace

std::vector<std::int64_t> note_values(std::string_view notes, std::string_view key) {
  for (const std::string_view word : words_of(notes))
    if (const NoteKey* const known = key_of(word); known != nullptr && known->key == key)
      return numbers_of(word, *known);
  return {};
}

std::optional<std::string> note_problem(std::string_view notes) {
  for (const std::string_view word : words_of(notes)) {
    const NoteKey* const key = key_of(word);
    if (key == nullptr || !numbers_of(word, *key).empty()) continue;
    return in_quotes(word) + " is not " + std::string(key->key) + "=" + std::string(key->form) + " with numbers from " +
           std::to_string(key->low) + " to " + std::to_string(key->high) + (key->multiplied ? ", multiplied too" : "");
  }
  return std::nullopt;
}

}  // namespace gpusim::validate
