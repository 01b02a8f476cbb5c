// --arch, --set, --clock, --l2 and --max-cycles: which GPU, and how it runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "files.h"
#include "gpusim/profile.h"
#include "gpusim/run_options.h"
#include "gpusim/schedule.h"
#include "options.h"
#include "values.h"

namespace app {

/// Of --clock where it cannot follow power.
inline constexpr const char* one_clock_help = "SM clock: boost (default), base, sustained, or a number of MHz";

[[nodiscard]] OptionGroup profile_option_group();
[[nodiscard]] OptionGroup run_option_group();

/// Applies "key=value" after "key=value". What is wrong with them, each at its --set, or with what comes of them all.
[[nodiscard]] Problems change(gpusim::Profile& profile, const std::vector<std::string>& assignments);

/// The profile --arch names with every --set applied; its file and those it stands on are of `files`. Throws UsageError
/// without --arch, InputError for all that is wrong with either.
[[nodiscard]] gpusim::Profile read_profile(const Options& options, CommandFiles& files);

/// The profile called `name`, with every --set applied. `where` is who named it, for messages.
[[nodiscard]] gpusim::Profile read_profile(std::string_view name, std::string_view where, const Options& options,
                                           CommandFiles& files);

/// How a command runs: at one clock, or at what the board's power leaves.
struct PoweredRun {
  gpusim::RunOptions options;
  bool under_power = false;
};

/// Clock, L2 state and limits; --clock may say power.
[[nodiscard]] PoweredRun read_powered_run(const Options& options, const gpusim::Profile& profile, Problems& problems);

/// Clock, L2 state and limits.
[[nodiscard]] gpusim::RunOptions read_run_options(const Options& options, const gpusim::Profile& profile,
                                                  Problems& problems);

/// Refuses states given for buffers that no schedule has.
void check_l2_buffers(const gpusim::RunOptions& options, const std::vector<gpusim::Schedule>& schedules,
                      Problems& problems);

}  // namespace app
