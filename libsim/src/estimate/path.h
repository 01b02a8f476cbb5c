// Paths: points in time that remember what they are the sum of.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpusim/estimate/critical_path.h"

namespace gpusim::estimate {

/// A point in time and the terms, in order of first appearance, that add up to it.
class Path {
 public:
  struct Step {
    std::size_t term = 0;  ///< index into a Ledger
    std::int64_t count = 0;
  };

  [[nodiscard]] std::int64_t time() const { return time_; }
  [[nodiscard]] const std::vector<Step>& steps() const { return steps_; }

 private:
  friend class Ledger;
  std::int64_t time_ = 0;
  std::vector<Step> steps_;
};

/// The path that ends later; the second when both end together.
[[nodiscard]] inline const Path& later(const Path& first, const Path& second) {
  return second.time() >= first.time() ? second : first;
}

/// Cycles from one instruction of a run to the next, as an exact ratio, and the profile field that says so.
struct Pace {
  std::int64_t cycles = 0;
  std::int64_t instructions = 1;  ///< `cycles` for so many
  std::string field;
  std::string what;
};
[[nodiscard]] inline bool slower(const Pace& a, const Pace& b) {
  return a.cycles * b.instructions > b.cycles * a.instructions;
}

/// All distinct terms of an estimate, and the only hand that lengthens paths.
class Ledger {
 public:
  /// Without terms paths only have their time.
  explicit Ledger(bool keeps_terms = true) : keeps_terms_(keeps_terms) {}

  /// Appends count * each cycles. Nothing is recorded for zero cycles.
  void extend(Path& path, std::string_view field, std::string_view what, Cycles each, std::int64_t count = 1);
  /// Appends `count` intervals of a pace, rounded up to whole cycles.
  void extend(Path& path, const Pace& pace, std::int64_t count);

  /// The path's steps as terms.
  [[nodiscard]] std::vector<PathTerm> terms(const Path& path) const;

 private:
  struct Entry {
    std::string field;
    std::string what;
    Cycles each;
  };
  [[nodiscard]] std::size_t index_of(std::string_view field, std::string_view what, Cycles each);

  bool keeps_terms_;
  std::vector<Entry> entries_;
};

}  // namespace gpusim::estimate
