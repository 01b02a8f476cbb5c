// Where checks put what they find.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "gpusim/error.h"

namespace gpusim::schedule {

inline constexpr std::size_t longest_name = 64;

/// Collects problems of a schedule's parts, of lists at "/list/index".
class Collector {
 public:
  explicit Collector(std::vector<Problem>& problems) : problems_(problems) {}

  void require(bool holds, const std::string& where, const std::string& what) {
    if (!holds) problems_.push_back({where, what});
  }
  void within(std::int64_t value, std::int64_t low, std::int64_t high, const std::string& where,
              const std::string& what) {
    require(
        value >= low && value <= high, where,
        what + " is " + std::to_string(value) + "; it must be " + std::to_string(low) + " to " + std::to_string(high));
  }

  template <class Things>
  void names(const Things& things, std::int64_t most, const std::string& list) {
    within(static_cast<std::int64_t>(things.size()), 0, most, list, "the number of entries");
    std::set<std::string> seen;
    for (std::size_t i = 0; i < things.size(); ++i) {
      const std::string where = list + "/" + std::to_string(i);
      require(!name_of(things[i]).empty(), where, "it has no name");
      require(seen.insert(name_of(things[i])).second, where, "there is another called '" + name_of(things[i]) + "'");
      require(name_of(things[i]).size() <= longest_name, where,
              "its name is longer than " + std::to_string(longest_name));
    }
  }

 private:
  static const std::string& name_of(const std::string& text) { return text; }
  template <class Thing>
  static const std::string& name_of(const Thing& thing) {
    return thing.name;
  }

  std::vector<Problem>& problems_;
};

}  // namespace gpusim::schedule
