// What crosses the border between SMs and the fabric. Plain values; each takes at least the run's crossing to arrive.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "gpusim/ids.h"
#include "gpusim/receipt.h"
#include "gpusim/units.h"
#include "sizes.h"

namespace gpusim {

inline constexpr int max_burst = 16;

/// All eight 16-byte chunks of a line.
inline constexpr unsigned whole_line = 0xFF;

/// A line of memory and which of its chunks are meant.
struct LineChunks {
  std::uint64_t line : 56;
  std::uint64_t chunks : 8;
};

/// Whether all of every line is meant, as of most requests.
[[nodiscard]] inline bool are_whole(std::span<const LineChunks> lines) {
  unsigned in_all = whole_line;
  for (const LineChunks& line : lines) in_all &= static_cast<unsigned>(line.chunks);
  return in_all == whole_line;
}

/// The four sectors that hold any of the eight chunks.
[[nodiscard]] constexpr unsigned sectors_of(unsigned chunks) {
  const unsigned low = (chunks | (chunks >> 1)) & 0x55U;
  return (low & 1U) | ((low >> 1) & 2U) | ((low >> 2) & 4U) | ((low >> 3) & 8U);
}
/// All chunks of the sectors that hold any of `chunks`.
[[nodiscard]] constexpr unsigned whole_sectors(unsigned chunks) {
  const unsigned low = (chunks | (chunks >> 1)) & 0x55U;
  return low | (low << 1);
}
/// How many of a mask's eight bits are set. Without an instruction for it a table is the quickest.
[[nodiscard]] constexpr std::int64_t count_bits(unsigned mask) {
  constexpr std::array<std::uint8_t, 16> counts{0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
  return counts[mask & 15U] + counts[(mask >> 4) & 15U];
}

/// What a request asks for.
enum class RequestKind : std::uint8_t {
  read,
  read_lines,  ///< a read that has L2 fetch whole lines
  write,
  atomic,      ///< at L2, nothing comes back but the acknowledgement
  atomic_get,  ///< at L2, the old values come back
  grid_count,  ///< an atomic that counts a CTA at a grid barrier; answered when a poll finds that all are counted
  grid_pass,   ///< the same, answered as any atomic
  peer_read,   ///< from another SM's shared memory
  peer_write,
};
/// Whether data comes back.
[[nodiscard]] constexpr bool returns_data(RequestKind kind) {
  return kind == RequestKind::read || kind == RequestKind::read_lines || kind == RequestKind::atomic_get ||
         kind == RequestKind::peer_read;
}
/// Whether data goes along.
[[nodiscard]] constexpr bool carries_data(RequestKind kind) {
  return kind != RequestKind::read && kind != RequestKind::read_lines && kind != RequestKind::peer_read;
}

/// What a multicast copy's data completes in each CTA it goes to.
struct Completion {
  std::int64_t cta = 0;    ///< the one that asks
  std::int32_t slot = 0;   ///< of its mbarriers, the same in every CTA
  std::int32_t bytes = 0;  ///< to complete there
  Cycles overhead;         ///< after the last of the data
};

/// A request but for its lines.
struct RequestHead {
  Cycle arrives;
  std::int32_t sm = 0;
  std::uint32_t handle = 0;  ///< the SM's name for it, given back in the reply
  RequestKind kind = RequestKind::read;
  std::int16_t count = 0;
  std::int32_t peer = 0;        ///< peer_read, peer_write: the other SM
  std::int32_t peer_bytes = 0;  ///< the data; there are no lines
  std::uint16_t ranks = 0;      ///< read: CTAs of the cluster that get the data, a bit each; 0: it is not multicast
  /// Of a multicast; of a CTA that is counted at a grid barrier `slot` says to how many it has come before.
  Completion completes;
};

/// SM to fabric: up to max_burst lines. Those beyond `count` mean nothing, and copy() leaves them out: most requests
/// have few.
struct Request : RequestHead {
  std::array<LineChunks, max_burst> lines;

  [[nodiscard]] std::span<const LineChunks> used_lines() const {
    return {lines.data(), static_cast<std::size_t>(count)};
  }
  void copy(const Request& other) {
    static_cast<RequestHead&>(*this) = static_cast<const RequestHead&>(other);
    std::copy_n(other.lines.begin(), other.count, lines.begin());
  }
};

/// Fabric to SM: the data of a read begins to arrive, or a write is accepted.
struct Reply {
  Cycle arrives;  ///< first line at the SM's input port
  Cycle last;     ///< last line there, when the port is idle
  std::int32_t sm = 0;
  std::uint32_t handle = 0;
  std::int32_t bytes = 0;  ///< through the input port
  HopTime l2;              ///< of the last line
  HopTime dram;
  HopTime crossing;  ///< from L2 to the SM: the crossbar's shared ports
};

/// Most CTAs of a cluster.
inline constexpr int max_cluster = 16;

/// Fabric to SM: run this CTA.
struct CtaStart {
  Cycle arrives;
  std::int64_t cta = 0;
  std::int32_t sm = 0;
  std::array<std::int16_t, max_cluster> cluster_sms{};  ///< by rank
};

/// SM to fabric: it is done.
struct CtaExit {
  Cycle arrives;
  std::int32_t sm = 0;
  std::int64_t cta = 0;
  Cycle exited;  ///< its last warp's exit
};

/// SM to fabric: all warps of this CTA have arrived at the cluster barrier.
struct ClusterArrival {
  Cycle arrives;
  std::int32_t sm = 0;
  std::int64_t cta = 0;
  bool relaxed = false;
};

/// SM to fabric: what changes an mbarrier of another CTA of the cluster.
struct PeerArrival {
  Cycle arrives;
  std::int32_t sm = 0;
  std::int32_t peer = 0;  ///< the other SM
  std::int64_t cta = 0;   ///< the other CTA
  std::int32_t slot = 0;
  std::int32_t arrivals = 0;
  std::int64_t bytes = 0;  ///< expected, less those that come
};

/// Fabric to SM: another CTA of the cluster arrives at this one's mbarrier, or has copied data into its shared memory.
struct Delivery {
  Cycle arrives;
  Cycle last;  ///< of the data, when the input port is idle
  std::int64_t cta = 0;
  std::int32_t slot = 0;
  std::int32_t arrivals = 0;
  std::int64_t bytes = 0;       ///< expected on the mbarrier, less those that come
  std::int32_t port_bytes = 0;  ///< through the input port
  std::int32_t sm = 0;
  Cycles overhead;  ///< after the last of the data
};

/// Fabric to SM: the cluster barrier lets this CTA go.
struct ClusterRelease {
  Cycle arrives;
  std::int64_t cta = 0;
  std::int32_t sm = 0;
};

/// How long messages and accesses take when nothing is in the way: public end-to-end latencies split over the hops.
struct BorderLatency {
  Cycles request;  ///< SM to fabric
  Cycles reply;    ///< fabric to SM
  Cycles cta_start;
  Cycles cta_exit;
  Cycles peer{1};     ///< SM to fabric on the way to another SM's shared memory
  Cycles barrier{1};  ///< SM to fabric, arrival at a cluster barrier
};

}  // namespace gpusim
