// How the fields of a type are listed.
#pragma once

#include <string_view>
#include <tuple>
#include <utility>

namespace gpusim::schedule {

/// Sparse: left out of files and digests where it has its default.
template <class Owner, class Value, bool is_sparse = false>
struct Member {
  static constexpr bool sparse = is_sparse;
  std::string_view key;
  Value Owner::*pointer;
  bool required = true;  ///< otherwise it keeps its default where a file leaves it out
};

template <class Owner, class Value>
constexpr Member<Owner, Value> required(std::string_view key, Value Owner::*pointer) {
  return {key, pointer, true};
}
template <class Owner, class Value>
constexpr Member<Owner, Value> optional(std::string_view key, Value Owner::*pointer) {
  return {key, pointer, false};
}
template <class Owner, class Value>
constexpr Member<Owner, Value, true> sparse(std::string_view key, Value Owner::*pointer) {
  return {key, pointer, false};
}

/// Whether files and the digest leave the member out.
template <class Owner, class Value, bool is_sparse>
bool is_left_out(const Owner& owner, const Member<Owner, Value, is_sparse>& member) {
  if constexpr (is_sparse)
    return owner.*member.pointer == Owner{}.*member.pointer;
  else
    return false;
}

/// FieldsOf<T>::list is a tuple of T's Members; an Action's FieldsOf also has its name in JSON.
template <class T>
struct FieldsOf;

template <class T>
concept HasFields = requires {
  FieldsOf<T>::list;
};

/// Calls visit(member) for each member of T, in order.
template <class T, class Visit>
void for_each_field(Visit&& visit) {
  std::apply([&](const auto&... members) { (visit(members), ...); }, FieldsOf<T>::list);
}

}  // namespace gpusim::schedule
