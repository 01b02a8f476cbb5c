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

struct RowTiling {
  RowPlace place = RowPlace::registers;
  int vector = 0;        ///< elements a lane moves at a time; 0: 16 bytes where rows allow it
  int threads = 0;       ///< that share a row: a power of two; 0: as many as have an access of it each, 32 to 1024
  int rows_per_cta = 1;  ///< side by side, a power of two: a CTA has threads x rows_per_cta threads
  int unroll = 4;        ///< shared, memory: accesses a thread has on the way at a time
  int registers = 0;     ///< a thread; 0: an estimate
  /// Bytes of shared memory a CTA asks for and does not use: what all CTAs of an SM ask for, L1 does not have
  int reserved = 0;
};

}  // namespace gpusim::schedules
