// Every way to make a profile's hardware better in one number: each rate higher, each latency lower, each cache
// and queue larger.
// Found by walking the profile's own lists of fields, so that a new field is covered the day it is added.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "gpusim/profile.h"

namespace gpusim::testing {

struct Improvement {
  std::string key;
  std::function<bool(Profile&)> apply;  ///< false: there is nothing to improve
};

namespace detail {

template <class Spec>
inline constexpr bool is_optional = false;
template <class Spec>
inline constexpr bool is_optional<std::optional<Spec>> = true;
template <class Spec>
inline constexpr bool is_vector = false;
template <class Spec>
inline constexpr bool is_vector<std::vector<Spec>> = true;

/// Whether a number of this name, not being a Rate, says how much hardware there is for one program: caches, queues and
/// lanes. More places for warps and CTAs change what runs side by side, which is not better for every program.
inline bool is_more_hardware(const std::string& key) {
  constexpr std::array names{"l1.capacity",      "l2.capacity",     "l1.miss_lines",   "lsu.queue",      "tma.queue",
                             "tma.stored_lines", "pipes.fma.lanes", "pipes.alu.lanes", "pipes.sfu.lanes"};
  return std::find(names.begin(), names.end(), key) != names.end();
}

template <class Member>
using Access = std::function<Member*(Profile&)>;  ///< nullptr where the profile has no such hardware

class Improvements {
 public:
  std::vector<Improvement> found;

  template <class Spec>
  void walk(const std::string& prefix, const Access<Spec>& owner) {
    Spec::fields([&](const Field& field, auto member) {
      using Member = std::remove_reference_t<decltype(std::declval<Spec&>().*member)>;
      const Access<Member> here = [owner, member](Profile& profile) -> Member* {
        Spec* const spec = owner(profile);
        return spec == nullptr ? nullptr : &(spec->*member);
      };
      visit(prefix.empty() ? std::string(field.key) : prefix + "." + std::string(field.key), field, here);
    });
  }

 private:
  template <class Member>
  void visit(const std::string& key, const Field& field, const Access<Member>& here) {
    if constexpr (std::is_same_v<Member, Rate>) {
      add(key + " x 2", here, [](Rate& rate) { return scale(rate, 2, 1); });
      add(key + " x 5/4", here, [](Rate& rate) { return scale(rate, 5, 4); });
    } else if constexpr (std::is_same_v<Member, Cycles>) {
      if (key.ends_with("_saving")) return;  // the more the better
      const Cycles least(field.minimum);
      add(key + " / 2", here, [least](Cycles& latency) { return lower(latency, std::max(latency / 2, least)); });
      add(key + " - 3", here,
          [least](Cycles& latency) { return lower(latency, std::max(latency - Cycles(3), least)); });
    } else if constexpr (std::is_same_v<Member, Limited<Bytes>> || std::is_same_v<Member, Limited<std::int64_t>>) {
      if (!is_more_hardware(key)) return;
      add(key + " x 2", here, [](Member& number) {
        if (number.is_unlimited()) return false;
        number = Member(number.value() * 2);
        return true;
      });
    } else if constexpr (is_optional<Member>) {
      walk<typename Member::value_type>(key, [here](Profile& profile) {
        Member* const optional = here(profile);
        return optional != nullptr && optional->has_value() ? &**optional : nullptr;
      });
    } else if constexpr (is_vector<Member>) {
      walk<typename Member::value_type>(key + ".0", [here](Profile& profile) {
        Member* const list = here(profile);
        return list == nullptr || list->empty() ? nullptr : &list->front();
      });
    } else if constexpr (std::is_class_v<Member> && !std::is_same_v<Member, Bytes>) {
      walk<Member>(key, here);
    }
  }

  static bool scale(Rate& rate, std::int64_t amount, std::int64_t period) {
    if (rate.is_unlimited()) return false;
    rate = Rate::ratio(rate.amount() * amount, rate.period() * period);
    return true;
  }
  static bool lower(Cycles& latency, Cycles to) {
    if (to >= latency) return false;
    latency = to;
    return true;
  }

  template <class Member, class Change>
  void add(std::string key, const Access<Member>& here, Change change) {
    found.push_back({std::move(key), [here, change](Profile& profile) {
                       Member* const member = here(profile);
                       return member != nullptr && change(*member);
                     }});
  }
};

}  // namespace detail

inline std::vector<Improvement> improvements() {
  detail::Improvements improvements;
  improvements.walk<Profile>("", [](Profile& profile) { return &profile; });
  return std::move(improvements.found);
}

}  // namespace gpusim::testing
