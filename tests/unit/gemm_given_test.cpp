// What was given of a request is used or refused by name, also where it is the default.
#include <doctest/doctest.h>

#include <functional>
#include <string>

#include "gpusim/profile_io.h"
#include "gpusim/schedules/gemm_candidates.h"

namespace gpusim::gemm_given_test {

using namespace gpusim::schedules;

namespace {

constexpr GemmProblem product{.m = 512, .n = 512, .k = 256, .dtype = DType::bf16};
constexpr GemmProblem in_fp32{.m = 512, .n = 512, .k = 256, .dtype = DType::fp32};

/// Where a request is refused: alone, and as what all candidates have to have. "" where it is taken.
struct Refused {
  std::string alone;
  std::string candidates;
};

std::string places(const std::function<void()>& attempt) {
  std::string text;
  try {
    attempt();
  } catch (const ScheduleError& error) {
    for (const Problem& each : error.problems()) text += (text.empty() ? "" : " ") + each.where;
  }
  return text;
}

Refused refused(const char* gpu, const GemmProblem& problem, const GemmRequest& request) {
  const Profile profile = load_profile(gpu);
  return {places([&] { static_cast<void>(choose(profile, problem, request)); }),
          places([&] { static_cast<void>(gemm_candidates(profile, problem, request)); })};
}

void is_refused(const char* gpu, const GemmProblem& problem, const GemmRequest& request, const std::string& where) {
  CAPTURE(where);
  const Refused found = refused(gpu, problem, request);
  CHECK(found.alone == where);
  CHECK(found.candidates == where);
}

}  // namespace

TEST_CASE("a choice that the schedule does not have is refused, given as its default or not") {
  is_refused("hopper", product, {.variant = GemmVariant::wgmma, .instruction = MmaShape{16, 8, 16}}, "instruction");
  is_refused("hopper", in_fp32, {.variant = GemmVariant::simt, .instruction = MmaShape{16, 8, 16}}, "instruction");
  is_refused("ampere", in_fp32, {.variant = GemmVariant::simt, .ldmatrix = true}, "ldmatrix");
  is_refused("hopper", product, {.variant = GemmVariant::tma, .carry_over = true}, "carry_over");
  is_refused("ampere", product, {.variant = GemmVariant::async, .pair_lanes = true}, "pair_lanes");
  is_refused("ampere", in_fp32, {.variant = GemmVariant::simt, .consumers = 1}, "consumers");
  is_refused("ampere", product, {.variant = GemmVariant::async, .stage_a = true}, "stage_a");
  is_refused("ampere", product, {.variant = GemmVariant::tensor, .overfetch = true}, "overfetch");
  is_refused("ampere", product, {.variant = GemmVariant::async, .through_local = true}, "through_local");
  is_refused("ampere", product, {.variant = GemmVariant::async, .reuse_operands = true}, "reuse_operands");
  is_refused("ampere", product, {.variant = GemmVariant::async, .multicast = true}, "multicast");
  is_refused("ampere", product, {.variant = GemmVariant::async, .multicast_by = MulticastBy::each}, "multicast_by");
  is_refused("ampere", product, {.variant = GemmVariant::async, .consumers_arrive = true}, "consumers_arrive");
  is_refused("ampere", product, {.variant = GemmVariant::async, .pingpong = true}, "pingpong");
}

TEST_CASE("and so is one that another choice leaves without a meaning") {
  CHECK(refused("hopper", product, {.variant = GemmVariant::wgmma, .multicast = true}).alone == "multicast");
  CHECK(refused("hopper", product, {.variant = GemmVariant::wgmma, .multicast_by = MulticastBy::each}).alone ==
        "multicast_by");
  is_refused("hopper", product,
             {.variant = GemmVariant::wgmma,
              .cluster = GemmShape{2, 1},
              .multicast = false,
              .multicast_by = MulticastBy::first},
             "multicast_by");
  is_refused("hopper", product,
             {.variant = GemmVariant::wgmma, .specialize = false, .double_buffer = false, .consumers_arrive = true},
             "consumers_arrive");
  is_refused("ampere", in_fp32,
             {.variant = GemmVariant::simt, .stages = 1, .prefetch = true, .double_buffer = true, .interleave = true},
             "interleave");
  is_refused("ampere", in_fp32,
             {.variant = GemmVariant::simt, .stages = 3, .double_buffer = true, .unroll = 2, .interleave = true},
             "interleave");
  is_refused("ampere", in_fp32,
             {.variant = GemmVariant::simt,
              .stages = 2,
              .prefetch = true,
              .double_buffer = true,
              .carry_over = false,
              .interleave = true},
             "interleave");
  is_refused("ampere", in_fp32,
             {.variant = GemmVariant::simt,
              .stages = 2,
              .fragment_k = 16,
              .prefetch = true,
              .double_buffer = true,
              .interleave = true},
             "interleave");
  is_refused("ampere", in_fp32,
             {.variant = GemmVariant::simt,
              .stages = 2,
              .through_local = true,
              .prefetch = true,
              .double_buffer = true,
              .interleave = true},
             "interleave");
  GemmProblem in_int8 = product;
  in_int8.dtype = DType::int8;
  in_int8.accumulate = DType::int32;
  is_refused("ampere", in_int8,
             {.variant = GemmVariant::simt,
              .stages = 2,
              .fragment_k = 4,
              .prefetch = true,
              .double_buffer = true,
              .interleave = true},
             "interleave");
  is_refused("ampere", product, {.variant = GemmVariant::async, .double_buffer = false, .interleave = true},
             "interleave");
  CHECK(refused("ampere", product, {.reduction = SplitReduction::kernel}).alone == "reduction");
  CHECK(refused("ampere", product, {.group = 8}).alone == "group");
  is_refused("ampere", product, {.ldmatrix = false, .matrices_a = 4}, "matrices_a");
  is_refused("ampere", product, {.variant = GemmVariant::tensor, .double_buffer = false, .carry_over = true},
             "carry_over");
  is_refused("ampere", in_fp32, {.variant = GemmVariant::simt, .double_buffer = false, .unroll = 2}, "unroll");
  is_refused("ampere", in_fp32, {.variant = GemmVariant::simt, .fragment_k = 4, .double_buffer = true, .unroll = 3},
             "unroll");
}

TEST_CASE("fragments are carried over where the next tile is there, and in an even number of steps") {
  const auto carried = [](GemmRequest request) {
    request.double_buffer = request.carry_over = true;
    return refused("ampere", product, request).alone;
  };
  CHECK(carried({.variant = GemmVariant::async}).empty());
  CHECK(carried({.variant = GemmVariant::async, .stages = 1}) == "carry_over");
  CHECK(carried({.tile = {64, 64, 48}, .variant = GemmVariant::async}) == "carry_over");
  CHECK(carried({.variant = GemmVariant::tensor}) == "carry_over");
  CHECK(carried({.variant = GemmVariant::tensor, .prefetch = true}).empty());
}

TEST_CASE("what is turned off where there is none of it is off, and what is left to be chosen is no choice") {
  CHECK(refused("ampere", product, {.variant = GemmVariant::async, .specialize = false, .prefetch = false}).alone ==
        "");
  CHECK(refused("ampere", product, {.variant = GemmVariant::tensor, .order_m = ElementOrder::automatic}).alone == "");
  CHECK(refused("ampere", in_fp32, {.variant = GemmVariant::naive, .epilogue = Epilogue::direct}).alone == "");
}

TEST_CASE("candidates are those that have what is given") {
  const GemmRequest of_mma{.instruction = MmaShape{16, 8, 16}};
  for (const GemmTiling& each : gemm_candidates(load_profile("hopper"), product, of_mma))
    CHECK(each.variant == GemmVariant::async);
  for (const GemmTiling& each : gemm_candidates(load_profile("hopper"), product, {.multicast = true}))
    CHECK(each.cluster.m * each.cluster.n > 1);
}

TEST_CASE("so many CTAs, or as many as there can be, not both") {
  is_refused("ampere", product, {.ctas = 5, .persistent = true}, "persistent");
}

TEST_CASE("ldmatrix and its matrices are refused on a GPU that has none") {
  constexpr GemmProblem of_volta{.m = 256, .n = 200, .k = 128};
  is_refused("volta", of_volta, {.ldmatrix = true}, "ldmatrix");
  is_refused("volta", of_volta, {.matrices_a = 1, .matrices_b = 4}, "matrices_a matrices_b");
  CHECK(refused("volta", of_volta, {.ldmatrix = false}).alone == "");
}

TEST_CASE("and where an operand lies so that it cannot be read by it") {
  GemmProblem problem{.m = 256, .n = 256, .k = 128, .dtype = DType::tf32};
  is_refused("ampere", problem, {.variant = GemmVariant::async, .matrices_a = 1, .matrices_b = 1}, "matrices_b");
  problem.layout = GemmLayout::nt;
  CHECK(refused("ampere", problem, {.matrices_b = 1}).alone == "");
  problem.layout = GemmLayout::tn;
  is_refused("ampere", problem, {.variant = GemmVariant::async, .ldmatrix = true}, "ldmatrix");
}

}  // namespace gpusim::gemm_given_test
