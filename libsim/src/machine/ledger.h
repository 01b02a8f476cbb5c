// What was counted so far, and what is taken to have been counted in what was skipped.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "machine/collect.h"

namespace gpusim::machine {

/// Work and waiting of servers; places and refusals of pools.
using Rows = std::map<std::string, std::array<std::int64_t, 2>>;

/// Counts at one moment: of the kernel at hand, and of the run's servers and pools.
struct Counts {
  KernelResult kernel;
  Rows rows;

  /// Of what waits, and when it comes: hops and rows.
  Counts& operator+=(const Counts& other);
  [[nodiscard]] Counts operator-(const Counts& other) const;
};
[[nodiscard]] Rows count_rows(const Sms& sms, fabric::Fabric& fabric, const Configuration& configuration);
[[nodiscard]] Counts count(const sm::Kernel& kernel, const Sms& sms, fabric::Fabric& fabric,
                           const Configuration& configuration);

/// What stands in for a stretch that was not simulated: `times` / `of` of what another one has counted.
struct Share {
  std::int64_t times = 0;
  std::int64_t of = 1;
  [[nodiscard]] std::int64_t operator()(std::int64_t count) const;
};

/// The share that `times` is of `of`, in numbers whose products with a count fit; of nothing, all.
[[nodiscard]] Share proportion(std::int64_t times, std::int64_t of);

class Ledger {
 public:
  void begin_kernel() { kernel_ = KernelResult{}; }

  /// Of what was counted between two moments, what stands for what was skipped.
  struct Shares {
    Share of_sms;
    Share of_traffic;  ///< and what is beyond the SMs
    Share of_dram;     ///< what its channels do
  };
  /// Two moments, and the shares.
  struct Stretch {
    const Counts& from;
    const Counts& to;
    Shares shares;
  };
  /// Grows all but instructions, warps, tiles and their cycles.
  void grow(const Counts& from, const Counts& to, const Shares& shares) {
    grow({from, to, shares}, {from, to, shares});
  }
  /// The same where what is moved is known by one stretch, and by another, more of the kernel, how long it waits and
  /// when it comes.
  void grow(const Stretch& moved, const Stretch& waited);
  /// All that it has grown by.
  [[nodiscard]] Counts grown() const { return {kernel_, rows_}; }
  /// A role's warps have spent `cycles` more, on what they spent them between two moments.
  void grow_stalls(std::size_t role, const Counts& from, const Counts& to, std::int64_t cycles);
  /// How much of what was simulated stands for what was skipped, by what it grows with.
  struct Skipped {
    Share tiles;  ///< of k; of CTAs where there are none
    Share items;  ///< of CTAs where they walk none
    Share ctas;
    Share instructions;
  };
  /// At the end of a kernel that was not cut off: what skipped CTAs and work items have asked for becomes a share of
  /// what those asked for that ran to their end, in place of what `grown` has from a stretch in which some were half
  /// done; what is answered follows in proportion. Those at a ragged edge count as whole ones. `counted`: all of the
  /// kernel, with what was skipped.
  void put_right(const Ledger& grown, const Counts& counted, const Skipped& skipped);
  /// At such an end all that L2 was asked for has come, to as many SMs as of what was simulated.
  void deliver_all(const Traffic& simulated);
  /// What grow() leaves out is known better.
  KernelResult& kernel() { return kernel_; }

  /// `counts` with what was skipped.
  void complete(Counts& counts) const;
  void complete(Rows& rows) const;
  void complete(KernelResult& kernel) const;
  void complete(Result& result) const;

 private:
  void put_right_rows(const Ledger& grown, const Counts& counted, const Skipped& skipped, Share of_dram);

  KernelResult kernel_;
  Rows rows_;
};

/// Traffic between two moments, for comparing: sectors asked of L2, misses, bytes of device memory.
[[nodiscard]] std::array<std::int64_t, 3> traffic_between(const KernelResult& from, const KernelResult& to);

}  // namespace gpusim::machine
