// What goes wrong, and how it is said.
//
// User input is checked completely before anything is refused: every error of this kind carries the list of all
// problems found, each with the place (a JSON pointer, a flag, a tile) and what to do. A caller's broken contract is a
// std::logic_error; a run that cannot go on is a DeadlockError.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace gpusim {

/// One thing wrong with an input.
struct Problem {
  std::string where;  ///< "arch/ada.json#/l2/capcity", "--tile", "schedule.shared"
  std::string what;   ///< one sentence, with the nearest valid choice where there is one
  bool operator==(const Problem&) const = default;
};

/// Bad user input. what() is the problems, one a line, "where: what".
class InputError : public std::runtime_error {
 public:
  explicit InputError(std::vector<Problem> problems);
  [[nodiscard]] const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_;
};

/// A profile file, key or value is wrong.
class ProfileError : public InputError {
 public:
  using InputError::InputError;
};

/// A schedule does not fit the machine, or its description is wrong.
class ScheduleError : public InputError {
 public:
  using InputError::InputError;
};

/// No event is left and some warps have not ended. what() says who waits for whom.
class DeadlockError : public std::runtime_error {
 public:
  explicit DeadlockError(std::vector<std::string> waits);
  /// One sentence a stuck warp.
  [[nodiscard]] const std::vector<std::string>& waits() const { return waits_; }

 private:
  std::vector<std::string> waits_;
};

/// The shortest candidate that `text` is the beginning of, from three letters on; else the closest one by edit
/// distance, or "" when none is near enough to be meant. Capitals do not count.
[[nodiscard]] std::string_view nearest(std::string_view text, std::span<const std::string_view> candidates);

}  // namespace gpusim
