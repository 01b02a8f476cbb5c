// naive, coalesced and simt, executed on numbers, equal Eigen's product whatever is chosen.
#include <doctest/doctest.h>

#include <array>
#include <random>

#include "gpusim/functional.h"
#include "gpusim/schedules/gemm.h"
#include "support/sanitized.h"

namespace gpusim::gemm_simt_product_test {

using schedules::ElementOrder;
using schedules::Epilogue;
using schedules::GemmLayout;
using schedules::GemmProblem;
using schedules::GemmTiling;
using schedules::GemmVariant;
using schedules::SharedLayout;
using schedules::SplitReduction;

namespace {

constexpr std::array layouts{GemmLayout::nn, GemmLayout::nt, GemmLayout::tn, GemmLayout::tt};

void check_product(const GemmProblem& problem, const GemmTiling& tiling) {
  const std::vector<Schedule> kernels = schedules::gemm_kernels(problem, tiling);
  const auto result = functional::check_gemm(kernels, problem);
  std::string choices;
  for (const auto& [choice, value] : kernels.front().choices) choices.append(choice).append("=").append(value + " ");
  INFO(choices, ": first wrong element (", result.first_row, ", ", result.first_column, ") of product ",
       result.first_layer, " is ", result.actual, ", not ", result.expected);
  CHECK(result.elements == problem.m * problem.n * problem.batch);
  CHECK(result.wrong == 0);
}

GemmTiling simt(GemmTiling tiling) {
  tiling.variant = GemmVariant::simt;
  return tiling;
}

/// Draws that are the same everywhere: what the standard says of the engine, and a remainder.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}

  template <class T, std::size_t Count>
  T of(const std::array<T, Count>& values) {
    return values.at(engine_() % Count);
  }
  std::int64_t from(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool one_in(std::uint64_t many) { return engine_() % many == 0; }

 private:
  std::mt19937_64 engine_;
};

GemmProblem drawn_problem(Draw& draw) {
  GemmProblem problem;
  problem.m = draw.from(1, 90);
  problem.n = draw.from(1, 90);
  problem.k = draw.from(1, 70);
  problem.dtype = draw.one_in(3) ? DType::fp16 : DType::fp32;
  problem.layout = draw.of(layouts);
  if (draw.one_in(4)) problem.alpha = 2;
  if (draw.one_in(4)) problem.beta = 1;
  if (draw.one_in(4)) problem.batch = draw.from(2, 3);
  problem.bias = draw.one_in(4);
  if (draw.one_in(4)) problem.activation = Activation::relu;
  return problem;
}

GemmTiling drawn_tiling(Draw& draw, GemmLayout layout) {
  constexpr std::array orders{ElementOrder::automatic, ElementOrder::strided, ElementOrder::vectors,
                              ElementOrder::contiguous};
  constexpr std::array shared{SharedLayout::automatic, SharedLayout::automatic, SharedLayout::plain,
                              SharedLayout::padded,    SharedLayout::swizzle32, SharedLayout::swizzle64};
  constexpr std::array vectors{0, 0, 1, 2, 4};
  constexpr std::array sides{1, 2, 4, 6, 8};
  GemmTiling tiling;
  tiling.variant = GemmVariant::simt;
  tiling.thread_tile = {draw.of(sides), draw.of(sides)};
  const int rows = 1 << draw.from(0, 5);
  tiling.warp_tile = {rows * tiling.thread_tile.m, 32 / rows * tiling.thread_tile.n};
  tiling.tile.m = tiling.warp_tile.m * static_cast<int>(draw.from(1, 2));
  tiling.tile.n = tiling.warp_tile.n * static_cast<int>(draw.from(1, 2));
  tiling.tile.k = draw.of(std::array{4, 8, 16, 32});
  tiling.fragment_k = draw.of(std::array{0, 1, 2, 4});
  tiling.order_m = draw.of(orders);
  tiling.order_n = draw.of(orders);
  tiling.stage_a = !draw.one_in(4);
  tiling.stage_b = !draw.one_in(4);
  tiling.read_a = draw.of(vectors);
  tiling.read_b = draw.of(vectors);
  if (tiling.stage_a) tiling.vector_a = draw.of(vectors);
  if (tiling.stage_b) tiling.vector_b = draw.of(vectors);
  constexpr std::array copy_lanes{2, 4, 8, 16};
  if (tiling.stage_a && draw.one_in(8)) tiling.copy_lanes_a = draw.of(copy_lanes);
  if (tiling.stage_b && draw.one_in(8)) tiling.copy_lanes_b = draw.of(copy_lanes);
  if (tiling.stage_a) tiling.shared_a = draw.of(shared);
  if (tiling.stage_b) tiling.shared_b = draw.of(shared);
  tiling.transpose_a = tiling.stage_a && draw.one_in(3);
  const bool b_by_k = layout == GemmLayout::nt || layout == GemmLayout::tt;
  tiling.transpose_b = tiling.stage_b && b_by_k && draw.one_in(3);
  tiling.prefetch = draw.one_in(3);
  tiling.stages = static_cast<int>(draw.from(1, tiling.prefetch ? 2 : 3));
  tiling.double_buffer = draw.one_in(3);
  if (tiling.double_buffer && tiling.prefetch && tiling.stages == 2) tiling.carry_over = draw.one_in(2);
  if (tiling.double_buffer && tiling.stages > 1 && tiling.carry_over) tiling.interleave = draw.one_in(2);
  if (rows > 1 && rows < 32) tiling.pair_lanes = draw.one_in(2);
  if (draw.one_in(4)) tiling.split_k = static_cast<int>(draw.from(2, 4));
  if (draw.one_in(4)) tiling.ctas = draw.from(1, 5);
  if (tiling.ctas > 0 && tiling.split_k == 1) tiling.stream_k = draw.one_in(3);
  if (tiling.split_k > 1 && draw.one_in(2)) tiling.reduction = SplitReduction::atomics;
  if (draw.one_in(4)) tiling.epilogue = Epilogue::staged;
  if (draw.one_in(4)) tiling.cta_slices = draw.of(std::array{2, 3, 4});
  return tiling;
}

}  // namespace

TEST_CASE("naive and coalesced multiply every layout, with more than one CTA and a ragged edge") {
  for (const auto variant : {GemmVariant::naive, GemmVariant::coalesced})
    for (const GemmLayout layout : layouts)
      for (const DType dtype : {DType::fp32, DType::fp16})
        check_product({.m = 40, .n = 70, .k = 23, .dtype = dtype, .alpha = 2, .beta = 1, .layout = layout},
                      {.tile = {32, 32, 4}, .variant = variant});
}

TEST_CASE("naive and coalesced warps of a narrow tile have several of its columns or rows") {
  const GemmProblem problem{.m = 40, .n = 70, .k = 23, .dtype = DType::fp32, .beta = 1};
  for (const int side : {1, 2, 8, 16}) {
    check_product(problem, {.tile = {64, side, 4}, .variant = GemmVariant::coalesced});
    check_product(problem, {.tile = {side, 64, 4}, .variant = GemmVariant::naive});
  }
}

TEST_CASE("the published steps: 1D and 2D thread tiles, A transposed, vectors, warp tiles, both kinds of buffering") {
  const GemmProblem problem{.m = 200, .n = 260, .k = 70, .dtype = DType::fp32, .beta = 1};
  constexpr auto contiguous = ElementOrder::contiguous;
  check_product(problem, simt({.tile = {32, 32, 32}, .warp_tile = {1, 32}, .thread_tile = {1, 1}}));
  check_product(problem, simt({.tile = {64, 64, 8},
                               .warp_tile = {8, 32},
                               .thread_tile = {8, 1},
                               .order_m = contiguous,
                               .shared_a = SharedLayout::plain}));
  GemmTiling square{.tile = {128, 128, 8},
                    .fragment_k = 1,
                    .warp_tile = {16, 128},
                    .thread_tile = {8, 8},
                    .order_m = contiguous,
                    .order_n = contiguous,
                    .shared_a = SharedLayout::plain,
                    .transpose_a = true};
  check_product(problem, simt(square));
  square.prefetch = true;
  check_product(problem, simt(square));
  square.stages = 2;
  square.double_buffer = true;
  check_product(problem, simt(square));
  square.unroll = 4;
  check_product(problem, simt(square));
  square.ctas = 3;
  check_product(problem, simt(square));
  square.unroll = 0;
  square.pair_lanes = true;
  check_product(problem, simt(square));
  check_product(problem, simt({.tile = {64, 128, 16},
                               .fragment_k = 1,
                               .warp_tile = {64, 64},
                               .thread_tile = {8, 16},
                               .order_m = contiguous,
                               .transpose_a = true}));
}

TEST_CASE("thread tiles that are no power of two") {
  check_product({.m = 130, .n = 210, .k = 33, .dtype = DType::fp32},
                simt({.tile = {128, 208, 8}, .stages = 2, .thread_tile = {4, 26}}));
}

TEST_CASE("operands straight from global memory, in every layout") {
  for (const GemmLayout layout : layouts)
    for (const bool stage_a : {false, true})
      for (const bool stage_b : {false, true})
        check_product({.m = 70, .n = 75, .k = 37, .dtype = DType::fp32, .layout = layout},
                      simt({.tile = {64, 64, 32},
                            .fragment_k = 2,
                            .thread_tile = {4, 8},
                            .order_m = ElementOrder::contiguous,
                            .stage_a = stage_a,
                            .stage_b = stage_b}));
}

TEST_CASE("all threads load, and what is loaded goes through local memory, in every layout and at every edge") {
  testing::Thinned cases;
  for (const GemmLayout layout : layouts)
    for (const DType dtype : {DType::fp32, DType::fp16})
      for (const bool prefetch : {false, true})
        for (const bool through_local : {false, true})
          for (const bool overfetch : {false, true}) {
            if (!cases.takes_next()) continue;
            GemmTiling tiling = simt({.tile = {64, 32, 8}, .stages = 1, .thread_tile = {2, 1}});
            tiling.prefetch = prefetch;
            tiling.through_local = through_local;
            tiling.overfetch = overfetch;
            tiling.transpose_a = layout == GemmLayout::nn;
            check_product({.m = 70, .n = 75, .k = 36, .dtype = dtype, .layout = layout}, tiling);
            tiling.split_k = 2;
            check_product({.m = 70, .n = 75, .k = 36, .dtype = dtype, .layout = layout, .bias = true}, tiling);
          }
}

TEST_CASE("slices of k, added up by a kernel or by atomics, divide k evenly or not") {
  for (const int split_k : {2, 3, 5, 7})
    for (const auto reduction : {SplitReduction::kernel, SplitReduction::atomics})
      for (const std::int64_t batch : {1, 2})
        check_product({.m = 70, .n = 50, .k = 216, .dtype = DType::fp32, .alpha = 3, .batch = batch},
                      simt({.tile = {32, 32, 8}, .split_k = split_k, .reduction = reduction}));
}

TEST_CASE("the reduction kernel scales, adds bias and activates") {
  for (const DType dtype : {DType::fp32, DType::fp16})
    for (const auto activation : {Activation::none, Activation::relu, Activation::silu})
      check_product({.m = 37,
                     .n = 150,
                     .k = 100,
                     .dtype = dtype,
                     .alpha = 2,
                     .beta = 1,
                     .batch = 2,
                     .bias = true,
                     .activation = activation},
                    simt({.tile = {32, 32, 16}, .split_k = 7}));
}

TEST_CASE("persistent CTAs, fewer than there are tiles and as many") {
  for (const std::int64_t ctas : {1, 3, 16})
    for (const int stages : {1, 3})
      for (const bool consecutive : {false, true})
        check_product({.m = 100, .n = 120, .k = 40, .dtype = DType::fp32, .batch = 2},
                      simt({.tile = {32, 64, 8}, .stages = stages, .ctas = ctas, .consecutive = consecutive}));
}

TEST_CASE("stream-K deals parts of tiles") {
  for (const std::int64_t ctas : {1, 2, 5, 7})
    check_product({.m = 90, .n = 60, .k = 100, .dtype = DType::fp32, .alpha = 2},
                  simt({.tile = {32, 32, 8}, .ctas = ctas, .stream_k = true}));
}

TEST_CASE("stream-K with copies ahead: cp.async of several stages, and loads into registers") {
  for (const std::int64_t ctas : {1, 2, 5, 7, 50})
    for (const int stages : {1, 2, 3})
      for (const bool prefetch : {false, true}) {
        if (prefetch ? stages == 3 : stages == 1) continue;
        check_product(
            {.m = 90, .n = 60, .k = 100, .dtype = DType::fp32, .alpha = 2},
            simt({.tile = {32, 32, 8}, .stages = stages, .prefetch = prefetch, .ctas = ctas, .stream_k = true}));
      }
}

TEST_CASE("a staged epilogue stores what a direct one stores") {
  for (const std::int64_t ctas : {0, 2})
    for (const DType dtype : {DType::fp32, DType::fp16})
      check_product(
          {.m = 70, .n = 65, .k = 20, .dtype = dtype, .alpha = 2, .beta = 1, .bias = true},
          simt({.tile = {32, 64, 8}, .order_n = ElementOrder::strided, .ctas = ctas, .epilogue = Epilogue::staged}));
}

TEST_CASE("3000 random draws: what is not refused is right") {
  Draw draw(20);
  int legal = 0;
  for (int i = 0; i < testing::draws(3000); ++i) {
    const GemmProblem problem = drawn_problem(draw);
    const GemmTiling tiling = drawn_tiling(draw, problem.layout);
    try {
      static_cast<void>(schedules::gemm(problem, tiling));
    } catch (const ScheduleError&) {
      continue;
    }
    ++legal;
    check_product(problem, tiling);
  }
  CHECK(legal > testing::draws(3000) / 6);
}

}  // namespace gpusim::gemm_simt_product_test
