// The enums of a schedule as the words JSON has for them.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "gpusim/schedule.h"

namespace gpusim::schedule {

/// Pairs of word and value, by enum.
template <class Enum>
struct WordsOf;

/// Those whose public header names them.
template <class Enum>
requires requires { names_of(Enum{}); }
struct WordsOf<Enum> {
  static constexpr auto list = [] {
    constexpr auto names = names_of(Enum{});
    std::array<std::pair<std::string_view, Enum>, names.size()> words;
    for (std::size_t i = 0; i < names.size(); ++i) words[i] = {names[i], static_cast<Enum>(i)};
    return words;
  }();
};

template <class T>
concept HasWords = requires {
  WordsOf<T>::list;
};

template <>
struct WordsOf<Walk> {
  static constexpr std::array list{std::pair{std::string_view("none"), Walk::none},
                                   std::pair{std::string_view("items"), Walk::items},
                                   std::pair{std::string_view("k_tiles"), Walk::k_tiles}};
};
template <>
struct WordsOf<SharedRead> {
  static constexpr std::array list{std::pair{std::string_view("lds"), SharedRead::lds},
                                   std::pair{std::string_view("ldmatrix"), SharedRead::ldmatrix},
                                   std::pair{std::string_view("ldmatrix_trans"), SharedRead::ldmatrix_trans}};
};
template <>
struct WordsOf<Multicast> {
  static constexpr std::array list{std::pair{std::string_view("none"), Multicast::none},
                                   std::pair{std::string_view("along_m"), Multicast::along_m},
                                   std::pair{std::string_view("along_n"), Multicast::along_n},
                                   std::pair{std::string_view("cluster"), Multicast::cluster}};
};
template <>
struct WordsOf<Placement> {
  static constexpr std::array list{std::pair{std::string_view("linear"), Placement::linear},
                                   std::pair{std::string_view("shuffled"), Placement::shuffled},
                                   std::pair{std::string_view("one_slice"), Placement::one_slice}};
};
template <>
struct WordsOf<Swizzle> {
  static constexpr std::array list{
      std::pair{std::string_view("none"), Swizzle::none}, std::pair{std::string_view("32B"), Swizzle::bytes32},
      std::pair{std::string_view("64B"), Swizzle::bytes64}, std::pair{std::string_view("128B"), Swizzle::bytes128}};
};
template <>
struct WordsOf<Pipe> {
  static constexpr std::array list{
      std::pair{std::string_view("fma"), Pipe::fma}, std::pair{std::string_view("alu"), Pipe::alu},
      std::pair{std::string_view("sfu"), Pipe::sfu}, std::pair{std::string_view("tensor"), Pipe::tensor}};
};
template <>
struct WordsOf<DType> {
  static constexpr auto list = [] {
    std::array<std::pair<std::string_view, DType>, all_dtypes.size()> words;
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = {name(all_dtypes[i]), all_dtypes[i]};
    return words;
  }();
};

template <HasWords Enum>
constexpr std::string_view word_of(Enum value) {
  for (const auto& [word, meant] : WordsOf<Enum>::list)
    if (meant == value) return word;
  return "";
}

}  // namespace gpusim::schedule
