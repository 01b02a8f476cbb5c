// How kernels that work on whole rows (softmax, norms, reductions) share them out.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace gpusim::schedules {

/// Where a row's elements are between the passes over them.
enum class RowPlace : std::uint8_t {
  registers,  ///< loaded once; each thread has its part
  shared,     ///< loaded once, in shared memory
  memory,     ///< loaded again in each pass, through the caches
};
[[nodiscard]] constexpr std::array<std::string_view, 3> names_of(RowPlace) { return {"registers", "shared", "memory"}; }

/// How what each of a row's threads has becomes one number.
enum class RowMeeting : std::uint8_t {
  shuffles,       ///< within warps by shuffles; of each warp one number goes through shared memory
  one_warp,       ///< all through shared memory: one warp takes 32 a lane together, one thread what its lanes have
  halving,        ///< a tree in shared memory: partners are half of the threads apart, then a quarter, ...
  doubling,       ///< neighbours first, then pairs: the threads at work lie together, their numbers ever further apart
  divergent,      ///< the same by every second thread, then every fourth
  first_warp,     ///< as shuffles, but the first warp alone brings the warps' numbers together and tells the others
  halving_warps,  ///< as halving, down to a warp's 32, which meet by shuffles
};
[[nodiscard]] constexpr std::array<std::string_view, 7> names_of(RowMeeting) {
  return {"shuffles", "one_warp", "halving", "doubling", "divergent", "first_warp", "halving_warps"};
}

/// Of each of the following.
inline constexpr int most_row_instructions = 4096;
/// Warp instructions beside what is worked out, as code written for any shape and stride has them: index arithmetic,
/// comparisons, branches, moves.
struct RowInstructions {
  int begin = 0;    ///< before the first load; 0: an estimate
  int load = 0;     ///< beside each load
  int element = 0;  ///< beside each element's exponential
  int store = 0;    ///< beside each store
  int meet = 0;     ///< of the row's threads, each time
  friend bool operator==(const RowInstructions&, const RowInstructions&) = default;
};

struct RowTiling {
  RowPlace place = RowPlace::registers;
  int vector = 0;        ///< elements a lane moves at a time; 0: 16 bytes where rows allow it
  int rest_vector = 0;   ///< memory: the same of what whole trips of all threads leave over; 0: as the others
  int threads = 0;       ///< that share a row: a power of two; 0: as many as have an access of it each, 32 to 1024
  int rows_per_cta = 1;  ///< side by side, a power of two: a CTA has threads x rows_per_cta threads
  int unroll = 4;        ///< shared, memory: accesses a thread has on the way at a time
  int registers = 0;     ///< a thread; 0: an estimate
  /// Bytes of shared memory a CTA asks for and does not use: what all CTAs of an SM ask for, L1 does not have
  int reserved = 0;
  RowMeeting meeting =
      RowMeeting::shuffles;  ///< of several warps that share a row; others than shuffles: one row a CTA
  RowInstructions beside;
};

}  // namespace gpusim::schedules
