// Instructions of masked multi-head attention beside its accesses, products and sums, a warp.
//
// Counted in what nvcc 13 makes of a kernel of the same steps for sm_80 (heads of 128 elements; for sm_90 and heads of
// 64 and 256 within a few per cent): 296 instructions for four keys a lane, 338 for eight values.
#pragma once

#include <cstdint>

namespace gpusim::schedules {

/// Integer and other index arithmetic, by pipe: compilers multiply by a power of 2, and move, on either.
struct MmhaCost {
  std::int64_t fma = 0;
  std::int64_t alu = 0;
};

inline constexpr MmhaCost mmha_begin{45, 65};
inline constexpr MmhaCost mmha_query{14, 28};  ///< of the first warp: addresses of query and key, biases that are none
inline constexpr MmhaCost mmha_loop_begin{15, 27};
/// A key, a value: its place in the sequence, page, address in either of two pools, and whether it is one.
inline constexpr MmhaCost mmha_key{13, 26};
inline constexpr MmhaCost mmha_value{7, 16};
/// Elements of a lane's 16 bytes turned to fp32 on each of the two pipes.
inline constexpr std::int64_t mmha_converted = 4;

/// A pair's angle, cosine and sine without fast-math: steps that wait for each other.
inline constexpr std::int64_t mmha_turn_steps = 20;
inline constexpr MmhaCost mmha_turn_step{2, 2};

inline constexpr MmhaCost mmha_meeting{4, 10};
inline constexpr MmhaCost mmha_exponential{3, 4};
inline constexpr MmhaCost mmha_weight{1, 4};
inline constexpr std::int64_t mmha_quotient = 4;
inline constexpr MmhaCost mmha_store{12, 14};
inline constexpr MmhaCost mmha_new_value{18, 20};
inline constexpr MmhaCost mmha_half{0, 6};
inline constexpr MmhaCost mmha_end{4, 10};

}  // namespace gpusim::schedules
