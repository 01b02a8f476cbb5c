// Instructions of masked multi-head attention beside its accesses, products and sums, a warp.
//
// Counted in what nvcc 13 makes of a kernel of the same steps for sm_80 (heads of 128 elements; for sm_90 and heads of
// 64 and 256 within a few per cent): 296 instructions for four keys a lane, 338 for eight values.
#pragma once

#include <cstdint>

#include "schedules/kernel_parts.h"

namespace gpusim::schedules {

inline constexpr IndexCost mmha_begin{45, 65};
inline constexpr IndexCost mmha_query{14, 28};  ///< of the first warp: addresses of query and key, biases that are none
inline constexpr IndexCost mmha_loop_begin{15, 27};
/// A key, a value: its place in the sequence, page, address in either of two pools, and whether it is one.
inline constexpr IndexCost mmha_key{13, 26};
inline constexpr IndexCost mmha_value{7, 16};
/// Elements of a lane's 16 bytes turned to fp32 on each of the two pipes.
inline constexpr std::int64_t mmha_converted = 4;

/// A pair's angle, cosine and sine without fast-math: steps that wait for each other.
inline constexpr std::int64_t mmha_turn_steps = 20;
inline constexpr IndexCost mmha_turn_step{2, 2};

inline constexpr IndexCost mmha_meeting{4, 10};
inline constexpr IndexCost mmha_exponential{3, 4};
inline constexpr IndexCost mmha_weight{1, 4};
inline constexpr std::int64_t mmha_quotient = 4;
inline constexpr IndexCost mmha_store{12, 14};
inline constexpr IndexCost mmha_new_value{18, 20};
inline constexpr IndexCost mmha_half{0, 6};
inline constexpr IndexCost mmha_end{4, 10};

}  // namespace gpusim::schedules
