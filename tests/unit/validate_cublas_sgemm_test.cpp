// cuBLAS's own SGEMM kernels: which names they have, and that their schedules take what the library's binaries say.
#include "validate/cublas_sgemm.h"

#include <doctest/doctest.h>

#include <string>

#include "gpusim/schedule.h"
#include "gpusim/schedules/gemm.h"

using namespace gpusim;
using namespace gpusim::validate;
using schedules::GemmLayout;

namespace {

/// Bytes of shared memory that a CTA of the kernel asks for. Its rows are our columns.
std::int64_t shared_of(const std::string& name, GemmLayout layout) {
  const auto kernel = cublas_sgemm("kernel=ampere_sgemm_" + name + " grid=1x1x1");
  REQUIRE(kernel);
  schedules::GemmRequest request;
  fix_sgemm(*kernel, layout, request);
  schedules::GemmTiling tiling;
  tiling.variant = schedules::GemmVariant::simt;
  tiling.tile = {kernel->n, kernel->m, k_tile(*kernel)};
  tiling.fragment_k = 1;
  tiling.double_buffer = true;
  tiling.cta_slices = *request.cta_slices;
  tiling.registers = *request.registers;
  tiling.stages = *request.stages;
  tiling.prefetch = *request.prefetch;
  CHECK(request.interleave == false);
  tiling.vector_a = *request.vector_a;
  tiling.vector_b = *request.vector_b;
  tiling.reuse_operands = *request.reuse_operands;
  tiling.reserved = request.reserved.value_or(0);
  tiling.transpose_a = layout == GemmLayout::nn || layout == GemmLayout::nt;
  tiling.transpose_b = layout == GemmLayout::nt || layout == GemmLayout::tt;
  const schedules::GemmProblem problem{.m = 256, .n = 256, .k = 64, .dtype = DType::fp32, .layout = layout};
  return shared_bytes(schedules::gemm(problem, tiling)).count();
}

}  // namespace

TEST_CASE("a kernel of cuBLAS's own is known by its name, whatever the generation") {
  for (const char* const generation : {"maxwell", "volta", "turing", "ampere"}) {
    const auto kernel =
        cublas_sgemm(std::string("kernel=") + generation + "_sgemm_64x32_sliced1x4_tn grid=24x16x1 block=256");
    REQUIRE(kernel);
    CHECK(kernel->registers == 82);
    CHECK(k_tile(*kernel) == 32);
  }
  CHECK(cublas_sgemm("kernel=volta_sgemm_128x32_nn grid=3x3x20")->registers == 57);
  CHECK(cublas_sgemm("kernel=volta_sgemm_128x32_sliced1x4_nn grid=3x3x20")->registers == 134);
}

TEST_CASE("kernels that are CUTLASS's, of other tiles or none are not") {
  for (const char* const notes :
       {"", "kernel=sgemm_128x128x8_NT_vec grid=1x1x1", "kernel=ampere_sgemm_96x64_tn grid=1x1x1",
        "kernel=void cutlass::Kernel<cutlass_80_simt_sgemm_128x256_8x4_tn_align1> grid=1x1x1",
        "kernel=sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x128x8_stage3_warpsize2x2x1_ffma grid=1x1x1"})
    CHECK_FALSE(cublas_sgemm(notes));
}

// cuobjdump -res-usage of libcublasLt 12.1. The library's layouts are those of columns: its tn is our nt, its nt our
// tn.
TEST_CASE("their schedules ask for the shared memory that the library's binaries state") {
  CHECK(shared_of("128x128_nt", GemmLayout::tn) == 16384);
  CHECK(shared_of("128x128_nn", GemmLayout::nn) == 16640);
  CHECK(shared_of("128x128_tn", GemmLayout::nt) == 16896);
  CHECK(shared_of("128x64_nt", GemmLayout::tn) == 12288);
  CHECK(shared_of("128x64_nn", GemmLayout::nn) == 12544);
  CHECK(shared_of("128x64_tn", GemmLayout::nt) == 12800);
  CHECK(shared_of("64x64_nn", GemmLayout::nn) == 8448);
  CHECK(shared_of("64x64_tn", GemmLayout::nt) == 8704);
  CHECK(shared_of("128x32_nn", GemmLayout::nn) == 16384);
  CHECK(shared_of("32x128_tn", GemmLayout::nt) == 16384);
  CHECK(shared_of("128x32_sliced1x4_nt", GemmLayout::tn) == 40960);
  CHECK(shared_of("128x32_sliced1x4_tn", GemmLayout::nt) == 43008);
  CHECK(shared_of("64x32_sliced1x4_nn", GemmLayout::nn) == 25600);
  CHECK(shared_of("64x32_sliced1x4_tn", GemmLayout::nt) == 26624);
  CHECK(shared_of("32x32_sliced1x4_nt", GemmLayout::tn) == 16384);
  CHECK(shared_of("32x32_sliced1x4_tn", GemmLayout::nt) == 32768);
}
