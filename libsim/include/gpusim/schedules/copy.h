// Streams: kernels that read and write arrays once, element by element, as bandwidth benchmarks do.
//
//   read    sum += R[i]               nothing is stored
//   write   W[i] = scalar
//   copy    W[i] = R[i]
//   scale   W[i] = scalar R[i]
//   add     W[i] = R[i] + S[i]
//   triad   W[i] = R[i] + scalar S[i]
//
//   const auto schedule = schedules::copy({.kind = schedules::StreamKind::triad, .elements = 1 << 26});
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "gpusim/dtype.h"
#include "gpusim/schedule.h"

namespace gpusim::schedules {

enum class StreamKind : std::uint8_t { read, write, copy, scale, add, triad };
[[nodiscard]] constexpr std::array<std::string_view, 6> names_of(StreamKind) {
  return {"read", "write", "copy", "scale", "add", "triad"};
}

struct CopyProblem {
  StreamKind kind = StreamKind::copy;
  std::int64_t elements = 0;  ///< of each array
  DType dtype = DType::fp32;
  double scalar = 3;  ///< of write, scale and triad
};

/// How a stream is shared out; of elementwise kernels, too.
struct StreamTiling {
  int vector = 0;  ///< elements a lane moves at a time; 0: 16 bytes where the arrays allow it
  int threads = 256;
  int unroll = 1;         ///< accesses to each array a thread has on the way at a time
  std::int64_t ctas = 0;  ///< that stride over the arrays, or a row, in a loop; 0: one pass, as many as they need
  int registers = 0;      ///< a thread; 0: an estimate
};

/// The schedule. Throws ScheduleError when problem or tiling make no sense on any GPU.
[[nodiscard]] Schedule copy(const CopyProblem& problem, const StreamTiling& tiling = {});

}  // namespace gpusim::schedules
