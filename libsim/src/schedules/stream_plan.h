// How streams and elementwise kernels walk their arrays.
#pragma once

#include <string>
#include <vector>

#include "gpusim/schedules/copy.h"
#include "schedules/kernel_parts.h"

namespace gpusim::schedules {

/// A rows x columns space of elements that threads share out, `vector` neighbours of a row each.
struct StreamPlan {
  std::int64_t rows = 1;
  std::int64_t columns = 0;
  StreamTiling tiling;  ///< every automatic choice resolved

  [[nodiscard]] int warps() const { return tiling.threads / lanes_per_warp; }
  /// Elements a CTA has at a time.
  [[nodiscard]] std::int64_t span() const { return std::int64_t{tiling.threads} * tiling.vector * tiling.unroll; }
  [[nodiscard]] std::int64_t pieces() const { return divided_up(columns, span()); }
  /// CTAs along the columns, and how often each goes on.
  [[nodiscard]] std::int64_t ctas() const { return tiling.ctas == 0 ? pieces() : tiling.ctas; }
  [[nodiscard]] std::int64_t trips() const { return divided_up(pieces(), ctas()); }
  /// Elements of a thread at a time.
  [[nodiscard]] std::int64_t elements() const { return std::int64_t{tiling.vector} * tiling.unroll; }
};

/// Resolves the tiling; adds what is wrong with it. The widest of `dtypes` moves 16 bytes a lane.
[[nodiscard]] StreamPlan plan_stream(std::int64_t rows, std::int64_t columns, const std::vector<DType>& dtypes,
                                     const StreamTiling& tiling, KernelCollector& collect);

/// A thread's place in a buffer, so many columns further on.
[[nodiscard]] GlobalAccess stream_access(const StreamPlan& plan, BufferId buffer, std::int64_t further = 0);

/// Index arithmetic, then `body` once for each piece.
[[nodiscard]] std::vector<Statement> stream_body(const StreamPlan& plan, std::int64_t arrays, Body body);

/// The kernel, with its choices.
[[nodiscard]] Schedule stream_kernel(const StreamPlan& plan, std::string name, std::vector<Buffer> buffers,
                                     Program program, double flops, DType dtype);

}  // namespace gpusim::schedules
