// What operations cost on a profile when nothing else is in the way.
#pragma once

#include <vector>

#include "estimate/path.h"
#include "gpusim/profile.h"
#include "gpusim/run_options.h"
#include "gpusim/schedule.h"

namespace gpusim::estimate {

class Costs {
 public:
  /// Keeps references to all but `options`.
  Costs(const Schedule& schedule, const Profile& profile, const RunOptions& options, Ledger& ledger);

  /// Instructions of one warp, one after another.
  [[nodiscard]] const Pace& issue() const { return issue_; }
  /// Instructions of `operation` on their pipe; never faster than issue().
  [[nodiscard]] Pace pace(const Operation& operation) const;
  /// Whether the warp goes on while its instructions queue for their pipe.
  [[nodiscard]] static bool queued(const Operation& operation);
  /// The time from the issue of one instruction of `operation` to its result.
  void add_latency(Path& path, const Operation& operation) const;
  /// The release of a CTA barrier after its last arrival.
  void add_barrier(Path& path) const;
  /// The completion of an mbarrier phase to the next instruction of a warp that waits for it.
  void add_mbarrier(Path& path) const;

 private:
  void add_global(Path& path, BufferId buffer, std::string_view what) const;
  void add_pipe(Path& path, Pipe pipe, std::string_view what) const;
  [[nodiscard]] Pace pipe_pace(Pipe pipe, std::string_view what) const;
  [[nodiscard]] Pace tensor_pace(const Multiply& multiply, std::string_view what) const;

  const Schedule& schedule_;
  const Profile& profile_;
  Ledger& ledger_;
  Pace issue_;
  Pace memory_issue_;
  Cycles dram_latency_;
  std::vector<bool> in_l2_;  ///< by buffer: loads are served by L2
};

}  // namespace gpusim::estimate
