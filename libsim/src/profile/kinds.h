// What a member of a Spec can be. Every visitor of the fields() lists tells members apart by these concepts.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include "gpusim/dtype.h"
#include "gpusim/profile.h"
#include "gpusim/units.h"

namespace gpusim::profile_detail {

/// A number, which has a provenance.
template <class T>
concept Number = std::same_as<T, std::int64_t> || std::same_as<T, Cycles> || std::same_as<T, Bytes> ||
    std::same_as<T, Rate> || std::same_as<T, Limited<std::int64_t>> || std::same_as<T, Limited<Bytes>>;

/// One word of a list.
template <class T>
concept Word = std::same_as<T, bool> || std::is_enum_v<T>;

struct IgnoreFields {
  template <class... T>
  void operator()(const T&...) const {}
};

/// A Spec: a group of members.
template <class T>
concept Group = std::is_class_v<T> && requires {
  T::fields(IgnoreFields{});
};

template <class T>
struct OptionalGroupTrait : std::false_type {};
template <Group T>
struct OptionalGroupTrait<std::optional<T>> : std::true_type {};
/// Hardware that a GPU may lack.
template <class T>
concept OptionalGroup = OptionalGroupTrait<T>::value;

template <class T>
struct GroupListTrait : std::false_type {};
template <Group T>
struct GroupListTrait<std::vector<T>> : std::true_type {};
/// Any number of Specs.
template <class T>
concept GroupList = GroupListTrait<T>::value;

/// The words a Word may be, in order of its values.
template <Word T>
[[nodiscard]] constexpr auto words(T) {
  if constexpr (std::same_as<T, bool>) {
    return std::array<std::string_view, 2>{"false", "true"};
  } else if constexpr (std::same_as<T, DType>) {
    std::array<std::string_view, all_dtypes.size()> names;
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = name(all_dtypes[i]);
    return names;
  } else {
    return spec_names(T{});
  }
}

/// Longest list of Specs a profile may have.
inline constexpr std::size_t most_groups = 64;

}  // namespace gpusim::profile_detail
