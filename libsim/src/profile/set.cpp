// One assignment: "l2.capacity=6MiB".
#include <algorithm>
#include <string>
#include <vector>

#include "gpusim/profile_io.h"
#include "profile/problems.h"
#include "profile/provenance.h"
#include "profile/value_text.h"
#include "profile/walk.h"

namespace gpusim {
namespace profile_detail {
namespace {

constexpr std::string_view null_word = "null";

/// Walks a profile to the key it is given and sets what is there.
class Setter {
 public:
  Setter(Profile& profile, std::string_view key, std::string_view value)
      : profile_(profile), key_(key), value_(value) {}

  template <class T>
  void leaf(const std::string& key, const Field& field, T& member) {
    known_.push_back(key);
    if (key != key_) return;
    found_ = true;
    if (!from_text(value_, field, member)) {
      refusal_ = "expected " + expectation<T>(field) + ", not " + in_quotes(value_);
      if constexpr (counts_bytes<T>) refusal_ += did_you_mean_bytes(value_, field);
    } else if constexpr (Number<T>) {
      profile_.provenance.insert_or_assign(key, Provenance{Method::user, "set to " + std::string(value_)});
    }
  }

  template <class T>
  void branch(const std::string& key, const Field& field, T& member) {
    known_.push_back(key);
    if (key_.starts_with(key + ".") && is_absent(member)) {
      found_ = true;
      refusal_ = "there is no " + key + " in this profile (" + std::string(field.doc) + ")";
    }
    if (key != key_) return;
    found_ = true;
    if (value_ != null_word) {
      refusal_ = "can only be set to null as a whole; its parts are set one by one";
      return;
    }
    member = T{};
    forget_provenance(profile_, key);
  }

  /// What is wrong, or "".
  [[nodiscard]] std::string refusal() const {
    if (found_) return refusal_;
    const std::vector<std::string_view> below = keys_below(key_);
    if (!below.empty()) return "is a group; set one of " + comma_separated(below);
    return "no such key" + advice();
  }

 private:
  [[nodiscard]] std::vector<std::string_view> keys_below(std::string_view group) const {
    std::vector<std::string_view> below;
    for (const std::string& each : known_)
      if (each.starts_with(std::string(group) + ".")) below.push_back(each);
    return below;
  }

  /// What may be meant by a key that is none.
  [[nodiscard]] std::string advice() const {
    const std::size_t dot = key_.find('.');
    if (dot == std::string_view::npos) return advice_on_word();
    const std::vector<std::string_view> siblings = keys_below(key_.substr(0, dot));
    const std::vector<std::string_view> all(known_.begin(), known_.end());
    if (siblings.empty()) {
      const std::string near = did_you_mean(key_, all);
      return near.empty() ? groups_there() : near;
    }
    // Keys of a group begin alike: what is near in the rest of the name is.
    std::vector<std::string_view> names;
    names.reserve(siblings.size());
    for (const std::string_view each : siblings) names.push_back(each.substr(dot + 1));
    const std::string_view near = nearest(key_.substr(dot + 1), names);
    if (near.empty()) return "; there are " + comma_separated(siblings);
    return "; did you mean " + in_quotes(std::string(key_.substr(0, dot + 1)) + std::string(near)) + "?";
  }

  /// Of a key without a group: those that have it in their names, where these are few; those of the group that is
  /// spelled nearly so; or the groups.
  [[nodiscard]] std::string advice_on_word() const {
    constexpr std::size_t few = 8;
    std::vector<std::string_view> called_so;
    for (const std::string& each : known_)
      if (("." + each + ".").find("." + std::string(key_) + ".") != std::string::npos && keys_below(each).empty())
        called_so.push_back(each);
    const std::size_t count = called_so.size();
    called_so.resize(std::min(count, few));
    if (count > 0) return "; there are " + comma_separated(called_so) + (count > few ? " and others" : "");
    const std::string_view group = nearest(key_, groups());
    const std::vector<std::string_view> below = keys_below(group);
    return below.empty() ? groups_there() : "; there are " + comma_separated(below);
  }

  [[nodiscard]] std::vector<std::string_view> groups() const {
    std::vector<std::string_view> groups;
    for (const std::string& each : known_) {
      const std::string_view group = std::string_view(each).substr(0, each.find('.'));
      if (std::find(groups.begin(), groups.end(), group) == groups.end()) groups.push_back(group);
    }
    return groups;
  }
  [[nodiscard]] std::string groups_there() const {
    return "; keys are such as sm.count, and begin with " + comma_separated(groups());
  }

  template <class T>
  static bool is_absent(const T& member) {
    if constexpr (OptionalGroup<T>) {
      return !member.has_value();
    } else {
      return member.empty();
    }
  }

  Profile& profile_;
  std::string_view key_;
  std::string_view value_;
  std::vector<std::string> known_;
  bool found_ = false;
  std::string refusal_;
};

}  // namespace
}  // namespace profile_detail

void set(Profile& profile, std::string_view assignment) {
  using profile_detail::in_quotes;
  const std::size_t equals = assignment.find('=');
  const std::string_view key = assignment.substr(0, equals);
  if (equals == std::string_view::npos || key.empty()) {
    throw ProfileError({Problem{in_quotes(assignment), "expected key=value, as in l2.capacity=6MiB"}});
  }
  profile_detail::Setter setter(profile, key, assignment.substr(equals + 1));
  profile_detail::walk(profile, "", setter);
  const std::string refusal = setter.refusal();
  if (!refusal.empty()) throw ProfileError({Problem{in_quotes(key), refusal}});
}

}  // namespace gpusim
