// What does not fit a GPU, told by the option that makes it smaller.
#pragma once

#include "kernel_command.h"

namespace app {

/// A kernel as options and GPU make it, and what is wrong with it.
struct KernelAttempt {
  Kernels kernels;  ///< none where they cannot be made
  Problems of_options;
  Problems of_schedules;  ///< as the library names them; none known while options are wrong
};
[[nodiscard]] KernelAttempt attempted(const KernelCommand& kernel, const Options& options,
                                      const gpusim::Profile& profile);

/// The problems `found`, those about shared memory, registers or memory by the name of an option, with a value that
/// would do: of the kernel's remedies the first that works, those that were given before others. Where none works, by
/// the resource in words.
[[nodiscard]] Problems with_remedies(const KernelCommand& kernel, const Options& options,
                                     const gpusim::Profile& profile, Problems found);

}  // namespace app
