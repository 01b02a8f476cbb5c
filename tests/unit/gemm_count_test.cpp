// Warp instructions of three schedules, counted by hand.
#include <doctest/doctest.h>

#include "gpusim/schedules/gemm.h"

namespace gpusim::gemm_count_test {

using schedules::GemmVariant;

TEST_CASE("simt: the warp instructions of a CTA are those counted by hand") {
  // 128x128x8 in fp32: 8 warps of 64x32, threads of 8x8, fragments of 4 k.
  const Schedule schedule = schedules::gemm({.m = 512, .n = 512, .k = 512, .dtype = DType::fp32},
                                            {.tile = {128, 128, 8}, .variant = GemmVariant::simt});
  const std::int64_t prologue = 24 + 2                 // index arithmetic, one more for each of the two loads
                                + 64 / 2;              // zeros, two accumulators at a time
  const std::int64_t copy = 128 * 8 / (8 * 32 * 4)     // LDG of A: 4 elements a lane, 8 warps
                            + 8 * 128 / (8 * 32 * 4);  // and of B
  const std::int64_t fragment = 8                      // LDS of A: a row of 4 k each
                                + 4 * 2                // LDS of B: for each k two vectors of 4 columns
                                + 8 * 8 * 4;           // FFMA
  const std::int64_t tile = copy + (copy + 3)          // LDG; a pointer each, counter, comparison, branch
                            + copy                     // STS
                            + 2                        // barriers
                            + 2 * fragment;
  const std::int64_t epilogue = 8 + 16  // index arithmetic, one more for each store
                                + 16;   // STG: 64 elements, 4 at a time
  CHECK(warp_instructions(schedule) == 8 * (prologue + 64 * tile + epilogue));
  // The whole grid: 512^3 / 32 of them multiply.
  const std::int64_t total = warp_instructions(schedule) * cta_count(schedule);
  CHECK(total > 512LL * 512 * 512 / 32);
  CHECK(total < 4'800'000);
}

TEST_CASE("async: the warp instructions of a CTA are those counted by hand") {
  // 128x128x32 in fp16: 8 warps of 64x32, m16n8k16, 4 stages, 16 tiles.
  const Schedule schedule = schedules::gemm({.m = 512, .n = 512, .k = 512}, {.tile = {128, 128, 32}});
  const std::int64_t copy = 128 * 32 / (8 * 32 * 8) + 32 * 128 / (8 * 32 * 8);  // LDGSTS of A and B: 16 bytes a lane
  const std::int64_t prologue = 24 + copy                                       // index arithmetic
                                + 64 / 2                                        // zeros
                                + 3 * (copy + 1);                               // three tiles ahead, each committed
  const std::int64_t multiply = 64 * 32 / (32 * 8) + 32 * 32 / (32 * 8)         // ldmatrix of A and B
                                + (64 / 16) * (32 / 8) * (32 / 16);             // mma
  const std::int64_t tile = 2                                                   // wait, barrier
                            + 1                                                 // commit
                            + (copy + 3 + 2)                                    // pointers, loop, stage
                            + multiply;
  const std::int64_t stores = 64 * 32 / (32 * 2);  // STG: pairs of elements
  const std::int64_t epilogue = 8 + stores         // index arithmetic
                                + 64 / 2           // conversions to fp16, two at a time
                                + stores;
  CHECK(warp_instructions(schedule) == 8 * (prologue + 16 * tile + (16 - 3) * copy + epilogue));
}

TEST_CASE("tma with a producer warp: the warp instructions of a CTA are those counted by hand") {
  // 128x128x32 in fp16, beta: 8 consumers of 64x32 and a producer, 16 tiles.
  const Schedule schedule = schedules::gemm({.m = 512, .n = 512, .k = 512, .alpha = 2, .beta = 1},
                                            {.tile = {128, 128, 32}, .variant = GemmVariant::tma, .specialize = true});
  const std::int64_t multiply = 8 + 4 + 32;  // as above
  const std::int64_t stores = 32;
  const std::int64_t consumer = 24 + 64 / 2 + 1        // index arithmetic, zeros, barrier
                                + 16 * (1              // wait until the stage is full
                                        + 3 + 2        // loop, stage
                                        + multiply     //
                                        + 1)           // it is empty again
                                + 8 + stores           // index arithmetic
                                + stores + 64          // LDG of C, conversion to fp32
                                + 2 * 64               // alpha and beta
                                + 64 / 2 + stores;     // conversion to fp16, STG
  const std::int64_t producer = 16 + 1                 // index arithmetic, barrier
                                + 16 * (1              // wait until the stage is empty
                                        + 1 + 3        // expected bytes, a box of A, two of B, 128 bytes wide
                                        + 3 + 2 + 2);  // loop, stage, two coordinates
  CHECK(warp_instructions(schedule) == 8 * consumer + producer);
}

}  // namespace gpusim::gemm_count_test
