// A few rows times a matrix on CUDA cores: what it computes, what it executes, how it is refused.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "gpusim/functional_kernels.h"
#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"
#include "gpusim/schedules/gemm.h"
#include "gpusim/schedules/gemv.h"
#include "support/kernel_refusal.h"

namespace gpusim::kernel_gemv_test {

using schedules::gemv;
using schedules::GemvProblem;
using schedules::GemvTiling;

namespace {

/// Of the grid's bytes that loads ask for.
std::int64_t asked_bytes(const Schedule& schedule) {
  return Gpu(load_profile("ada")).run(schedule).kernels.front().traffic.global_load_bytes;
}

double cycles(const Schedule& schedule) {
  return static_cast<double>(Gpu(load_profile("l40s")).run(schedule).kernels.front().cycles.count());
}

std::vector<std::string> refused(const GemvProblem& problem, const GemvTiling& tiling = {}) {
  return testing::refused([&] { return gemv(problem, tiling); });
}
using Places = std::vector<std::string>;

}  // namespace

TEST_CASE("it computes the product, whatever is left over, in every type") {
  for (const DType dtype : {DType::fp32, DType::tf32, DType::fp16, DType::bf16, DType::fp8, DType::int8})
    for (const GemvProblem& sizes : {GemvProblem{1, 64, 4096}, {3, 7, 48}, {8, 6, 5136}, {16, 10, 2000}, {5, 1, 16}}) {
      GemvProblem problem = sizes;
      problem.dtype = dtype;
      CAPTURE(name(dtype));
      CAPTURE(problem.m);
      CHECK(functional::check_gemv(gemv(problem), problem).wrong == 0);
    }
}

TEST_CASE("so it does however it is shared out") {
  const GemvProblem problem{.m = 3, .n = 21, .k = 1500, .dtype = DType::fp16, .result = DType::fp32};
  for (const GemvTiling& tiling : {GemvTiling{1}, {4}, {8, 64}, {2, 32, 4}, {2, 1024}, {8, 96, 2}})
    CHECK(functional::check_gemv(gemv(problem, tiling), problem).wrong == 0);
}

TEST_CASE("warp instructions are as many as a count by hand says") {
  // Two columns of three rows in fp16: 8 elements a load, so that four warps have 1024 of k at a time.
  const std::int64_t m = 3, columns = 2, elements = 8, sums = m * columns, warps = 4;
  const std::int64_t trip = 6 + (columns + m) + (columns + m) * elements + sums * elements;
  const std::int64_t before = 20 + sums, meet = 5 * 2 * sums + sums + 1;
  const std::int64_t leave = 10 + warps + (warps - 1) + 1 + 1;  // of the first warp: LDS and FADD, conversion, store
  const std::int64_t a_cta = warps * (before + 2 * trip + meet) + leave;
  CHECK(warp_instructions(gemv({.m = m, .n = 10, .k = 2048})) == a_cta);
  // What is left, 264 elements, takes a second warp, and none else.
  CHECK(warp_instructions(gemv({.m = m, .n = 10, .k = 2048 + 264})) == a_cta + 2 * trip);
}

TEST_CASE("it asks for each matrix once a CTA") {
  const std::int64_t m = 2, n = 64, k = 4096;
  CHECK(asked_bytes(gemv({.m = m, .n = n, .k = k, .dtype = DType::fp8})) == n * k + n / 2 * m * k);
  CHECK(asked_bytes(gemv({.m = m, .n = n, .k = k, .dtype = DType::fp8}, {.columns = 4})) == n * k + n / 4 * m * k);
}

TEST_CASE("of one row it is faster than the tiles of tensor cores, of sixteen it is not") {
  const auto ratio = [](std::int64_t m) {
    const Schedule tile = schedules::gemm({.m = m, .n = 8192, .k = 512, .layout = schedules::GemmLayout::nt},
                                          {.tile = {64, 64, 64}, .stages = 4});
    return cycles(gemv({.m = m, .n = 8192, .k = 512})) / cycles(tile);
  };
  CHECK(ratio(1) < 1);
  CHECK(ratio(16) > 1);
}

TEST_CASE("what makes no sense is refused by name, with what would do") {
  CHECK(refused({.m = 17, .n = 8, .k = 64}) == Places{"m"});
  CHECK(refused({.m = 1, .n = 0, .k = 64}) == Places{"n"});
  CHECK(refused({.m = 1, .n = 8, .k = 0}) == Places{"k"});
  constexpr std::int64_t beyond = std::int64_t{1} << 31;
  CHECK(refused({.n = beyond, .k = beyond}) == Places{"n", "k"});
  CHECK(refused({.n = beyond - 1, .k = 16}).empty());
  CHECK(refused({.n = 8, .k = 64, .dtype = DType::int32}) == Places{"dtype", "result"});
  CHECK(refused({.n = 8, .k = 64}, {.columns = 3}) == Places{"columns"});
  CHECK(refused({.m = 16, .n = 8, .k = 64}, {.columns = 4}) == Places{"columns"});
  CHECK(refused({.n = 8, .k = 64}, {.threads = 48}) == Places{"threads"});
  CHECK(refused({.n = 8, .k = 66}, {.vector = 4}) == Places{"vector"});
  CHECK(refused({.n = 8, .k = 64}, {.registers = 256}) == Places{"registers"});
  CHECK(refused({.n = 8, .k = 66}).empty());  // two elements at a time
}

TEST_CASE("every choice changes the digest") {
  const GemvProblem problem{.m = 2, .n = 64, .k = 4096};
  const std::uint64_t usual = digest(gemv(problem));
  for (const GemvTiling& tiling : {GemvTiling{.columns = 4}, {.threads = 64}, {.vector = 4}, {.registers = 128}})
    CHECK(digest(gemv(problem, tiling)) != usual);
  CHECK(digest(gemv({.m = 2, .n = 64, .k = 4096, .result = DType::fp32})) != usual);
}

}  // namespace gpusim::kernel_gemv_test
