#include "validate/kernel_shape.h"

#include <array>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <system_error>

#include "validate/measured_table.h"

namespace gpusim::validate {
namespace {

constexpr std::string_view shape_column = "shape";
constexpr std::int64_t most_size = std::int64_t{1} << 40;

std::optional<std::int64_t> size_at(std::string_view text, std::size_t& used) {
  std::int64_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error != std::errc() || size < 1 || size > most_size) return std::nullopt;
  used = static_cast<std::size_t>(end - text.data());
  return size;
}

/// "16384x1280" or "16384".
std::optional<KernelShape> plain_shape(std::string_view text) {
  std::size_t used = 0;
  const auto first = size_at(text, used);
  if (!first) return std::nullopt;
  KernelShape shape;
  if (used == text.size()) {
    shape.rows = 1;
    shape.columns = *first;
    return shape;
  }
  if (text[used] != 'x') return std::nullopt;
  text.remove_prefix(used + 1);
  const auto second = size_at(text, used);
  if (!second || used != text.size()) return std::nullopt;
  shape.rows = *first;
  shape.columns = *second;
  return shape;
}

/// The whole numbers of "b4 s1024 kvh8", "N=256 {M: 4096, eps: 1e-06}", by the word before each.
std::map<std::string, std::int64_t, std::less<>> named_sizes(std::string_view text) {
  std::map<std::string, std::int64_t, std::less<>> sizes;
  const auto is_letter = [](char each) { return std::isalpha(static_cast<unsigned char>(each)) != 0 || each == '_'; };
  std::string word;
  for (std::size_t i = 0; i < text.size();) {
    if (is_letter(text[i])) {
      word.clear();
      while (i < text.size() && is_letter(text[i])) word += text[i++];
      continue;
    }
    std::size_t used = 0;
    if (const auto size = size_at(text.substr(i), used)) {
      i += used;
      const bool whole = i >= text.size() || (text[i] != '.' && text[i] != 'e');
      if (whole && !word.empty()) sizes.emplace(word, *size);
      word.clear();
      continue;
    }
    if (text[i] != '=' && text[i] != ':' && text[i] != ' ') word.clear();
    ++i;
  }
  return sizes;
}

class NamedShape {
 public:
  explicit NamedShape(std::string_view text) : text_(text), sizes_(named_sizes(text)) {}

  /// The first of the names that is there.
  template <std::size_t count>
  [[nodiscard]] std::optional<std::int64_t> any(const std::array<std::string_view, count>& names) const {
    for (const std::string_view name : names)
      if (const auto found = sizes_.find(name); found != sizes_.end()) return found->second;
    return std::nullopt;
  }
  [[nodiscard]] std::int64_t needed(std::string_view name) const {
    if (const auto found = sizes_.find(name); found != sizes_.end()) return found->second;
    refuse_column(shape_column, in_quotes(text_) + " has no " + std::string(name) + "; write b4 s1024 h32 kvh8 d128");
  }

 private:
  std::string_view text_;
  std::map<std::string, std::int64_t, std::less<>> sizes_;
};

KernelShape attention_shape(std::string_view text, bool one_query) {
  const NamedShape named(text);
  KernelShape shape;
  shape.batch = named.needed("b");
  shape.heads = named.needed("h");
  shape.kv_heads = named.any(std::array<std::string_view, 1>{"kvh"}).value_or(shape.heads);
  shape.head_dim = static_cast<int>(named.needed("d"));
  shape.keys = one_query ? named.any(std::array<std::string_view, 2>{"kvlen", "s"}).value_or(0) : named.needed("s");
  if (shape.keys == 0) (void)named.needed("kvlen");
  shape.queries = one_query ? 1 : shape.keys;
  return shape;
}

std::optional<KernelShape> matrix_shape(std::string_view text) {
  const NamedShape named(text);
  const auto columns = named.any(std::array<std::string_view, 3>{"N", "H", "ffn_local"});
  if (!columns) return std::nullopt;
  KernelShape shape;
  shape.columns = *columns;
  if (const auto rows = named.any(std::array<std::string_view, 1>{"M"})) {
    shape.rows = *rows;
    return shape;
  }
  const auto sequences = named.any(std::array<std::string_view, 1>{"B"});
  const auto length = named.any(std::array<std::string_view, 2>{"S", "T"});
  if (!sequences || !length) return std::nullopt;
  shape.rows = *sequences * *length;
  return shape;
}

}  // namespace

KernelShape kernel_shape(std::string_view text, KernelKind kind) {
  if (kind == KernelKind::none) return {};
  if (kind == KernelKind::attention || kind == KernelKind::decode)
    return attention_shape(text, kind == KernelKind::decode);
  if (const auto plain = plain_shape(text)) return *plain;
  if (const auto named = matrix_shape(text)) return *named;
  refuse_column(shape_column, in_quotes(text) + " is no rows x columns such as 4096x1024");
}

}  // namespace gpusim::validate
