// The simulated GPU.
//
//   const auto gpu = gpusim::Gpu(gpusim::load_profile("ada"));
//   const auto result = gpu.run(schedule);
//
// A Gpu is const after construction: any number of threads may call run() on one at the same time, each run has its own
// private machine, and equal inputs give equal digests.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "gpusim/observer.h"
#include "gpusim/profile.h"
#include "gpusim/result.h"
#include "gpusim/run_options.h"
#include "gpusim/schedule.h"

namespace gpusim {

class Gpu {
 public:
  /// Throws ProfileError when check(profile) finds problems.
  explicit Gpu(Profile profile);

  [[nodiscard]] const Profile& profile() const { return profile_; }

  /// Simulates one schedule. Throws ScheduleError when check(schedule, profile) finds problems or options name unknown
  /// buffers, DeadlockError when warps wait for what cannot come.
  [[nodiscard]] Result run(const Schedule& schedule, const RunOptions& options = {},
                           std::span<Observer* const> observers = {}) const;

  /// Simulates several schedules one after another on one GPU: L2 and device memory are shared (buffers of equal name
  /// are the same memory), each begins when the one before has drained. Result::kernels has one entry each.
  [[nodiscard]] Result run(std::span<const Schedule> schedules, const RunOptions& options = {},
                           std::span<Observer* const> observers = {}) const;

 private:
  Profile profile_;
};

}  // namespace gpusim
