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

/// Of warps that load by LDG: those that names of cuBLAS's kernels tell (volta_s884gemm_fp16_128x64_ldg8,
/// turing_s1688gemm_fp16_256x64_ldg8, in libcublasLt 11.10), none with a side below 64. Narrower ones are for fixed
/// tiles.
inline constexpr std::array warp_shapes{
    CandidateShape{256, 128, {64, 64}}, CandidateShape{128, 256, {64, 64}}, CandidateShape{128, 128, {64, 64}},
    CandidateShape{256, 64, {64, 32}},  CandidateShape{64, 256, {32, 64}},  CandidateShape{128, 64, {64, 32}},
    CandidateShape{64, 128, {32, 64}},  CandidateShape{64, 64, {32, 32}},   CandidateShape{64, 32, {32, 16}},
    CandidateShape{32, 64, {16, 32}},   CandidateShape{32, 128, {16, 64}},  CandidateShape{128, 32, {64, 16}},
    CandidateShape{16, 64, {16, 16}},   CandidateShape{16, 128, {16, 32}}};

/// One of cuBLAS's kernels of cp.async and mma.sync: a CTA's tile and a warp's part of it, the bytes of a k tile's row,
/// and how many k tiles there is room for. Its rows are our columns.
struct MmaKernel {
  int m, n;
  GemmShape part;
  int row_bytes;
  int stages;
};
/// Of compute capability 8.0, whose kernels 8.6 and 8.9 take too: all that the names of kernels in libcublasLt 12.1
/// tell (cuobjdump -res-usage: cutlass_80_tensorop_bf16_s16816gemm_bf16_128x64_64x4_tn_align8, ...), but those whose
/// warps share a k tile (sliced1x2).
inline constexpr std::array ampere_kernels{
    MmaKernel{128, 256, {64, 64}, 64, 3},  MmaKernel{128, 256, {64, 64}, 64, 6},  MmaKernel{128, 256, {64, 64}, 128, 3},
    MmaKernel{256, 128, {64, 64}, 64, 3},  MmaKernel{256, 128, {64, 64}, 64, 6},  MmaKernel{256, 128, {64, 64}, 128, 3},
    MmaKernel{128, 128, {64, 64}, 64, 4},  MmaKernel{128, 128, {64, 64}, 64, 5},  MmaKernel{128, 128, {64, 64}, 64, 6},
    MmaKernel{128, 128, {64, 64}, 128, 3}, MmaKernel{128, 128, {64, 64}, 128, 5}, MmaKernel{64, 256, {64, 64}, 64, 4},
    MmaKernel{64, 256, {64, 64}, 128, 3},  MmaKernel{256, 64, {64, 64}, 64, 4},   MmaKernel{256, 64, {64, 64}, 128, 4},
    MmaKernel{128, 64, {64, 32}, 64, 6},   MmaKernel{128, 64, {64, 32}, 128, 3},  MmaKernel{128, 64, {64, 32}, 128, 4},
    MmaKernel{128, 64, {64, 32}, 128, 6},  MmaKernel{64, 128, {32, 64}, 64, 6},   MmaKernel{64, 128, {32, 64}, 128, 3},
    MmaKernel{64, 128, {32, 64}, 128, 4},  MmaKernel{64, 128, {32, 64}, 128, 6},  MmaKernel{64, 64, {32, 32}, 64, 6},
    MmaKernel{64, 64, {32, 32}, 64, 10},   MmaKernel{64, 64, {32, 32}, 128, 4},   MmaKernel{64, 64, {32, 32}, 128, 5},
    MmaKernel{64, 64, {32, 32}, 128, 6}};
/// And of fp16 alone (in libcublasLt 12.1 and 12.9: sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize160x128x32_stage4_
/// warpsize2x2x1), by the side that is no power of two: along a row of C, or across. Its 32x32x64 is left out: with it
/// Vidur's rows of few tokens come out 10 to 19 % too fast, as if it were seldom taken.
inline constexpr std::array ampere_fp16_wide_kernels{
    MmaKernel{128, 192, {64, 48}, 64, 3}, MmaKernel{128, 160, {64, 80}, 64, 4}, MmaKernel{128, 96, {64, 48}, 64, 4},
    MmaKernel{64, 96, {32, 48}, 128, 4}};
inline constexpr std::array ampere_fp16_tall_kernels{MmaKernel{160, 128, {80, 64}, 128, 2},
                                                     MmaKernel{96, 64, {48, 32}, 128, 4}};
/// Of int8 on Hopper: all that a profiler named of 25 products (ref silicon, gemm:
/// cutlass_80_tensorop_i16832gemm_s8_128x64_128x3_tn_align16). No kernel that adds up slices of k came with them; that
/// they have none is supposed.
inline constexpr std::array hopper_int8_kernels{
    MmaKernel{256, 128, {64, 64}, 128, 3}, MmaKernel{128, 128, {64, 64}, 128, 5}, MmaKernel{64, 128, {32, 64}, 128, 3},
    MmaKernel{64, 64, {32, 32}, 128, 6}};
/// Of 8.9 with fp8, in libcublasLt 12.8 (sm89_xmma_gemm_e4m3..._tilesize256x128x64_stage4_warpsize4x2x1).
inline constexpr std::array ada_fp8_kernels{MmaKernel{128, 128, {64, 64}, 64, 3}, MmaKernel{128, 128, {64, 32}, 64, 3},
                                            MmaKernel{64, 128, {32, 64}, 64, 4},  MmaKernel{128, 256, {64, 64}, 64, 4},
                                            MmaKernel{64, 256, {64, 64}, 64, 4},  MmaKernel{64, 256, {64, 32}, 64, 4},
                                            MmaKernel{64, 32, {32, 16}, 64, 5},   MmaKernel{128, 64, {64, 32}, 64, 4},
                                            MmaKernel{64, 64, {32, 32}, 64, 4},   MmaKernel{64, 64, {32, 32}, 64, 6}};

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

/// Of warp groups: a CTA's tile, and how many groups share it. Those of columns in steps of 16 and of 320 are named by
/// kernels of the recent library (nvjet_sm90_tst_320x128_64x3, columns first; ref silicon, gemm, and profiles), which
/// has more: with sides in steps of 8. All have 384 threads, a tile of 64x16
/// as well: what is named `coop` is two groups', what is not is one's, and two take tiles in turns. Tiles of 192 rows
/// are three groups' here, where the library's two have rows along n.
struct GroupShape {
  int m, n, consumers;
};
inline constexpr std::array group_shapes{
    GroupShape{128, 256, 2}, GroupShape{256, 128, 2}, GroupShape{128, 192, 2}, GroupShape{192, 128, 3},
    GroupShape{192, 192, 3}, GroupShape{128, 128, 1}, GroupShape{64, 256, 1},  GroupShape{128, 64, 1},
    GroupShape{64, 128, 1},  GroupShape{64, 64, 1},   GroupShape{64, 32, 1},   GroupShape{128, 144, 1},
    GroupShape{128, 160, 1}, GroupShape{128, 176, 1}, GroupShape{128, 208, 2}, GroupShape{128, 224, 2},
    GroupShape{128, 240, 2}, GroupShape{128, 320, 2}, GroupShape{64, 96, 1},   GroupShape{64, 112, 1},
    GroupShape{128, 80, 1},  GroupShape{128, 96, 1},  GroupShape{128, 112, 1}};

/// And those whose rows of C are no multiple of 64, with A and B swapped: as the product's transpose, columns of C
/// first. nvjet's names tell them (ref silicon, gemm: 256x160, 256x144, 192x144, 192x96, 64x176, 256x96, 128x96,
/// 128x80, ... of 388 products of H100 and H200), which have rows in steps of 8, and 8 to 56 of narrow products, too:
/// those come out as much too fast as without them too slow.
inline constexpr std::array swapped_group_shapes{
    GroupShape{256, 96, 2},  GroupShape{256, 144, 2}, GroupShape{256, 160, 2}, GroupShape{192, 96, 3},
    GroupShape{192, 144, 3}, GroupShape{128, 80, 1},  GroupShape{128, 96, 1},  GroupShape{128, 112, 1},
    GroupShape{128, 144, 1}, GroupShape{128, 160, 1}, GroupShape{128, 176, 1}, GroupShape{128, 208, 2},
    GroupShape{128, 224, 2}, GroupShape{128, 240, 2}, GroupShape{64, 96, 1},   GroupShape{64, 112, 1},
    GroupShape{64, 176, 1}};

/// Of cuBLAS 12.1, as the names of kernels in its libcublasLt tell
/// (sm90_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas).
/// All have 384 threads: a producer's group and two that multiply, around whose wgmma and stores there is a loop.
inline constexpr std::array group_shapes_12_1{GroupShape{128, 256, 2}, GroupShape{256, 128, 2}, GroupShape{128, 128, 1},
                                              GroupShape{64, 256, 1},  GroupShape{256, 64, 1},  GroupShape{128, 64, 1},
                                              GroupShape{64, 128, 1},  GroupShape{64, 64, 1}};

/// Of those the ones with A through registers, as far as a profiler named them of 14 products (ref silicon, gemm:
/// sm90_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize64x128x32) and of 8192^3
/// (waynehacking8/blackwell-tensorcore-kernels, results/nsys_kern_sum_8192.txt: tilesize128x256x32_warpgroupsize2x1x1).
inline constexpr std::array group_shapes_through_registers{GroupShape{128, 256, 2}, GroupShape{128, 128, 1},
                                                           GroupShape{64, 256, 1}, GroupShape{64, 128, 1}};

/// vLLM's for fp8 on Hopper (csrc/quantization/w8a8/cutlass/c3x/scaled_mm_sm90_fp8_dispatch.cuh, Apache-2.0): a product
/// of at most so many rows, and of so long a k, takes it. With few rows the library has A and B change places, so that
/// a CTA has 64 columns.
struct VllmShape {
  std::int64_t most_m;
  std::int64_t least_k;
  GroupShape shape;
  GemmShape cluster;
  bool walks;  ///< CTAs that stay and walk the tiles; a tile that is one group's two of them take in turns
};
inline constexpr std::int64_t any_m = std::numeric_limits<std::int64_t>::max();
inline constexpr std::array vllm_shapes{
    VllmShape{64, 0, {64, 64, 1}, {1, 1}, false}, VllmShape{128, 0, {64, 128, 1}, {2, 1}, true},
    VllmShape{8191, 0, {128, 128, 1}, {2, 1}, true}, VllmShape{any_m, 6144, {256, 128, 2}, {2, 1}, true},
    VllmShape{any_m, 0, {128, 128, 1}, {2, 1}, true}};

}  // namespace gpusim::schedules
