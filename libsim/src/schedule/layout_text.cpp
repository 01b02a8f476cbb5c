#include "schedule/layout_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>

namespace gpusim::schedule {
namespace {

constexpr std::int64_t largest_number = std::int64_t{1} << 47;
constexpr std::array<std::string_view, coordinate_count> coordinate_names{"lane",    "warp",    "repeat",  "block_m",
                                                                          "block_n", "loop0",   "loop1",   "loop2",
                                                                          "block_z", "k_begin", "partial", "k_count"};

/// The term without its stride.
std::string digit_text(const Term& term) {
  std::string text(name(term.source));
  if (term.shift != 0) text = "(" + text + " + " + std::to_string(term.shift) + ")";
  if (term.divisor != 1) text += "/" + std::to_string(term.divisor);
  if (term.modulus != 0) text += "%" + std::to_string(term.modulus);
  return text;
}

std::string term_text(const Term& term, std::int64_t magnitude) {
  std::string digit = digit_text(term);
  if (magnitude == 1) return digit;
  const bool plain = term.divisor == 1 && term.modulus == 0;
  return std::to_string(magnitude) + "*" + (plain ? digit : "(" + digit + ")");
}

/// Reads the notation from left to right; any failure is final.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  std::optional<Layout> layout() {
    std::int64_t offset = 0;
    Layout layout;
    bool negative = take('-');
    do {
      if (!item(negative ? -1 : 1, offset, layout)) return std::nullopt;
      negative = next_is('-');
    } while (take('+') || take('-'));
    skip_spaces();
    if (!rest_.empty()) return std::nullopt;
    return layout + Layout(offset);
  }

 private:
  bool item(std::int64_t sign, std::int64_t& offset, Layout& layout) {
    std::int64_t factor = 1;
    if (next_is_digit()) {
      if (!number(factor)) return false;
      if (!take('*')) {
        offset += sign * factor;
        return std::abs(offset) <= largest_number;
      }
    }
    Term term;
    if (!this->term(term)) return false;
    term.stride = sign * factor;
    layout.add(term);
    return true;
  }

  /// digit, or the same in parentheses.
  bool term(Term& term) {
    if (!take('(')) return coordinate(term) && quotient(term);
    if (take('(')) return shifted(term) && quotient(term) && take(')');
    if (!coordinate(term)) return false;
    if (next_is('+')) return shift(term) && take(')') && quotient(term);
    return quotient(term) && take(')');
  }
  bool shifted(Term& term) { return coordinate(term) && shift(term) && take(')'); }
  bool shift(Term& term) { return take('+') && number(term.shift); }
  bool quotient(Term& term) {
    if (take('/') && (!number(term.divisor) || term.divisor == 0)) return false;
    return !take('%') || (number(term.modulus) && term.modulus != 0);
  }

  bool coordinate(Term& term) {
    skip_spaces();
    std::size_t length = 0;
    while (length < rest_.size() &&
           (std::isalnum(static_cast<unsigned char>(rest_[length])) != 0 || rest_[length] == '_'))
      ++length;
    for (std::size_t i = 0; i < coordinate_count; ++i) {
      if (rest_.substr(0, length) != coordinate_names[i]) continue;
      term.source = static_cast<Coordinate>(i);
      rest_.remove_prefix(length);
      return true;
    }
    return false;
  }

  bool number(std::int64_t& value) {
    skip_spaces();
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc() || value < 0 || value > largest_number) return false;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return true;
  }

  void skip_spaces() { rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size())); }
  bool next_is(char symbol) {
    skip_spaces();
    return !rest_.empty() && rest_.front() == symbol;
  }
  bool next_is_digit() {
    skip_spaces();
    return !rest_.empty() && std::isdigit(static_cast<unsigned char>(rest_.front())) != 0;
  }
  bool take(char symbol) {
    if (!next_is(symbol)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::string_view rest_;
};

}  // namespace

std::string_view name(Coordinate coordinate) { return coordinate_names[static_cast<std::size_t>(coordinate)]; }

std::string to_text(const Layout& layout) {
  std::string text;
  const auto append = [&](bool negative, const std::string& item) {
    if (text.empty())
      text = negative ? "-" + item : item;
    else
      text += (negative ? " - " : " + ") + item;
  };
  for (const Term& term : layout.terms()) append(term.stride < 0, term_text(term, std::abs(term.stride)));
  if (layout.offset() != 0 || text.empty()) append(layout.offset() < 0, std::to_string(std::abs(layout.offset())));
  return text;
}

std::optional<Layout> layout_from_text(std::string_view text) { return Reader(text).layout(); }

}  // namespace gpusim::schedule
