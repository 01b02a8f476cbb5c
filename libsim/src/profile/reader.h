// Reads the Specs of a profile from a document, by their fields() lists.
#pragma once

#include <string>
#include <string_view>

#include "gpusim/profile.h"
#include "profile/document.h"
#include "profile/kinds.h"
#include "profile/provenance.h"
#include "profile/references.h"
#include "profile/value_text.h"
#include "profile/walk.h"

namespace gpusim::profile_detail {

/// Where a value is, for people and for programs.
struct Place {
  std::string where;  ///< "arch/ada.json#/l2/latency"
  std::string key;    ///< "l2.latency"

  [[nodiscard]] Place at(std::string_view part) const { return {where + pointer_part(part), dotted(key, part)}; }
};

class Reader {
 public:
  /// Keeps references to all three; numbers go to `profile` with their provenance.
  Reader(Profile& profile, const References& references, Problems& problems)
      : profile_(profile), references_(references), problems_(problems) {}

  /// Reads one member. `complete`: what is missing below it is a problem, otherwise it keeps its value.
  template <class T>
  void read(const JsonValue& json, const Field& field, const Place& place, bool complete, T& member) {
    if constexpr (Number<T>) {
      read_number(json, field, place, member);
    } else if constexpr (Word<T>) {
      const bool right_kind = json.is(std::same_as<T, bool> ? JsonValue::Kind::boolean : JsonValue::Kind::string);
      if (!right_kind || !from_text(json.text, field, member)) refuse_word<T>(json, field, place);
    } else if constexpr (Group<T>) {
      read_group(json, field, place, complete, member);
    } else if constexpr (OptionalGroup<T>) {
      if (json.is(JsonValue::Kind::null)) {
        member.reset();
        forget_provenance(profile_, place.key);
        return;
      }
      const bool is_new = !member.has_value();
      if (is_new) member.emplace();
      read_group(json, field, place, complete || is_new, *member);
    } else {
      static_assert(GroupList<T>);
      read_list(json, field, place, member);
    }
  }

  /// Reads the members that `GroupType` lists from the object `json`; other keys are the caller's business.
  template <class GroupType>
  void read_members(const JsonValue& json, const Place& place, bool complete, GroupType& group) {
    GroupType::fields([&](const Field& field, auto pointer) {
      const Place member_place = place.at(field.key);
      const JsonValue* value = json.find(field.key);
      if (value != nullptr) {
        read(*value, field, member_place, complete, group.*pointer);
      } else if (complete) {
        problems_.add(member_place.where, "is missing: " + std::string(field.doc));
      }
    });
  }

 private:
  template <class T>
  void read_group(const JsonValue& json, const Field& field, const Place& place, bool complete, T& group) {
    if (!is_object(json, field, place)) return;
    std::vector<std::string_view> known;
    T::fields([&](const Field& member, auto) { known.push_back(member.key); });
    refuse_others(json, place, known);
    read_members(json, place, complete, group);
  }

  template <class T>
  void read_list(const JsonValue& json, const Field& field, const Place& place, std::vector<T>& list) {
    if (!json.is(JsonValue::Kind::array) || json.items.size() > most_groups) {
      problems_.add(place.where,
                    "expected an array of at most " + std::to_string(most_groups) + ": " + std::string(field.doc));
      return;
    }
    forget_provenance(profile_, place.key);
    list.assign(json.items.size(), T{});
    for (std::size_t i = 0; i < list.size(); ++i) {
      read_group(json.items[i], field, place.at(std::to_string(i)), true, list[i]);
    }
  }

  template <class T>
  void read_number(const JsonValue& json, const Field& field, const Place& place, T& number) {
    const JsonValue* value = number_value(json, place, expectation<T>(field));
    if (value == nullptr) return;
    const bool right_kind =
        value->is(JsonValue::Kind::number) || (has_text_form<T> && value->is(JsonValue::Kind::string));
    if (right_kind && from_text(value->text, field, number)) return;
    std::string what = "expected " + expectation<T>(field) + ", not " + shown(*value);
    if constexpr (counts_bytes<T>) what += did_you_mean_bytes(value->text, field);
    problems_.add(place.where + "/value", std::move(what));
  }

  template <class T>
  void refuse_word(const JsonValue& json, const Field& field, const Place& place) {
    const auto all = words(T{});
    problems_.add(place.where,
                  "expected " + expectation<T>(field) + ", not " + shown(json) + did_you_mean(json.text, all));
  }

  [[nodiscard]] bool is_object(const JsonValue& json, const Field& field, const Place& place);
  void refuse_others(const JsonValue& json, const Place& place, std::span<const std::string_view> known);
  /// The "value" of a number object, whose provenance it takes; nullptr when there is none.
  [[nodiscard]] const JsonValue* number_value(const JsonValue& json, const Place& place, const std::string& expected);
  void read_provenance(const JsonValue& json, const Place& place);
  /// A value as an error shows it.
  [[nodiscard]] static std::string shown(const JsonValue& json);

  Profile& profile_;
  const References& references_;
  Problems& problems_;
};

}  // namespace gpusim::profile_detail
