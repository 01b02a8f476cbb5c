// Where a probe runs: one GPU at one clock.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gpusim/gpu.h"

namespace gpusim::probe {

/// Of the arrays that streaming probes read and write.
inline constexpr std::int64_t stream_element_bytes = 8;

/// A run was given up: there is nothing to read.
struct Stopped : std::exception {};

class Bench {
 public:
  /// Throws ProfileError when the profile is wrong. `stop`, if any, is asked before and in each run.
  Bench(const Profile& profile, std::optional<std::int64_t> clock_mhz, std::function<bool()> stop = {});

  [[nodiscard]] const Profile& profile() const { return gpu_.profile(); }
  [[nodiscard]] std::int64_t clock_mhz() const { return clock_mhz_; }

  /// Runs schedules after one another; `observer` watches. Throws Stopped when `stop` gave up.
  Result run(const std::vector<Schedule>& schedules, L2State l2 = L2State::cold, Observer* observer = nullptr) const;
  /// From the first CTA's first cycle to the last store's arrival.
  [[nodiscard]] double cycles(const Schedule& schedule, L2State l2 = L2State::cold) const;
  /// What a trip of a loop takes: of twice as many trips less that of so many, so that beginning and end fall out.
  template <class Loop>
  [[nodiscard]] double cycles_per_trip(Schedule (*generate)(const Loop&), Loop loop, L2State l2 = L2State::cold) const {
    const auto trips = static_cast<double>(loop.trips);
    const double once = cycles(generate(loop), l2);
    loop.trips *= 2;
    return (cycles(generate(loop), l2) - once) / trips;
  }

  [[nodiscard]] double ns(double cycles) const { return cycles * 1000 / static_cast<double>(clock_mhz_); }
  [[nodiscard]] double gb_per_s(double bytes_per_cycle) const {
    return bytes_per_cycle * static_cast<double>(clock_mhz_) / 1000;
  }
  /// What dense multiply-adds an SM and cycle come to on all SMs.
  [[nodiscard]] double tflops(double fma_per_cycle_and_sm) const;

  [[nodiscard]] std::int64_t sms() const { return profile().sm.count; }
  /// Warps an SM holds; what a CTA may have at most where that is unlimited.
  [[nodiscard]] std::int64_t warps() const;
  /// Warps of the largest CTA (1024 threads) that the GPU holds.
  [[nodiscard]] int warps_of_largest_cta() const;
  /// Shared memory a CTA must ask for so that an SM holds no more than `ctas`; 0: it has no limit.
  [[nodiscard]] std::int64_t shared_bytes_for(std::int64_t ctas) const;
  /// Bytes of L1 where it is alone; of L2. 0: there is none; a very large number: unlimited.
  [[nodiscard]] std::int64_t l1_bytes() const;
  [[nodiscard]] std::int64_t l2_bytes() const;

 private:
  Gpu gpu_;
  std::int64_t clock_mhz_;
  std::function<bool()> stop_;
};

/// Throws ScheduleError about one parameter.
[[noreturn]] void refuse(const std::string& parameter, const std::string& what);

}  // namespace gpusim::probe
