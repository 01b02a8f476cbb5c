// Microbenchmarks as schedules: pointer chases, streams, multiplies and barriers in loops, as published benchmarks run
// them on silicon. Each generator is a pure function of its choices; gpusim/probe.h runs them and reads the clock.
//
//   const auto chase = schedules::pointer_chase({.parts = {schedules::chain("chain", 1 << 14)}, .rounds = 2});
//
// Loops count nothing and address arithmetic is left out: what is measured is the instruction named. Generators take
// their choices as they stand; what is wrong with them is check()'s to say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpusim/dtype.h"
#include "gpusim/program.h"
#include "gpusim/schedule.h"

namespace gpusim::schedules {

/// How a chase reads.
enum class ChaseVia : std::uint8_t {
  load,      ///< LDG
  load_cg,   ///< LDG past L1
  bulk,      ///< a bulk copy of 16 bytes and the wait for it
  constant,  ///< LDC, address in a register
};

/// A buffer of pointers `row_bytes` apart, in random order; `rows` is a power of two.
[[nodiscard]] Buffer chain(const std::string& name, std::int64_t rows, std::int64_t row_bytes = 64);
/// A buffer of 128-byte lines of one L2 slice.
[[nodiscard]] Buffer slice_lines(const std::string& name, std::int64_t rows, std::int64_t slice);

/// One CTA that follows pointers: each read waits for the one before. All threads follow the same chain.
struct PointerChase {
  std::vector<Buffer> parts;  ///< visited one after another
  std::int64_t hops = 0;      ///< through each part; 0: as many as it has rows
  std::int64_t rounds = 1;
  ChaseVia via = ChaseVia::load;
  bool scattered = false;  ///< rows in bit-reversed order instead of as they come
  int warps = 2;
};
[[nodiscard]] Schedule pointer_chase(const PointerChase& choices);

/// One CTA that reads the first element of each row, in order and past L1: brings L2 to the state after a chase.
[[nodiscard]] Schedule sweep(const std::vector<Buffer>& parts);

/// CTAs of warps that do like accesses in a loop, several a trip, each with a fragment of its own.
struct AccessLoop {
  Buffer buffer;
  Layout row, column;                          ///< of the first access of a trip; of lane, warp, block_m and loop0
  int unroll = 2;                              ///< accesses a trip
  std::int64_t row_step = 0, column_step = 0;  ///< from one access of a trip to the next
  int vector = 1;
  bool store = false;
  bool bypass_l1 = false;
  std::int64_t warm_trips = 0;  ///< before a barrier, the same as the first ones after it
  std::int64_t trips = 1;
  int warps = 32;
  std::int64_t ctas = 1;
  std::optional<Bound> where;  ///< CTAs that take part
};
[[nodiscard]] Schedule access_loop(const AccessLoop& choices);

/// Loads from shared memory whose lanes want `ways` words of each bank they use.
struct SharedLoop {
  int ways = 1;
  int warps = 1;
  bool chained = true;  ///< each address comes from the load before
  std::int64_t trips = 256;
};
[[nodiscard]] Schedule shared_loop(const SharedLoop& choices);

enum class MemoryOp : std::uint8_t { ldg, lds, stg, sts, ldc, ldgsts };
/// One memory instruction of one warp, data at hand in L1, and then an instruction that needs its registers.
struct MemoryOperation {
  MemoryOp op = MemoryOp::ldg;
  int width = 32;  ///< bits a lane
  bool uniform = false;
  enum class Then : std::uint8_t { use_result, overwrite_address, overwrite_data } then = Then::use_result;
};
[[nodiscard]] Schedule memory_operation(const MemoryOperation& choices);

/// One warp in each of the first `warps` sub-partitions, issuing independent loads that hit L1.
struct LoadBurst {
  int loads = 8;
  int warps = 1;
};
[[nodiscard]] Schedule load_burst(const LoadBurst& choices);

/// A kernel with one element of each array a thread, one-shot CTAs: reads arrays R0, R1 ..., writes W0, W1 ...
struct ElementStream {
  int reads = 1;
  int writes = 0;
  int warps = 32;
  std::int64_t ctas = 1;
  std::int64_t shared_bytes = 0;  ///< a CTA, to hold occupancy down
};
[[nodiscard]] Schedule element_stream(const ElementStream& choices);

/// One kernel that reads array R and writes W again and again, with a barrier over the grid after each time.
struct RepeatedStream {
  std::int64_t elements = 0;
  int warps = 8;
  std::int64_t ctas = 1;
  std::int64_t repeats = 1;
};
[[nodiscard]] Schedule repeated_stream(const RepeatedStream& choices);

/// CTAs that stream through data they share: CTA b reads share b modulo `shares`, `loads` 8-byte loads a thread.
struct SharedStream {
  std::int64_t shares = 1;
  int loads = 32;
  int warps = 32;
  std::int64_t ctas = 1;
};
[[nodiscard]] Schedule shared_stream(const SharedStream& choices);

/// Persistent CTAs, each with one bulk copy in flight, over data that nobody touched before. With `stored_boxes` they
/// store from two boxes by turns, at most two of which are being read, to so many places each, again and again; these
/// are boxes of two dimensions.
struct BulkLoop {
  std::int64_t x = 256, y = 1, z = 1;  ///< fp32 elements of the box; x is contiguous
  int rank = 0;                        ///< as BulkCopy::rank
  std::int64_t trips = 16;
  std::int64_t ctas = 1;
  std::int64_t stored_boxes = 0;
};
[[nodiscard]] Schedule bulk_loop(const BulkLoop& choices);

/// Whose shared memory a chase within a cluster reads.
struct PeerChase {
  int cluster = 2;
  std::optional<int> peer;  ///< rank; none: the CTA's own, not through the cluster's window
  int ilp = 1;              ///< independent chains
  std::int64_t trips = 128;
};
[[nodiscard]] Schedule peer_chase(const PeerChase& choices);

/// One CTA that multiplies: each warp `ilp` independent accumulators a trip.
struct MultiplyLoop {
  DType input = DType::fp16;
  DType accumulate = DType::fp32;
  MmaShape shape;
  bool sparse = false;
  int warps = 1;
  int ilp = 1;
  std::int64_t trips = 64;
};
[[nodiscard]] Schedule multiply_loop(const MultiplyLoop& choices);

/// One CTA of a warp group: `batch` wgmmas a trip, committed, and waited for until `pending` groups are left.
struct WarpgroupLoop {
  DType input = DType::fp16;
  DType accumulate = DType::fp32;
  int n = 128;
  bool a_shared = true;
  int batch = 1;
  int pending = 0;
  std::int64_t trips = 64;
};
[[nodiscard]] Schedule warpgroup_loop(const WarpgroupLoop& choices);

/// Warps of one CTA that repeat four FFMAs: R5 = x y + R5, and three times another register = x y + R16.
struct RegisterLoop {
  int x = 8, y = 9;                       ///< register numbers
  bool reuse_x = false, reuse_y = false;  ///< it comes from the reuse cache
  int warps = 4;
  std::int64_t trips = 64;
};
[[nodiscard]] Schedule register_loop(const RegisterLoop& choices);

enum class BarrierKind : std::uint8_t { cta, mbarrier, cluster, cluster_relaxed, grid };
struct BarrierLoop {
  BarrierKind kind = BarrierKind::cta;
  int warps = 1;
  int cluster = 1;
  std::int64_t ctas = 1;  ///< of BarrierKind::grid
  std::int64_t trips = 64;
};
[[nodiscard]] Schedule barrier_loop(const BarrierLoop& choices);

/// CTAs that add to memory: every lane to a word of its own, every CTA to one of its own, or all to the same words.
struct AtomicLoop {
  enum class Target : std::uint8_t { lane, cta, words } target = Target::lane;
  int words = 1;  ///< of Target::words
  bool returns = false;
  bool chained = false;  ///< each address comes from the atomic before
  int ilp = 1;           ///< independent ones a trip
  int warps = 8;
  std::int64_t ctas = 1;
  std::int64_t trips = 32;
};
[[nodiscard]] Schedule atomic_loop(const AtomicLoop& choices);

/// CTAs that do nothing.
[[nodiscard]] Schedule empty_grid(std::int64_t ctas, int warps);

}  // namespace gpusim::schedules
