// The load-store unit of an SM: accepts memory instructions from the sub-partitions, serves shared memory from its
// banks and global memory from L1, and hands misses, stores and copies to the border.
#pragma once

#include <cstdint>
#include <vector>

#include "core/server.h"
#include "sm/banks.h"
#include "sm/border.h"
#include "sm/coalescer.h"
#include "sm/config.h"
#include "sm/counters.h"
#include "sm/l1.h"
#include "sm/sub_partition.h"

namespace gpusim::sm {

/// Passes over shared memory's banks for so many bytes side by side; registers of a warp, which are as wide.
[[nodiscard]] constexpr std::int64_t wavefronts_of(std::int64_t bytes) { return (bytes + line_bytes - 1) / line_bytes; }

class LoadStoreUnit {
 public:
  LoadStoreUnit(const SmConfig& config, Border& border);

  /// A kernel begins: L1 is empty and has `l1_bytes`.
  void begin(std::int64_t l1_bytes);

  /// Like instructions to shared memory that enter the queue together.
  struct SharedAccess {
    std::int64_t count = 1;
    std::int64_t wavefronts = 0;  ///< over the banks
    std::int64_t ideal = 0;       ///< the fewest possible
    std::int64_t wide_bytes = 0;  ///< registers of one instruction
    bool write = false;
    bool uniform = false;
  };
  struct SharedOutcome {
    Cycle served;    ///< the last wavefront is over
    Cycle complete;  ///< load: the data is in registers
    Cycle read;      ///< source registers have been read
  };
  /// Issued from `now` on.
  SharedOutcome access_shared(SubPartition& sub, Cycle now, const SharedAccess& access);

  struct GlobalAccess {
    Owner owner;
    RequestKind kind = RequestKind::read;
    bool through_l1 = false;
    bool copy = false;  ///< cp.async
    bool uniform = false;
    std::int64_t wide_bytes = 0;  ///< registers of the instruction
  };
  struct Outcome {
    Cycle ready;             ///< of what L1 had: served; meaningless while requests are pending
    Cycle complete;          ///< load: the data L1 had is in registers
    Cycle read;              ///< source registers have been read
    bool pending = false;    ///< the owner will be told
    std::int64_t bytes = 0;  ///< asked for by active lanes
  };
  /// One global memory instruction of a run that began to issue at `now`, itself issued at `issued`.
  Outcome access_global(SubPartition& sub, std::int32_t sub_index, Cycle now, Cycle issued, const GlobalPlan& plan,
                        Footprint& footprint, const Coordinates& at, const GlobalAccess& access, Counters& counters);

  /// cp.async's data is written to shared memory, a bulk store's or the tensor cores' is read there: when that is done.
  Cycle use_banks(Cycle now, std::int64_t wavefronts);
  /// A bulk copy's data is written there, beside what the banks serve: when that is done.
  Cycle take_in(Cycle now, std::int64_t wavefronts);
  /// A constant load: when its turn comes.
  Cycle access_constant(SubPartition& sub, Cycle now);
  /// An access to another SM's shared memory passes the unit like any other: when it is ready to leave.
  Cycle pass(SubPartition& sub, Cycle now);

  /// L1 forgets its lines.
  void invalidate() {
    if (l1_on_) l1_.invalidate();
  }
  L1Tags& l1() { return l1_; }
  core::Server& accept() { return accept_; }
  core::Server& data() { return data_; }
  core::Server& bulk_writes() { return bulk_writes_; }
  core::Server& tags() { return tags_; }
  core::Server& l1_data() { return l1_data_; }
  core::Server& writeback() { return writeback_; }

 private:
  [[nodiscard]] Cycles register_cycles(std::int64_t bytes) const;
  [[nodiscard]] Cycles read_latency(const GlobalAccess& access) const;
  void join(const L1Line& entry, unsigned sectors, std::int32_t transaction);
  void look_up(std::int32_t transaction, const Border::Terms& terms, Counters& counters);
  void request_all(std::int32_t transaction, const std::vector<LineChunks>& lines, const Border::Terms& terms,
                   bool fills_l1);

  const SmConfig& config_;
  Border& border_;
  core::Server accept_;
  core::Server data_;
  core::Server bulk_writes_;
  core::Server tags_;
  core::Server l1_data_;
  core::Server writeback_;
  L1Tags l1_;
  bool l1_on_ = false;
  Cycles address_unit_;
  Cycles accept_unit_;
  std::vector<LineChunks> lines_;
  std::vector<LineChunks> misses_;
};

}  // namespace gpusim::sm
