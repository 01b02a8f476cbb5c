// The slices of a CTA (sliced-K): what they multiply and add up, what that costs, and what cannot be.
#include <doctest/doctest.h>

#include <array>
#include <string>
#include <type_traits>
#include <utility>

#include "gpusim/banks.h"
#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"
#include "gpusim/schedules/gemm.h"
#include "support/product_check.h"

namespace gpusim::gemm_cta_slices_test {

using namespace gpusim::testing;
using schedules::ElementOrder;
using schedules::Epilogue;
using schedules::GemmLayout;
using schedules::GemmProblem;
using schedules::GemmRequest;
using schedules::GemmTiling;
using schedules::GemmVariant;
using schedules::SplitReduction;

namespace {

constexpr std::array layouts{GemmLayout::nn, GemmLayout::nt, GemmLayout::tn, GemmLayout::tt};

GemmProblem fp32(std::int64_t m, std::int64_t n, std::int64_t k) {
  return {.m = m, .n = n, .k = k, .dtype = DType::fp32};
}

/// cuBLAS's ampere_sgemm_128x32_sliced1x4: four slices of two warps.
GemmTiling sliced1x4() {
  return {.tile = {128, 32, 32},
          .variant = GemmVariant::simt,
          .stages = 2,
          .fragment_k = 1,
          .thread_tile = {8, 8},
          .cta_slices = 4,
          .transpose_a = true,
          .prefetch = true};
}

/// Threads of 4x4, two slices of a warp.
GemmTiling small() {
  return {.tile = {32, 16, 8}, .variant = GemmVariant::simt, .stages = 1, .thread_tile = {4, 4}, .cta_slices = 2};
}

GemmTiling mma(GemmVariant variant) {
  return {.tile = {64, 32, 64}, .variant = variant, .warp_tile = {32, 32}, .cta_slices = 2};
}

template <class Change>
std::string refusal(GemmTiling tiling, Change change) {
  change(tiling);
  try {
    static_cast<void>(schedules::gemm(fp32(256, 256, 256), tiling));
  } catch (const ScheduleError& error) {
    return error.what();
  }
  return "";
}

const SharedTile& sums(const Schedule& schedule) {
  REQUIRE(schedule.shared_tiles.back().name == "sums");
  return schedule.shared_tiles.back();
}

/// Of the first access of that kind to the tile of sums, the wavefronts over the fewest there can be.
template <class Access>
double conflicts(const Schedule& schedule) {
  for (const Statement& statement : schedule.roles.front().program.body) {
    const auto* const operation = std::get_if<Operation>(&statement);
    const auto* const action = operation != nullptr ? std::get_if<Access>(&operation->action) : nullptr;
    if (action == nullptr) continue;
    SharedAccess access;
    if constexpr (std::is_same_v<Access, StoreShared>)
      access = action->to;
    else
      access = action->from;
    if (access.tile.index() + 1 == std::ssize(schedule.shared_tiles))
      return conflict_degree(bank_conflicts(sums(schedule), access));
  }
  return 0;
}

}  // namespace

TEST_CASE("slices multiply what the whole CTA would, in every layout, with ragged edges") {
  for (const GemmLayout layout : layouts)
    for (const DType dtype : {DType::fp32, DType::fp16}) {
      GemmProblem problem{.m = 70, .n = 37, .k = 43, .dtype = dtype, .alpha = 2, .beta = 1, .layout = layout};
      problem.bias = true;
      check_product(problem, small());
    }
  check_product(fp32(200, 50, 75), sliced1x4());
}

TEST_CASE("whatever brings the tiles, and however fragments are read") {
  for (const int stages : {1, 2, 3})
    for (const bool prefetch : {false, true})
      for (const bool double_buffer : {false, true}) {
        if (prefetch && stages == 3) continue;
        GemmTiling tiling = small();
        tiling.stages = stages;
        tiling.prefetch = prefetch;
        tiling.double_buffer = double_buffer;
        tiling.fragment_k = 1;
        check_product(fp32(50, 40, 29), tiling);
        if (double_buffer && !(prefetch && stages == 2)) tiling.unroll = 2;
        check_product(fp32(50, 40, 29), tiling);
        tiling.ctas = 3;
        check_product(fp32(50, 40, 29), tiling);
      }
}

TEST_CASE("whichever rows a thread has, and through shared memory or not") {
  for (const ElementOrder order : {ElementOrder::strided, ElementOrder::vectors, ElementOrder::contiguous})
    for (const int slices : {2, 4, 8})
      for (const bool staged : {false, true}) {
        GemmTiling tiling = small();
        tiling.tile = {64, 16, 16};
        tiling.thread_tile = {8, 4};
        tiling.cta_slices = slices;
        tiling.order_m = order;
        tiling.stage_a = staged;
        check_product(fp32(100, 40, 50), tiling);
      }
  GemmTiling none = small();
  none.stage_a = none.stage_b = false;
  check_product(fp32(100, 40, 50), none);
}

TEST_CASE("slices of k, stream-K and staged epilogues find the sums of all slices") {
  for (const auto reduction : {SplitReduction::kernel, SplitReduction::atomics}) {
    GemmTiling tiling = small();
    tiling.split_k = 3;
    tiling.reduction = reduction;
    check_product(fp32(50, 40, 61), tiling);
  }
  for (const Epilogue epilogue : {Epilogue::direct, Epilogue::staged})
    for (const std::int64_t ctas : {0, 2, 5})
      for (const bool cuts : {false, true}) {
        GemmTiling tiling = small();
        tiling.epilogue = epilogue;
        tiling.ctas = ctas;
        tiling.stream_k = cuts && ctas > 0;
        check_product(fp32(50, 40, 61), tiling);
        GemmProblem halves{.m = 50, .n = 40, .k = 61, .dtype = DType::fp16, .beta = 1};
        check_product(halves, tiling);
      }
}

TEST_CASE("sums of int32 and of fp16") {
  GemmTiling tiling = small();
  tiling.tile.k = 16;
  check_product({.m = 50, .n = 40, .k = 60, .dtype = DType::int8, .accumulate = DType::int32}, tiling);
  check_product({.m = 50, .n = 40, .k = 61, .dtype = DType::fp16, .accumulate = DType::fp16}, tiling);
}

TEST_CASE("slices multiply on tensor cores") {
  for (const GemmVariant variant : {GemmVariant::tensor, GemmVariant::async})
    for (const GemmLayout layout : layouts)
      for (const std::int64_t ctas : {0, 3}) {
        GemmTiling tiling = mma(variant);
        tiling.ctas = ctas;
        check_product({.m = 100, .n = 72, .k = 150, .beta = 1, .layout = layout}, tiling);
        tiling.fragment_k = 16;
        tiling.double_buffer = true;
        tiling.epilogue = Epilogue::staged;
        check_product({.m = 100, .n = 72, .k = 150, .layout = layout}, tiling);
      }
  GemmTiling sparse = mma(GemmVariant::async);
  sparse.instruction = {16, 8, 32};
  check_product({.m = 64, .n = 64, .k = 128, .sparse = true}, sparse);
}

TEST_CASE("the warp instructions are those counted by hand") {
  GemmTiling tiling = sliced1x4();
  tiling.order_m = tiling.order_n = ElementOrder::contiguous;
  const std::int64_t load = 4 + 1;               // LDG.128 of A and of B, by all eight warps
  const std::int64_t store = 16 + 1;             // STS of A, an element at a time, and of B
  const std::int64_t prologue = 24 + load + 32   // index arithmetic, addresses, zeros
                                + load + store   // the first tile
                                + 1;             // barrier
  const std::int64_t fragment = 2 + 2 + 64;      // LDS.128 of eight elements each, FFMA
  const std::int64_t tile = load + 3 + 2         // pointers, loop, stage
                            + 8 * fragment + 1;  // a slice's k of 32; barrier
  const std::int64_t ahead = load + store;       // of every tile but the last
  const std::int64_t round = 1 + 2 + 4 + 1       // barrier, whose part, STS.128 of two rows, barrier
                             + 4 + 16;           // LDS.128, additions
  const std::int64_t epilogue = 8 + 4 + 4;       // index arithmetic, addresses, STG.128 of two rows
  CHECK(warp_instructions(schedules::gemm(fp32(512, 512, 512), tiling)) ==
        8 * (prologue + 16 * tile + 15 * ahead + 3 * round + epilogue));
}

TEST_CASE("sums lie over the tiles, and a CTA takes what the larger of them does") {
  GemmTiling tiling = sliced1x4();
  const Schedule large = schedules::gemm(fp32(512, 512, 512), tiling);
  CHECK(warps_per_cta(large) == 8);
  CHECK(shared_bytes(large) == Bytes(2 * (132 + 32) * 32 * 4));  // A, stored across, is padded
  tiling.tile.k = 8;
  const Schedule small_tiles = schedules::gemm(fp32(512, 512, 512), tiling);
  CHECK(shared_bytes(small_tiles) == size_of(sums(small_tiles)));
  CHECK(size_of(sums(small_tiles)) == Bytes(128 * (32 * 4 + 16)));  // rows a chunk apart from banks' rounds
}

TEST_CASE("sums come and go without bank conflicts") {
  GemmTiling tiling = sliced1x4();
  for (const bool pairs : {false, true}) {
    tiling.pair_lanes = pairs;
    const Schedule schedule = schedules::gemm(fp32(512, 512, 512), tiling);
    CHECK(conflicts<StoreShared>(schedule) == 1);
    CHECK(conflicts<LoadShared>(schedule) == 1);
  }
  const Schedule tensor = schedules::gemm({.m = 64, .n = 64, .k = 64}, mma(GemmVariant::async));
  CHECK(conflicts<StoreShared>(tensor) == 1);
}

TEST_CASE("registers hold the sums of another slice where they are more than fragments") {
  GemmTiling tiling = sliced1x4();
  tiling.prefetch = false;
  const GemmProblem problem = fp32(512, 512, 512);
  const int sums = 64;
  const int addresses = 16;
  CHECK(schedules::estimate_registers(problem, tiling) == sums + addresses + 8 + 8);  // fragments, or sums of two rows
  tiling.cta_slices = 2;
  CHECK(schedules::estimate_registers(problem, tiling) == sums + addresses + 32);  // sums of four rows
}

TEST_CASE("slices fill an SM that has one CTA") {
  GemmTiling tiling = sliced1x4();
  const GemmProblem cta = fp32(128, 32, 1024);
  const Gpu gpu(load_profile("ampere"));
  const auto cycles = [&] { return gpu.run(schedules::gemm(cta, tiling), {.exact = true}).kernels.front().cycles; };
  const Cycles four = cycles();
  tiling.cta_slices = 1;
  CHECK(2 * four < cycles());  // two warps leave two of the four sub-partitions idle
}

TEST_CASE("what cannot be cut or shared out is refused, with what could") {
  const auto slices = [](int number) { return [number](GemmTiling& tiling) { tiling.cta_slices = number; }; };
  CHECK(refusal(small(), slices(0)) == "cta_slices: it must be 1 to 32, not 0");
  CHECK(refusal(small(), slices(3)) ==
        "cta_slices: a k tile of 8 is not cut into 3 slices of whole steps of 1; 2 is the nearest");
  CHECK(refusal(small(), slices(8)) ==
        "cta_slices: a thread's 4 rows of C are not shared out among 8 slices, which finish a part each; 4 is the "
        "nearest that would do");
  CHECK(refusal(small(), [](GemmTiling& t) {
          t.tile = {128, 128, 32}, t.cta_slices = 2;
        }) == "cta_slices: 2 slices of 32 warps are 64, and a CTA has at most 32; 1 is the nearest that would do");
  CHECK(refusal(small(), [](GemmTiling& t) { t.fragment_k = 8; }) ==
        "fragment_k: 8 elements: it must divide the tile's k of 4 for each slice; 4 would do");
  CHECK(refusal(small(), [](GemmTiling& t) { t.fragment_k = 4, t.double_buffer = true; }) ==
        "double_buffer: fragments of the whole tile have no next step; fragment_k must be less than the tile's k of 4 "
        "for each slice");
}

TEST_CASE("variants whose warps have no slices refuse them") {
  for (const auto& [variant, name] : {std::pair{GemmVariant::naive, "naive"}, std::pair{GemmVariant::wgmma, "wgmma"}}) {
    GemmTiling tiling;
    tiling.variant = variant;
    if (variant == GemmVariant::naive) tiling.tile = {32, 32, 4};
    const std::string said = refusal(tiling, [](GemmTiling& t) { t.cta_slices = 2; });
    CHECK(said.find("cta_slices: it means nothing to " + std::string(name) + "; simt, tensor, async have it") !=
          std::string::npos);
  }
}

TEST_CASE("a GPU's choice keeps the slices asked for") {
  GemmRequest request;
  request.tile = {128, 32, 32};
  request.variant = GemmVariant::simt;
  request.cta_slices = 4;
  const GemmTiling chosen = schedules::choose(load_profile("ampere"), fp32(512, 512, 512), request);
  CHECK(chosen.cta_slices == 4);
  CHECK(warps_per_cta(schedules::gemm(fp32(512, 512, 512), chosen)) == 8);
}

}  // namespace gpusim::gemm_cta_slices_test
