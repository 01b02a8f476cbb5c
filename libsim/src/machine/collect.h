// Adding up: from the counters of SMs and fabric to a Result.
#pragma once

#include <memory>
#include <vector>

#include "fabric/fabric.h"
#include "gpusim/result.h"
#include "machine/configure.h"
#include "sm/sm.h"

namespace gpusim::machine {

using Sms = std::vector<std::unique_ptr<sm::Sm>>;

/// The kernel that began at `began` and whose last warp left, or which was stopped, at `ended`. Takes the fabric's
/// memory counters.
[[nodiscard]] KernelResult collect_kernel(const Schedule& schedule, const sm::Kernel& kernel, const Profile& profile,
                                          const Sms& sms, fabric::Fabric& fabric, Cycle began, Cycle ended);

/// Adds what has been counted since the kernel began.
void collect_counts(const sm::Kernel& kernel, const Sms& sms, fabric::Fabric& fabric, KernelResult& result);

void collect_servers(const Sms& sms, fabric::Fabric& fabric, const Configuration& configuration, Result& result);
void collect_pools(const Sms& sms, fabric::Fabric& fabric, Result& result);

/// Over every count of the result, and nothing else.
[[nodiscard]] std::uint64_t digest_counts(const Result& result);

}  // namespace gpusim::machine
