// Enumerations as Python sees them: the words that C++, JSON and the command line use, too.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>

#include "gpusim/dtype.h"
#include "gpusim/error.h"
#include "gpusim/profile.h"
#include "gpusim/result.h"
#include "gpusim/run_options.h"
#include "gpusim/schedule.h"
#include "gpusim/schedules/gemm.h"
#include "gpusim/schedules/gemm_candidates.h"

namespace bindings {

/// `kind` says in errors what such a word is; `list` is the words, in the order of the values.
template <class T>
struct Words;

/// The words of an enumeration whose header names its values.
template <class T>
struct NamedWords {
  static constexpr auto list = names_of(T{});
};

template <>
struct Words<gpusim::DType> {
  static constexpr std::string_view kind = "dtype";
  static constexpr auto list = [] {
    std::array<std::string_view, gpusim::all_dtypes.size()> names;
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = name(gpusim::all_dtypes[i]);
    return names;
  }();
};

template <>
struct Words<gpusim::schedules::GemmVariant> : NamedWords<gpusim::schedules::GemmVariant> {
  static constexpr std::string_view kind = "variant";
};

template <>
struct Words<gpusim::schedules::GemmLayout> : NamedWords<gpusim::schedules::GemmLayout> {
  static constexpr std::string_view kind = "layout";
};

template <>
struct Words<gpusim::schedules::SharedLayout> : NamedWords<gpusim::schedules::SharedLayout> {
  static constexpr std::string_view kind = "shared layout";
};

template <>
struct Words<gpusim::schedules::ElementOrder> : NamedWords<gpusim::schedules::ElementOrder> {
  static constexpr std::string_view kind = "element order";
};

template <>
struct Words<gpusim::schedules::Epilogue> : NamedWords<gpusim::schedules::Epilogue> {
  static constexpr std::string_view kind = "epilogue";
};

template <>
struct Words<gpusim::schedules::MulticastBy> : NamedWords<gpusim::schedules::MulticastBy> {
  static constexpr std::string_view kind = "multicast_by";
};

template <>
struct Words<gpusim::schedules::SplitReduction> : NamedWords<gpusim::schedules::SplitReduction> {
  static constexpr std::string_view kind = "reduction";
};

template <>
struct Words<gpusim::schedules::GemmLibrary> : NamedWords<gpusim::schedules::GemmLibrary> {
  static constexpr std::string_view kind = "library";
};

template <>
struct Words<gpusim::Activation> : NamedWords<gpusim::Activation> {
  static constexpr std::string_view kind = "activation";
};

template <>
struct Words<gpusim::L2State> : NamedWords<gpusim::L2State> {
  static constexpr std::string_view kind = "l2";
};

template <>
struct Words<gpusim::CodeState> : NamedWords<gpusim::CodeState> {
  static constexpr std::string_view kind = "code";
};

template <>
struct Words<gpusim::Pipe> {
  static constexpr std::string_view kind = "pipe";
  static constexpr std::array<std::string_view, gpusim::pipe_count> list{"fma", "alu", "sfu", "tensor"};
};

template <>
struct Words<gpusim::Placement> {
  static constexpr std::string_view kind = "placement";
  static constexpr std::array<std::string_view, 3> list{"linear", "shuffled", "one_slice"};
};

template <>
struct Words<gpusim::Termination> {
  static constexpr std::string_view kind = "termination";
  static constexpr std::array<std::string_view, 4> list{"completed", "max_cycles", "max_ctas", "stopped"};
};

template <>
struct Words<gpusim::TileOrder> : NamedWords<gpusim::TileOrder> {
  static constexpr std::string_view kind = "order";
};

/// Enumerations of Specs name themselves.
template <class T>
requires requires { gpusim::spec_names(T{}); }
struct Words<T> {
  static constexpr std::string_view kind = "word";
  static constexpr auto list = gpusim::spec_names(T{});
};

template <class T>
concept Word = requires {
  Words<T>::list;
};

template <Word T>
[[nodiscard]] std::string_view to_word(T value) {
  return Words<T>::list.at(static_cast<std::size_t>(value));
}

/// Throws ScheduleError naming the words there are and the nearest.
template <Word T>
[[nodiscard]] T from_word(std::string_view text) {
  constexpr auto& list = Words<T>::list;
  for (std::size_t i = 0; i < list.size(); ++i)
    if (list[i] == text) return static_cast<T>(i);

  std::string_view near;
  if constexpr (std::is_same_v<T, gpusim::DType>)
    near = gpusim::nearest_dtype(text);
  else
    near = gpusim::nearest(text, list);
  std::string what = "unknown '" + std::string(text) + "'";
  if (!near.empty()) what += "; did you mean '" + std::string(near) + "'?";
  what += " (there are ";
  for (const std::string_view word : list) what += std::string(word) + (word == list.back() ? ")" : ", ");
  throw gpusim::ScheduleError({{std::string(Words<T>::kind), what}});
}

}  // namespace bindings
