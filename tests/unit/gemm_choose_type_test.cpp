// Types of operands that are chosen for, and those that are refused.
#include <doctest/doctest.h>

#include <string>

#include "gpusim/profile_io.h"
#include "support/gemm_facts.h"

namespace gpusim::gemm_choose_type_test {

using schedules::choose;
using schedules::GemmProblem;
using schedules::GemmRequest;
using schedules::GemmVariant;
using testing::refusal;

namespace {

constexpr GemmProblem cube{.m = 512, .n = 512, .k = 512};

}  // namespace

TEST_CASE("types and variants a GPU lacks: lists those it has") {
  CHECK(refusal("volta", {.m = 9, .n = 9, .k = 9, .dtype = DType::tf32}, {}) ==
        "dtype: this GPU does not multiply tf32; there are fp32, fp16 and bf16 with fp32 accumulation (simt), fp16 "
        "with fp16 accumulation (simt), int8 with int32 accumulation (simt), fp16 with fp32 accumulation, "
        "fp16 with fp16 accumulation");
  CHECK(refusal("turing", cube, {.variant = GemmVariant::async}) ==
        "schedule: async needs asynchronous copies (cp.async), which GPUs have from Ampere (sm_80) on; there are "
        "tensor, simt, coalesced, naive");
  CHECK(refusal("turing", {.m = 9, .n = 9, .k = 9, .dtype = DType::int8, .accumulate = DType::int32},
                {.variant = GemmVariant::naive})
            .ends_with("there are tensor, simt"));
  const std::string sums = refusal("ada", {.m = 9, .n = 9, .k = 9, .accumulate = DType::fp64}, {});
  CHECK(sums.starts_with("accumulate: gpusim has no product of fp16 with fp64 accumulation on this GPU; "));
  const std::string half = "fp16 with fp32 accumulation";
  CHECK(sums.find(half) == sums.rfind(half));  // told once, in whatever shapes, dense or sparse
  CHECK(sums.find("int4") == std::string::npos);
}

TEST_CASE("types that gpusim has on no GPU are told from those that this GPU lacks") {
  CHECK(refusal("ampere", {.m = 9, .n = 9, .k = 9, .dtype = DType::fp64, .accumulate = DType::fp64}, {})
            .starts_with("dtype: gpusim has no products of fp64, whatever the GPU multiplies; there are "));
  CHECK(refusal("ampere", {.m = 9, .n = 9, .k = 9, .dtype = DType::fp8}, {})
            .starts_with("dtype: this GPU does not multiply fp8; there are "));
}

TEST_CASE("the usual tile is as deep as the instruction") {
  const Profile hopper = load_profile("hopper");
  GemmProblem problem{.m = 256, .n = 256, .k = 256, .dtype = DType::fp8};
  CHECK(choose(hopper, problem, {}).tile == schedules::GemmTile{128, 128, 32});
  problem.sparse = true;
  CHECK(choose(hopper, problem, {}).tile == schedules::GemmTile{128, 128, 64});
}

}  // namespace gpusim::gemm_choose_type_test
