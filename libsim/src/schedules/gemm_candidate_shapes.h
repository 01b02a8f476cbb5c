// The tiles that libraries are built with.
#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "gpusim/schedules/gemm.h"

namespace gpusim::schedules {

/// A CTA's tile and a warp's or a thread's part of it.
struct CandidateShape {
  int m, n;
  GemmShape part;
};

/// Of warps with mma.sync: CUTLASS's, and narrow ones for products with few rows or columns.
inline constexpr std::array mma_shapes{
    CandidateShape{256, 128, {64, 64}}, CandidateShape{128, 256, {64, 64}}, CandidateShape{128, 128, {64, 64}},
    CandidateShape{256, 64, {64, 32}},  CandidateShape{64, 256, {32, 64}},  CandidateShape{128, 64, {64, 32}},
    CandidateShape{64, 128, {32, 64}},  CandidateShape{64, 64, {32, 32}},   CandidateShape{64, 32, {32, 16}},
    CandidateShape{32, 64, {16, 32}},   CandidateShape{32, 128, {16, 64}},  CandidateShape{128, 32, {64, 16}},
    CandidateShape{16, 64, {16, 16}},   CandidateShape{16, 128, {16, 32}}};

/// Of threads.
inline constexpr std::array thread_shapes{
    CandidateShape{256, 128, {16, 8}}, CandidateShape{128, 256, {8, 16}}, CandidateShape{128, 128, {8, 8}},
    CandidateShape{128, 64, {8, 4}},   CandidateShape{64, 128, {4, 8}},   CandidateShape{128, 64, {8, 8}},
    CandidateShape{64, 128, {8, 8}},   CandidateShape{64, 64, {4, 4}},    CandidateShape{64, 64, {8, 8}},
    CandidateShape{128, 32, {8, 4}},   CandidateShape{32, 128, {4, 8}},   CandidateShape{64, 32, {4, 4}},
    CandidateShape{32, 64, {4, 4}},    CandidateShape{32, 32, {4, 2}}};

/// Of threads with DP4A: cuBLAS 10 has igemm_int8_128x128. That narrow products take others is known from their times
/// alone (DeepBench on a T4: 35 columns take as long as 128 would, 1 to 4 columns a tenth of that). `k` is the tile's.
inline constexpr int short_side = 32;
struct DotShape {
  int m, n, k;
  GemmShape part;
};
inline constexpr std::array dot_shapes{DotShape{128, 128, 32, {8, 8}}};
inline constexpr std::array dot_shapes_few_rows{DotShape{32, 128, 32, {4, 8}}, DotShape{8, 128, 64, {2, 4}}};
inline constexpr std::array dot_shapes_few_columns{DotShape{128, 32, 32, {8, 4}}, DotShape{128, 8, 64, {4, 2}}};

/// Of warp groups: a CTA's tile, and how many groups share it.
struct GroupShape {
  int m, n, consumers;
};
inline constexpr std::array group_shapes{GroupShape{128, 256, 2}, GroupShape{256, 128, 2}, GroupShape{128, 192, 2},
                                         GroupShape{192, 128, 3}, GroupShape{128, 128, 2}, GroupShape{64, 256, 1},
                                         GroupShape{128, 64, 2},  GroupShape{64, 128, 1},  GroupShape{64, 64, 1},
                                         GroupShape{64, 32, 1}};

/// vLLM's for fp8 on Hopper (csrc/quantization/cutlass_w8a8, Apache-2.0): a product of at most so many rows takes it.
struct VllmShape {
  std::int64_t most_m;
  GroupShape shape;
  GemmShape cluster;
};
inline constexpr std::array vllm_shapes{VllmShape{64, {64, 64, 1}, {1, 8}}, VllmShape{128, {64, 128, 1}, {2, 1}},
                                        VllmShape{std::numeric_limits<std::int64_t>::max(), {128, 128, 2}, {2, 1}}};

}  // namespace gpusim::schedules
