// Adds work up as cycles that each resource of an SM is busy.
#pragma once

#include "estimate/cta_load.h"

namespace gpusim::estimate {

/// `work` units at a rate; no time when it is unlimited.
[[nodiscard]] inline double cycles_of(const Rate& rate, double work) {
  return rate.is_unlimited() ? 0 : work / rate.per_cycle();
}
[[nodiscard]] inline double cycles_of(const Pace& pace, double count) {
  return count * static_cast<double>(pace.cycles) / static_cast<double>(pace.instructions);
}

class LoadMeter {
 public:
  /// `slice`: bytes of an L2 slice a cycle; `slice_write`: of these, written ones.
  LoadMeter(const Profile& profile, Rate slice, Rate slice_write)
      : profile_(profile), slice_(slice), slice_write_(slice_write) {}

  /// What follows is added to this load.
  void add_to(Load& load) { load_ = &load; }

  void busy(Resource resource, double cycles) { (*load_)[static_cast<std::size_t>(resource)] += cycles; }
  /// Instructions of all warps, dealt to the sub-partitions.
  void at_sub_partition(Resource resource, const Pace& pace, double instructions);
  void at_lsu(double instructions);
  void at_shared(double bytes);
  /// Bulk copies' bytes go into shared memory.
  void take_in(double bytes);
  void write_back(double bytes);
  void at_l1_tags(double instructions, const Sectors& sectors);
  void at_l1_data(double instructions, const Sectors& sectors);
  void at_engine(double copies, double rows, double bytes);
  /// Lines on their way, each so long.
  void miss(double lines, Cycles latency) { busy(Resource::miss_lines, held(lines, latency)); }
  /// How long so many lines keep those that can be on their way busy.
  [[nodiscard]] double held(double lines, Cycles latency) const;
  /// `bytes` come to the SM, of which L2 gives `given`.
  void receive(double bytes, double given);
  /// `bytes` and the requests of so many lines leave the SM.
  void send(double bytes, double lines);
  /// L2 takes so many bytes.
  void write(double bytes, double lines);
  /// What so many bytes of so many lines take of the slices' bandwidth.
  [[nodiscard]] double of_slices(double bytes, double lines) const;
  void at_atomics(double sectors);

 private:
  void at_slices(Resource resource, const Rate& slice, double bytes);

  const Profile& profile_;
  Rate slice_;
  Rate slice_write_;
  Load* load_ = nullptr;
};

}  // namespace gpusim::estimate
