// Kernels other than matrix products: what their subcommands have in common.
//
// A kernel says which options it has, how they become schedules, and how the functional twin checks them. From that
// follow 'gpusim run NAME', 'gpusim schedule show NAME' and 'gpusim schedule save NAME'.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "files.h"
#include "gpusim/functional_kernels.h"
#include "gpusim/profile.h"
#include "gpusim/run_options.h"
#include "gpusim/schedule.h"
#include "options.h"
#include "values.h"

namespace app {

/// Kernels as they were asked for.
struct Kernels {
  std::vector<gpusim::Schedule> schedules;
  std::function<gpusim::functional::KernelCheck()> check;
  double work = 0;      ///< elements or multiply-adds the twin goes through
  std::string formula;  ///< what every element is compared with
};

/// An option that can make a kernel smaller where a GPU has too little of something.
struct Remedy {
  std::string resource;  ///< as problems name it: "schedule.shared", "schedule.registers", "schedule.buffers", "place"
  std::string option;    ///< without dashes
  std::vector<std::string> values;  ///< tried in order; none: smaller numbers than the one that was given
};

struct KernelCommand {
  std::string name;  ///< "softmax"
  std::string summary;
  std::vector<OptionGroup> groups;
  std::vector<std::string> examples;  ///< options, a command each
  /// Throws gpusim::ScheduleError; adds options' own problems.
  std::function<Kernels(const Options&, const gpusim::Profile&, Problems&)> read;
  std::vector<Remedy> remedies;  ///< those tried first are first
  /// What would be faster, of what was read; may be nothing.
  std::function<std::string(const Options&, const gpusim::Profile&, const Kernels&, const gpusim::RunOptions&)> hint =
      {};
};

/// All kernels that have a subcommand, in the order of the help.
[[nodiscard]] std::vector<KernelCommand> kernel_commands();
/// The one called `name`, if there is one.
[[nodiscard]] std::optional<KernelCommand> kernel_command_named(const std::string& name);

/// gpusim run NAME
int run_kernel(const KernelCommand& kernel, const std::vector<std::string>& arguments);
/// The schedules of the options; throws InputError for all that is wrong.
[[nodiscard]] std::vector<gpusim::Schedule> kernel_schedules(const KernelCommand& kernel, const Options& options,
                                                             CommandFiles& files);

// One file each.
[[nodiscard]] KernelCommand copy_command();
[[nodiscard]] KernelCommand elementwise_command();
[[nodiscard]] KernelCommand reduce_command();
[[nodiscard]] KernelCommand transpose_command();
[[nodiscard]] KernelCommand softmax_command();
[[nodiscard]] KernelCommand layernorm_command();
[[nodiscard]] KernelCommand gemv_command();
[[nodiscard]] KernelCommand attention_command();

}  // namespace app
