// What DRAM has to move for each kernel of a run.
#include "machine/compulsory.h"

#include <doctest/doctest.h>

#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"
#include "gpusim/schedules/gemm.h"

namespace gpusim::machine_compulsory_test {

using schedules::GemmProblem;
using schedules::GemmTiling;

namespace {

constexpr std::int64_t m = 128, n = 256, k = 1024;
constexpr std::int64_t a_bytes = m * k * 2, b_bytes = n * k * 2, c_bytes = m * n * 2;

/// Of each kernel of a product in as many slices of k.
std::vector<Bytes> of_product(int slices, const RunOptions& options) {
  const GemmProblem problem{.m = m, .n = n, .k = k, .dtype = DType::fp16};
  const GemmTiling tiling{
      .tile = {128, 128, 32}, .variant = schedules::GemmVariant::async, .stages = 3, .split_k = slices};
  std::vector<Bytes> bytes;
  for (const KernelResult& kernel : Gpu{load_profile("ampere")}.run(gemm_kernels(problem, tiling), options).kernels)
    bytes.push_back(kernel.compulsory_bytes);
  return bytes;
}

}  // namespace

TEST_CASE("a product moves its matrices once") {
  const auto bytes = of_product(1, {});
  REQUIRE(bytes.size() == 1);
  CHECK(bytes[0] == Bytes(a_bytes + b_bytes + c_bytes));
}

TEST_CASE("what one kernel leaves for the next need not leave L2") {
  const auto bytes = of_product(4, {});
  REQUIRE(bytes.size() == 2);
  CHECK(bytes[0] == Bytes(a_bytes + b_bytes));
  CHECK(bytes[1] == Bytes(c_bytes));
}

TEST_CASE("nor sums of tiles that stream-K has cut, whether added by atomics or by bulk stores") {
  for (const auto epilogue : {schedules::Epilogue::direct, schedules::Epilogue::tma}) {
    const GemmProblem problem{.m = m, .n = 2 * n, .k = k, .dtype = DType::bf16, .layout = schedules::GemmLayout::nt};
    const GemmTiling tiling{.tile = {128, 128, 64},
                            .variant = schedules::GemmVariant::wgmma,
                            .stages = 3,
                            .specialize = true,
                            .ctas = 3,
                            .stream_k = true,
                            .epilogue = epilogue};
    const auto kernels = Gpu{load_profile("hopper")}.run(gemm_kernels(problem, tiling)).kernels;
    REQUIRE(kernels.size() == 2);
    Bytes sum;
    for (const KernelResult& kernel : kernels) sum += kernel.compulsory_bytes;
    CHECK(sum == Bytes(a_bytes + 2 * b_bytes + 2 * c_bytes));
  }
}

TEST_CASE("what L2 has before need not come again") {
  const auto bytes = of_product(1, {.l2_by_buffer = {{"B", L2State::warm}}});
  CHECK(bytes[0] == Bytes(a_bytes + c_bytes));
  CHECK(of_product(1, {.l2 = L2State::warm})[0] == Bytes());
}

TEST_CASE("of what L2 cannot hold before all is taken to come again") {
  Profile profile = load_profile("ampere");
  set(profile, "l2.capacity=512KiB");
  const Schedule schedule = schedules::gemm({.m = m, .n = n, .k = k, .dtype = DType::fp16}, GemmTiling());
  const Result result = Gpu(profile).run(schedule, {.l2 = L2State::warm});
  CHECK(result.kernels[0].compulsory_bytes == Bytes(a_bytes + b_bytes + c_bytes));
}

TEST_CASE("without L2 each kernel moves all it uses") {
  Profile profile = load_profile("ampere");
  profile.l2.reset();
  const auto kernels = schedules::gemm_kernels(
      {.m = m, .n = n, .k = k, .dtype = DType::fp16},
      {.tile = {128, 128, 32}, .variant = schedules::GemmVariant::async, .stages = 3, .split_k = 2});
  for (const KernelResult& kernel : Gpu(profile).run(kernels).kernels)
    CHECK(kernel.compulsory_bytes == kernel.buffer_bytes);
}

}  // namespace gpusim::machine_compulsory_test
