// How the command says no: exit codes, and one line a problem on standard error.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "gpusim/error.h"

namespace app {

inline constexpr int exit_ok = 0;
inline constexpr int exit_input = 1;          ///< a value, a file or a device is wrong
inline constexpr int exit_usage = 2;          ///< there is no such command or option
inline constexpr int exit_defect = 70;        ///< gpusim itself is wrong
inline constexpr int exit_interrupted = 130;  ///< by Ctrl-C

/// The command line itself makes no sense.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The run was stopped by a signal.
struct Interrupted : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// "; did you mean 'ada'?", or "" for "".
[[nodiscard]] std::string did_you_mean(std::string_view near);

/// The same when one of the candidates is near, else "".
[[nodiscard]] std::string suggestion(std::string_view text, const std::vector<std::string>& candidates);

/// "a, b, c"
[[nodiscard]] std::string joined(const std::vector<std::string>& words);

/// Adds problems of the library to `problems`, by the names that the user typed: one at "shared_a" is one at
/// "--shared-a" when that is among `options`, one at "tile.m" is one at "--tile", of its m. In
/// the text a name with an underscore, or one alone in brackets ("(ctas)"), becomes its option; other names of one word
/// stay words ("2 stages").
void add_problems(const std::vector<gpusim::Problem>& found, const std::vector<std::string>& options,
                  std::vector<gpusim::Problem>& problems);

/// Tells what is odd and costs nothing, a line each on standard error.
void remark(const std::vector<gpusim::Problem>& remarks);

/// Throws InputError when there are problems.
void refuse(std::vector<gpusim::Problem> problems);

/// Runs `command`, prints what it throws, and returns the exit code.
int guarded(int (*command)(const std::vector<std::string>&), const std::vector<std::string>& arguments);

}  // namespace app
