// Visits every member of a Spec tree, in the order of its fields() lists.
#pragma once

#include <string>
#include <string_view>

#include "profile/kinds.h"

namespace gpusim::profile_detail {

/// `parent.key`, or `key` at the top.
[[nodiscard]] inline std::string dotted(std::string_view parent, std::string_view key) {
  return parent.empty() ? std::string(key) : std::string(parent) + "." + std::string(key);
}

/// Calls visitor.leaf(key, field, member) for every Number and Word below `group`, and visitor.branch(key, field,
/// member) for every OptionalGroup and GroupList before it descends into what they hold. Keys are dotted. `group` may
/// be const.
template <class GroupType, class Visitor>
void walk(GroupType& group, std::string_view parent, Visitor& visitor) {
  std::remove_const_t<GroupType>::fields([&](const Field& field, auto pointer) {
    auto& member = group.*pointer;
    using Member = std::remove_cvref_t<decltype(member)>;
    const std::string key = dotted(parent, field.key);
    if constexpr (Group<Member>) {
      walk(member, key, visitor);
    } else if constexpr (OptionalGroup<Member>) {
      visitor.branch(key, field, member);
      if (member.has_value()) walk(*member, key, visitor);
    } else if constexpr (GroupList<Member>) {
      visitor.branch(key, field, member);
      for (std::size_t i = 0; i < member.size(); ++i) walk(member[i], dotted(key, std::to_string(i)), visitor);
    } else {
      visitor.leaf(key, field, member);
    }
  });
}

}  // namespace gpusim::profile_detail
