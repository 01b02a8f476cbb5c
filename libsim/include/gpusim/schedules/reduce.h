// Reductions: each row of X to one number, its sum or its maximum.
//
// A row's threads load it in a loop, reduce what is theirs, then shuffle within the warp and, through shared memory,
// between warps, or meet in another way (rows.h). With `splits` so many CTAs share a row; each adds its sum to Y, which
// begins as zeros, at L2, or leaves it to the last one. A whole array is a matrix of one row.
//
//   const auto schedule = schedules::reduce({.rows = 1, .columns = 1 << 26}, {.splits = 1024});
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "gpusim/arithmetic.h"
#include "gpusim/dtype.h"
#include "gpusim/schedule.h"
#include "gpusim/schedules/rows.h"

namespace gpusim::schedules {

enum class ReduceOperation : std::uint8_t { sum, maximum };
[[nodiscard]] constexpr std::array<std::string_view, 2> names_of(ReduceOperation) { return {"sum", "maximum"}; }

/// What becomes of the sums of CTAs that share a row.
enum class ReduceFinish : std::uint8_t {
  atomics,   ///< each is added to Y at L2
  last_cta,  ///< stored; each CTA is counted behind a fence, and the last one adds up all of them: of one row
};
[[nodiscard]] constexpr std::array<std::string_view, 2> names_of(ReduceFinish) { return {"atomics", "last_cta"}; }

struct ReduceProblem {
  std::int64_t rows = 1, columns = 0;
  ReduceOperation operation = ReduceOperation::sum;
  DType dtype = DType::fp32;  ///< of X; Y is fp32
};

struct ReduceTiling {
  int vector = 0;                             ///< elements a lane loads at a time; 0: 16 bytes where rows allow it
  int threads = 256;                          ///< that share a row: a power of two from 32 on
  int unroll = 4;                             ///< loads a thread has on the way at a time
  std::int64_t splits = 1;                    ///< CTAs that share a row, of a sum
  int registers = 0;                          ///< a thread; 0: an estimate
  RowMeeting meeting = RowMeeting::shuffles;  ///< how what each thread has becomes the row's
  int rows_per_cta = 1;                       ///< side by side, a power of two; of several by shuffles
  ReduceFinish finish = ReduceFinish::atomics;
  RowInstructions beside;
};

/// The schedule. Throws ScheduleError when problem or tiling make no sense on any GPU.
[[nodiscard]] Schedule reduce(const ReduceProblem& problem, const ReduceTiling& tiling = {});

}  // namespace gpusim::schedules
