// One run: builds SMs and fabric from a profile, advances them in turn, and counts what happened.
//
// The sides run alone in turn, each to where a message of the other's may reach it: the smallest latencies there and
// back. A turn begins at the next event anywhere, so empty time costs nothing. Order comes from the model: turns of any
// length and any batching give the same digest.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "gpusim/observer.h"
#include "gpusim/profile.h"
#include "gpusim/result.h"
#include "gpusim/run_options.h"
#include "gpusim/schedule.h"
#include "machine/configure.h"
#include "machine/fast_forward.h"
#include "machine/ledger.h"
#include "machine/memory_map.h"
#include "sm/sm.h"

namespace gpusim::machine {

/// Choices for laws: what must not matter, and from how long a kernel on skipping is tried, which does.
struct Tuning {
  std::optional<Cycles> window;  ///< latency that is assumed of messages each way, no more than the smallest there is
  int burst = max_burst;         ///< lines a request may have
  bool descending = false;       ///< CTAs go to the last SM first
  std::int64_t skips_from = fewest_instructions;  ///< warp instructions
};

class Machine {
 public:
  /// `profile` and `observers` must outlive the machine.
  Machine(const Profile& profile, const RunOptions& options, std::span<Observer* const> observers,
          const Tuning& tuning = {});

  /// Runs checked schedules one after another. Throws ScheduleError and DeadlockError as Gpu::run.
  Result run(std::span<const Schedule> schedules);

 private:
  void fill_l2(const MemoryMap& memory);
  void warm_l2(const MemoryMap& memory);
  [[nodiscard]] std::int64_t lines_kept(const MemoryMap::Region& region, const MemoryMap& memory) const;
  [[nodiscard]] std::int64_t ctas_of(const Schedule& schedule) const;
  [[nodiscard]] std::vector<bool> find_their_code(std::span<const Schedule> schedules, const MemoryMap& memory) const;
  KernelResult run_kernel(const Schedule& schedule, const MemoryMap& memory, KernelId id, bool finds_code);
  Termination advance();
  void run_sms(Cycle end);
  void deliver();
  void throw_deadlock() const;
  [[nodiscard]] Cycle next_of_sms() const;
  [[nodiscard]] Cycle limit() const;
  [[nodiscard]] bool asked_to_stop(Cycle at);
  Termination stop(Cycle at, Termination why);
  [[nodiscard]] Cycle last_of(Cycle stop_at) const;

  const Profile& profile_;
  const RunOptions& options_;
  std::int64_t skips_from_;
  std::int64_t clock_mhz_;
  Configuration configuration_;
  std::vector<std::unique_ptr<sm::Sm>> sms_;
  std::vector<Cycle> due_;  ///< of each SM, when something happens there next
  fabric::Fabric fabric_;
  std::span<Observer* const> observers_;
  Ledger ledger_;
  std::optional<FastForward> fast_forward_;  ///< of the kernel
  Cycles skipped_;                           ///< of the run
  Crossing crossing_;                        ///< of the kernel
  Cycle now_;                                ///< the kernel began
  Cycles skipped_before_;                    ///< of kernels done
  Cycle stopped_at_;                         ///< unless it ran to its end
  std::int64_t turns_ = 0;
  std::int64_t ctas_before_ = 0;  ///< of kernels done
  std::int64_t ctas_in_all_ = 0;
  Termination termination_ = Termination::completed;
};

/// The profile's clock for these options.
[[nodiscard]] std::int64_t clock_of(const Profile& profile, const RunOptions& options);

}  // namespace gpusim::machine
