// What operations cost on a profile when nothing else is in the way.
#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

#include "estimate/path.h"
#include "estimate/wavefronts.h"
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
  /// Instructions of `operation` on their pipe, one warp's; never faster than issue().
  [[nodiscard]] const Pace& pace(const Operation& operation);
  /// Warp-group multiplies of one group, as far as arithmetic goes; as far as shared memory goes.
  [[nodiscard]] Pace arithmetic_pace(const WarpgroupMultiply& multiply) const;
  [[nodiscard]] Pace operand_pace(const WarpgroupMultiply& multiply) const;
  /// How far away what serves loads from the buffer is.
  [[nodiscard]] Cycles global_latency(BufferId buffer) const;
  /// How far away L2 is, which takes stores; or DRAM, where there is none.
  [[nodiscard]] Cycles nearest_latency() const { return profile_.l2 ? profile_.l2->latency : dram_latency_; }
  /// Bytes of an L2 slice a cycle.
  [[nodiscard]] Rate slice_rate() const {
    return profile_.l2 ? gpusim::slice_rate(*profile_.l2, clock_mhz_) : Rate::unlimited();
  }
  /// Of these, written ones.
  [[nodiscard]] Rate slice_write_rate() const {
    return profile_.l2 ? gpusim::slice_write_rate(*profile_.l2, clock_mhz_) : Rate::unlimited();
  }
  /// From here on the bytes of bulk copies come one after another at this pace, after their latency; of no cycles: all
  /// at once.
  void deliver_bulk_copies_at(Pace bytes) { bulk_pace_ = std::move(bytes); }
  /// From here on global memory takes no time.
  void forget_global_latency() { global_is_instant_ = true; }

  /// Appends `count` instructions of `operation` at their pace.
  void add_run(Path& path, const Operation& operation, std::int64_t count);
  /// Appends an mma.sync run and what the warp's next one waits for beyond it.
  void add_until_next(Path& path, const Operation& operation);
  /// Appends the coming of so many bytes of a bulk copy.
  void add_delivery(Path& path, std::int64_t bytes) const { ledger_.extend(path, bulk_pace_, bytes); }
  /// Appends `count` warp-group multiplies on the tensor cores.
  void add_multiplies(Path& path, const WarpgroupMultiply& multiply, std::int64_t count) const;
  /// Appends one of which the result is waited for, but for its latency.
  void add_last_multiply(Path& path, const WarpgroupMultiply& multiply) const;
  /// Whether the warp goes on while its instructions queue for their pipe.
  [[nodiscard]] static bool queued(const Operation& operation);
  /// The time from the issue of one instruction of `operation` to its result; `at` says which, repeat included.
  void add_latency(Path& path, const Operation& operation, const Coordinates& at);
  /// The time from the issue of one instruction of `operation` to the reading of its registers, where that is later.
  void add_read(Path& path, const Operation& operation) const;
  /// The start of a CTA's `warp` after its first.
  void add_start(Path& path, int warp) const;
  /// The counting of so many warps' arrivals at a CTA barrier.
  void add_arrival(Path& path, std::int64_t warps) const;
  /// The release of a CTA barrier after its last arrival has been counted.
  void add_barrier(Path& path) const;
  /// The release of a cluster barrier after its last arrival.
  void add_barrier(Path& path, const ClusterBarrier& barrier) const;
  /// A store's being at L2 and acknowledged.
  void add_acknowledgement(Path& path) const;
  /// The fence and the counting of a CTA at the grid barrier, and a poll; `first` of the run.
  void add_count(Path& path, bool first, bool polls) const;
  /// What reaches another CTA's shared memory, at best as near as can be, or the own through the same window.
  void add_peer(Path& path, bool own, std::string_view what) const;
  /// The completion of an mbarrier phase to the next instruction of a warp that waits for it.
  void add_mbarrier(Path& path) const;
  /// Of an element that is moved.
  [[nodiscard]] std::int64_t element_bytes(const GlobalAccess& access) const;
  [[nodiscard]] std::int64_t element_bytes(const SharedAccess& access) const;

 private:
  [[nodiscard]] Pace operand_pace(const WarpgroupMultiply& multiply, std::int64_t rows_of_a) const;
  /// Adds one action's latency.
  struct Latency;

  void add_global(Path& path, BufferId buffer, std::string_view what) const;
  void add_pipe(Path& path, Pipe pipe, std::string_view what) const;
  /// What wider registers than one of 32 bits a lane take.
  void add_wide(Path& path, std::int64_t lane_bytes) const;
  void add_uniform(Path& path, std::string_view field, Cycles saving) const;
  void add_wavefronts(Path& path, const LoadShared& load, const Coordinates& at);
  [[nodiscard]] Pace slowest_pace(const Operation& operation) const;
  [[nodiscard]] Pace lanes_pace(const PipeSpec& pipe, const std::string& key, std::string_view what) const;
  [[nodiscard]] Pace pipe_pace(Pipe pipe, std::string_view what) const;
  [[nodiscard]] Pace tensor_pace(const Multiply& multiply, std::string_view what) const;
  /// How fast the register banks give a run on the fma pipe its operands.
  [[nodiscard]] Pace register_pace(const Multiply& multiply) const;
  [[nodiscard]] const TensorModeSpec* mode_of(const Multiply& multiply) const;

  const Schedule& schedule_;
  const Profile& profile_;
  Ledger& ledger_;
  Pace issue_;
  Pace memory_issue_;
  Pace bulk_pace_;
  std::int64_t clock_mhz_;
  Cycles dram_latency_;
  WavefrontCounter wavefronts_;
  bool global_is_instant_ = false;
  std::vector<bool> in_l2_;  ///< by buffer: loads are served by L2
  std::unordered_map<const Operation*, Pace> paces_;
};

}  // namespace gpusim::estimate
