// Every choice of a simt GEMM changes the schedule, and what cannot be is refused with what could.
#include <doctest/doctest.h>

#include <functional>
#include <set>
#include <string>

#include "gpusim/schedules/gemm.h"

namespace gpusim::gemm_simt_choice_test {

using schedules::ElementOrder;
using schedules::GemmLayout;
using schedules::GemmProblem;
using schedules::GemmTiling;
using schedules::GemmVariant;
using schedules::SharedLayout;

namespace {

const GemmProblem problem{.m = 256, .n = 256, .k = 256, .dtype = DType::fp32};

GemmTiling simt() { return {.tile = {64, 64, 16}, .variant = GemmVariant::simt}; }

using Change = std::function<void(GemmTiling&)>;

std::string refusal(const GemmProblem& of, const Change& change) {
  GemmTiling tiling = simt();
  change(tiling);
  try {
    static_cast<void>(schedules::gemm(of, tiling));
  } catch (const ScheduleError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("every choice changes the digest") {
  const std::vector<Change> changes{
      [](GemmTiling&) {},
      [](GemmTiling& t) {
        t.variant = GemmVariant::naive, t.tile = {32, 32, 4};
      },
      [](GemmTiling& t) {
        t.variant = GemmVariant::coalesced, t.tile = {32, 32, 4};
      },
      [](GemmTiling& t) { t.tile.k = 8; },
      [](GemmTiling& t) { t.stages = 2; },
      [](GemmTiling& t) { t.stages = 3; },
      [](GemmTiling& t) { t.fragment_k = 2; },
      [](GemmTiling& t) { t.registers = 128; },
      [](GemmTiling& t) {
        t.warp_tile = {64, 8};
      },
      [](GemmTiling& t) {
        t.thread_tile = {8, 4};
      },
      [](GemmTiling& t) {
        t.thread_tile = {4, 4}, t.order_m = ElementOrder::contiguous;
      },
      [](GemmTiling& t) {
        t.thread_tile = {4, 4}, t.order_n = ElementOrder::strided;
      },
      [](GemmTiling& t) { t.cta_slices = 2; },
      [](GemmTiling& t) { t.cta_slices = 4; },
      [](GemmTiling& t) { t.vector_a = 1; },
      [](GemmTiling& t) { t.vector_b = 2; },
      [](GemmTiling& t) {
        t.thread_tile = {8, 8};
      },
      [](GemmTiling& t) {
        t.thread_tile = {8, 8}, t.copy_lanes_a = 2;
      },
      [](GemmTiling& t) {
        t.thread_tile = {8, 8}, t.copy_lanes_b = 8;
      },
      [](GemmTiling& t) { t.read_a = 1; },
      [](GemmTiling& t) { t.read_b = 1; },
      [](GemmTiling& t) { t.shared_a = SharedLayout::plain; },
      [](GemmTiling& t) { t.shared_a = SharedLayout::swizzle64; },
      [](GemmTiling& t) { t.shared_b = SharedLayout::padded; },
      [](GemmTiling& t) { t.shared_b = SharedLayout::swizzle128; },
      [](GemmTiling& t) { t.transpose_a = true; },
      [](GemmTiling& t) { t.stage_a = false; },
      [](GemmTiling& t) { t.stage_b = false; },
      [](GemmTiling& t) { t.prefetch = t.through_local = true; },
      [](GemmTiling& t) { t.prefetch = true; },
      [](GemmTiling& t) { t.prefetch = true, t.stages = 2; },
      [](GemmTiling& t) { t.double_buffer = true; },
      [](GemmTiling& t) { t.pair_lanes = true; },
      [](GemmTiling& t) { t.reuse_operands = false; },
      [](GemmTiling& t) { t.reserved = 1024; },
      [](GemmTiling& t) { t.double_buffer = t.prefetch = true, t.stages = 2, t.fragment_k = 1; },
      [](GemmTiling& t) { t.double_buffer = t.prefetch = true, t.stages = 2, t.fragment_k = 1, t.carry_over = false; },
      [](GemmTiling& t) { t.double_buffer = true, t.fragment_k = 1, t.unroll = 2; },
      [](GemmTiling& t) { t.double_buffer = true, t.fragment_k = 1, t.unroll = 8; },
      [](GemmTiling& t) { t.index_overhead = 10; },
      [](GemmTiling& t) {
        t.cluster = {2, 1};
      },
      [](GemmTiling& t) {
        t.cluster = {1, 2};
      },
      [](GemmTiling& t) { t.ctas = 6; },
      [](GemmTiling& t) { t.ctas = 6, t.consecutive = true; },
      [](GemmTiling& t) { t.ctas = 6, t.stream_k = true; },
      [](GemmTiling& t) { t.order = TileOrder::column; },
      [](GemmTiling& t) { t.order = TileOrder::grouped; },
      [](GemmTiling& t) { t.order = TileOrder::grouped, t.group = 2; },
      [](GemmTiling& t) { t.order = TileOrder::hilbert; },
      [](GemmTiling& t) { t.split_k = 2; },
      [](GemmTiling& t) { t.split_k = 2, t.reduction = schedules::SplitReduction::atomics; },
      [](GemmTiling& t) { t.epilogue = schedules::Epilogue::staged; },
  };
  std::set<std::uint64_t> digests;
  for (const Change& change : changes) {
    GemmTiling tiling = simt();
    change(tiling);
    digests.insert(digest(schedules::gemm(problem, tiling)));
  }
  CHECK(digests.size() == changes.size());
}

TEST_CASE("B along k may be turned on its way to shared memory") {
  GemmProblem along_k = problem;
  along_k.layout = GemmLayout::nt;
  GemmTiling turned = simt();
  turned.transpose_b = true;
  CHECK(digest(schedules::gemm(along_k, turned)) != digest(schedules::gemm(along_k, simt())));
}

TEST_CASE("everything about the problem changes the digest") {
  std::set<std::uint64_t> digests{digest(schedules::gemm(problem, simt()))};
  const auto add = [&](auto change) {
    GemmProblem changed = problem;
    change(changed);
    digests.insert(digest(schedules::gemm(changed, simt())));
  };
  add([](GemmProblem& p) { p.layout = GemmLayout::nt; });
  add([](GemmProblem& p) { p.layout = GemmLayout::tn; });
  add([](GemmProblem& p) { p.layout = GemmLayout::tt; });
  add([](GemmProblem& p) { p.batch = 2; });
  add([](GemmProblem& p) { p.batch_interleave = 2; });
  add([](GemmProblem& p) { p.batch = p.batch_interleave = 2; });
  add([](GemmProblem& p) { p.bias = true; });
  add([](GemmProblem& p) { p.activation = Activation::relu; });
  add([](GemmProblem& p) { p.activation = Activation::gelu; });
  add([](GemmProblem& p) { p.alpha = 2; });
  add([](GemmProblem& p) { p.beta = 2; });
  CHECK(digests.size() == 12);
}

TEST_CASE("a choice the variant does not have is refused") {
  CHECK(refusal(problem, [](GemmTiling& t) { t.specialize = true; }) ==
        "specialize: it means nothing to simt; tma, wgmma have it");
  CHECK(refusal(problem, [](GemmTiling& t) { t.ldmatrix = false; }) ==
        "ldmatrix: it means nothing to simt; tensor, async, tma have it");
  CHECK(refusal(problem, [](GemmTiling& t) { t.group = 4; }) == "group: only the grouped order has groups");
  CHECK(refusal(problem, [](GemmTiling& t) {
          t.variant = GemmVariant::naive, t.tile = {32, 32, 4}, t.read_a = 1;
        }) == "read_a: it means nothing to naive; simt has it");
}

TEST_CASE("what clashes is refused, with what would not") {
  CHECK(refusal(problem, [](GemmTiling& t) { t.shared_a = SharedLayout::swizzle128; }) ==
        "shared_a: a swizzle of 128 bytes and rows of 64 bytes, no multiple of it; swizzle64 fits");
  CHECK(refusal(problem, [](GemmTiling& t) { t.split_k = 7; }) ==
        "split_k: 16 k tiles in 7 equal slices: 1 would be empty; 6 slices of 3 would do");
  CHECK(refusal(problem, [](GemmTiling& t) {
          t.cluster = {3, 1};
        }) == "cluster.m: 4 tiles cannot be cut into clusters of 3; the nearest number that they can is 2");
  CHECK(refusal(problem,
                [](GemmTiling& t) {
                  t.thread_tile = {1, 1};
                }) ==
        "thread_tile: a tile of 64x64x16 in pieces of 1x1 is 4096 threads, 3072 more than a CTA can have; 2x2 "
        "would do");
  CHECK(refusal(problem, [](GemmTiling& t) { t.reserved = -1; }).starts_with("reserved: "));
  CHECK(refusal(problem, [](GemmTiling& t) { t.reserved = (1 << 20) + 1; }).starts_with("reserved: "));
  CHECK(refusal(problem, [](GemmTiling& t) { t.ctas = 20; }) ==
        "ctas: 20 CTAs and 16 tiles: 4 would have nothing to do; 16 is the most");
  CHECK(refusal(problem, [](GemmTiling& t) { t.copy_lanes_a = 8; }) ==
        "copy_lanes_a: 8 threads do not share rows of 16 elements in runs of whole vectors; 4 would do");
  CHECK(refusal(problem, [](GemmTiling& t) { t.copy_lanes_a = 4; }) == "");
  CHECK(refusal(problem, [](GemmTiling& t) { t.copy_lanes_a = 2; }) ==
        "copy_lanes_a: 2 of 256 threads to a row do not share 64 rows evenly; 4 would do");
  const auto few_rows = [](GemmTiling& t) { t.tile = {96, 64, 64}, t.thread_tile = {8, 4}, t.copy_lanes_b = 16; };
  CHECK(refusal({.m = 256, .n = 192, .k = 128, .dtype = DType::fp32}, few_rows) ==
        "copy_lanes_b: 16 of 192 threads to a row do not share 64 rows evenly; no number does, and without it "
        "neighbouring lanes copy neighbouring vectors");
  CHECK(refusal(problem, [](GemmTiling& t) { t.producer_registers = 30; }) ==
        "producer_registers: setmaxnreg gives a thread 24 to 256 registers in steps of 8, not 30; 32 is the nearest");
  CHECK(refusal(problem, [](GemmTiling& t) { t.vector_a = 8; }) ==
        "vector_a: 8 elements at a time: rows allow 4, or a part of it");
  CHECK(refusal(problem, [](GemmTiling& t) { t.prefetch = true, t.stages = 3; }) ==
        "stages: with prefetch, one tile is multiplied while the next is stored: 1 or 2, not 3");
  CHECK(refusal(problem, [](GemmTiling& t) {
          t.variant = GemmVariant::naive, t.tile = {64, 32, 4};
        }) == "tile: 64x32 elements are 2048 threads, 1024 more than a CTA can have; 32x32 is the most");
}

TEST_CASE("the side along which neighbouring threads lie fills warps, or several of it one") {
  const auto refused = [](GemmVariant variant, const schedules::GemmTile& tile) {
    return refusal(problem, [&](GemmTiling& t) { t.variant = variant, t.tile = tile; });
  };
  const std::string rule =
      "neighbouring threads lie along it, so it is a multiple of 32, or divides 32 and whole warps share the tile; ";
  CHECK(refused(GemmVariant::coalesced, {16, 16, 4}).empty());
  CHECK(refused(GemmVariant::naive, {8, 4, 4}).empty());
  CHECK(refused(GemmVariant::coalesced, {16, 24, 4}) == "tile.n: " + rule + "24 does not");
  CHECK(refused(GemmVariant::coalesced, {1, 16, 4}) == "tile.n: " + rule + "16 does not");
  CHECK(refused(GemmVariant::naive, {8, 6, 4}) == "tile.m: " + rule + "8 does not");
}

}  // namespace gpusim::gemm_simt_choice_test
