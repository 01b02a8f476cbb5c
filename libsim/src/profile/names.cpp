#include "profile/names.h"

#include <algorithm>
#include <array>
#include <vector>

namespace gpusim::profile_detail {
namespace {

constexpr std::string_view sxm = "sxm";
constexpr std::string_view pcie = "pcie";

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }
bool is_number(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), is_digit); }
bool is_unit(std::string_view text) { return text == "gb" || text == "gib"; }

std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  for (const char letter : name) {
    if (letter == ' ' || letter == '-' || letter == '_') {
      words.emplace_back();
    } else {
      words.back() += letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    }
  }
  return words;
}

/// "80" of "80gb"; "" when it is no amount of memory.
std::string_view memory_of(std::string_view word) {
  const std::size_t digits = std::min(word.size(), word.find('g'));
  const std::string_view number = word.substr(0, digits);
  return is_number(number) && number.front() != '0' && is_unit(word.substr(digits)) ? number : std::string_view();
}

/// What follows "sxm": a generation, an amount of memory, or one after the other ("480gb" is SXM4 and 80 GB).
void read_after_sxm(std::string_view rest, NameParts& parts) {
  const std::string_view beyond = rest.empty() ? rest : rest.substr(1);
  const bool generation =
      !rest.empty() && rest.front() >= '2' && rest.front() <= '5' && (beyond.empty() || !memory_of(beyond).empty());
  parts.board = sxm;
  if (generation) parts.board += rest.front();
  const std::string_view last = generation ? beyond : rest;
  if (const auto memory = memory_of(last); !memory.empty()) {
    parts.memory = memory;
  } else {
    parts.gpu += last;
  }
}

void read_word(std::string_view word, NameParts& parts) {
  if (const auto memory = memory_of(word); !memory.empty()) {
    parts.memory = memory;
  } else if (const std::size_t at = word.find(sxm); at != std::string_view::npos) {
    parts.gpu += word.substr(0, at);
    read_after_sxm(word.substr(at + sxm.size()), parts);
  } else if (const std::size_t begin = word.find(pcie); begin != std::string_view::npos) {
    const std::string_view rest = word.substr(begin + pcie.size());
    parts.gpu += word.substr(0, begin);
    parts.board = pcie;
    if (!rest.empty()) read_word(rest, parts);
  } else {
    parts.gpu += word;
  }
}

void drop_vendor_words(std::string& gpu) {
  constexpr std::array<std::string_view, 4> vendor_words{"nvidia", "geforce", "tesla", "quadro"};
  const auto leads = [&](std::string_view word) { return gpu.starts_with(word); };
  for (auto word = vendor_words.begin(); word != vendor_words.end();) {
    word = std::find_if(vendor_words.begin(), vendor_words.end(), leads);
    if (word != vendor_words.end()) gpu.erase(0, word->size());
  }
}

}  // namespace

NameParts name_parts(std::string_view name) {
  NameParts parts;
  std::string number;  // that "gb" may follow as a word of its own
  for (const std::string& word : words_of(name)) {
    if (!number.empty() && is_unit(word)) {
      parts.memory = number;
      number.clear();
      continue;
    }
    parts.gpu += number;
    number.clear();
    if (is_number(word)) {
      number = word;
    } else {
      read_word(word, parts);
    }
  }
  parts.gpu += number;
  drop_vendor_words(parts.gpu);
  return parts;
}

bool may_mean(const NameParts& asked, const NameParts& name) {
  if (asked.gpu.empty() || asked.gpu != name.gpu) return false;
  const bool any_generation = asked.board == sxm && name.board.starts_with(sxm);
  if (!asked.board.empty() && asked.board != name.board && !any_generation) return false;
  return asked.memory.empty() || asked.memory == name.memory;
}

}  // namespace gpusim::profile_detail
