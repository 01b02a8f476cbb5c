// One assignment: "l2.capacity=6MiB".
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
    std::vector<std::string_view> below, all(known_.begin(), known_.end());
    for (const std::string& each : known_) {
      if (each.starts_with(std::string(key_) + ".")) below.push_back(each);
    }
    if (!below.empty()) return "is a group; set one of " + comma_separated(below);
    return "no such key" + did_you_mean(key_, all);
  }

 private:
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
