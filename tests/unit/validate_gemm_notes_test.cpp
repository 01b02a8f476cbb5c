#include "validate/gemm_notes.h"

#include <doctest/doctest.h>

namespace gpusim::validate_gemm_notes_test {

using namespace gpusim::validate;
using gpusim::schedules::GemmLayout;
using gpusim::schedules::GemmShape;

namespace {

NotedKernel noted(std::string_view notes) {
  CAPTURE(notes);
  const auto kernel = noted_kernel(notes, 2048, 3840);
  REQUIRE(kernel);
  return *kernel;
}

void check_tile(std::string_view notes, int m, int n, std::optional<int> k = std::nullopt) {
  const NotedKernel kernel = noted(notes);
  CHECK(kernel.m == m);
  CHECK(kernel.n == n);
  CHECK(kernel.k == k);
}

void check_layout(std::string_view text, GemmLayout layout, bool turned = false) {
  CAPTURE(text);
  const auto found = noted_layout(text);
  REQUIRE(found);
  CHECK(found->layout == layout);
  CHECK(found->turned == turned);
}

}  // namespace

TEST_CASE("a tile is noted with or without its k step") {
  check_tile("cta_tile=128x64", 128, 64);
  check_tile("kernel=x cta_tile=128x64x8 stages=3", 128, 64, 8);
  check_tile("256x128x32 CTA, 64x64 warp; 3-stage", 256, 128, 32);
  check_tile("cta_tile=128x256 kblk=8 stages=4", 128, 256, 8);
}

TEST_CASE("a library's first side goes with n, unless its grid fits the other way only") {
  check_tile("grid=30x32x2 cta_tile=128x64", 64, 128);
  check_tile("grid=16x60x1 cta_tile=128x64", 128, 64);
  check_tile("grid=32x60x8 cta_tile=128x64 swizzled", 64, 128);
}

TEST_CASE("notes without a tile give none") {
  for (const char* notes :
       {"", "WORK=w4x2 m16n8k16", "cta_tile=128", "cta_tile=0x64", "cta_tile=9999999x64", "my_cta_tile=128x64", " CTA"})
    CHECK_FALSE(noted_kernel(notes, 1, 1));
}

TEST_CASE("slices of k are those noted; a grid without them has one") {
  CHECK(noted("cta_tile=128x64 splitK=9").split == 9);
  CHECK(noted("grid=30x32x1 cta_tile=128x64").split == 1);
  CHECK_FALSE(noted("cta_tile=128x64").split);
}

TEST_CASE("a kernel's name tells the slices that share its threads") {
  const NotedKernel whole = noted("kernel=a_128x64_tn grid=30x32x2 block=128 cta_tile=128x64");
  CHECK(whole.threads == 128);
  CHECK_FALSE(whole.slices);
  const NotedKernel sliced = noted("kernel=volta_sgemm_64x32_sliced1x4_tn block=256 cta_tile=64x32");
  CHECK(sliced.threads == 256);
  CHECK(sliced.slices == 4);
  CHECK_FALSE(noted("kernel=volta_sgemm_64x32_sliced1x0_tn block=256 cta_tile=64x32").slices);
}

TEST_CASE("stages are noted by word or in the kernel's name") {
  CHECK(noted("cta_tile=128x64 stages=4").stages == 4);
  CHECK(noted("256x128x32 CTA, 64x64 warp; 3-stage").stages == 3);
  CHECK(noted("kernel=s_tilesize64x64x8_stage3_warpsize1x4x1 cta_tile=64x64x8").stages == 3);
  const NotedKernel simt =
      noted("kernel=void cutlass::Kernel<cutlass_80_simt_sgemm_128x256_8x4_tn_align1> cta_tile=128x256");
  CHECK(simt.k == 8);
  CHECK(simt.stages == 4);
  CHECK_FALSE(noted("cta_tile=128x64").stages);
}

TEST_CASE("a tuner's notes give threads, their parts, vectors and what is staged") {
  const NotedKernel kernel = noted(
      "cta_tile=128x64x32 threads=32x8 thread_tile=4x8 KWI=2 vecM=4 vecN=2 smemA=0 smemB=1 load_threads MDIMA=8 "
      "NDIMB=16");
  CHECK(kernel.thread_grid == GemmShape{32, 8});
  CHECK(kernel.thread_tile == GemmShape{4, 8});
  CHECK(kernel.vectors == GemmShape{4, 2});
  CHECK(kernel.stage_a == false);
  CHECK(kernel.stage_b == true);
  CHECK(kernel.unroll == 2);
  CHECK(kernel.copy_lanes_a == 8);
  CHECK(kernel.copy_lanes_b == 16);
  const NotedKernel in_rows = turned(kernel);
  CHECK(in_rows.m == 64);
  CHECK(in_rows.n == 128);
  CHECK(in_rows.thread_grid == GemmShape{8, 32});
  CHECK(in_rows.thread_tile == GemmShape{8, 4});
  CHECK(in_rows.vectors == GemmShape{2, 4});
  CHECK(in_rows.stage_a == true);
  CHECK(in_rows.copy_lanes_a == 16);
  CHECK(noted("256x128x32 CTA, 64x64 warp; 3-stage").warp_tile == GemmShape{64, 64});
}

TEST_CASE("a block may have several sides, and a word end a sentence") {
  CHECK(noted("cta_tile=64x64 block=256").threads == 256);
  CHECK(noted("block=16x16, cta_tile=64x64.").threads == 256);
  CHECK(noted("cta_tile=64x64 block=8x4x2. stages=2.").threads == 64);
  CHECK(noted("cta_tile=64x64 block=8x4x2. stages=2.").stages == 2);
}

TEST_CASE("layouts are those of a row-major C; a column-major one changes m and n") {
  check_layout("", GemmLayout::nn);
  for (const GemmLayout own : {GemmLayout::nn, GemmLayout::nt, GemmLayout::tn, GemmLayout::tt})
    check_layout(name(own), own);
  check_layout("NN row-major", GemmLayout::nn);
  check_layout("TN (x[m,k], W[n,k])", GemmLayout::nt);
  check_layout("row x col", GemmLayout::nt);
  check_layout("A col(MxK,m fastest) B (KxN,n fastest)", GemmLayout::tn, true);
  check_layout("op(A)=N op(B)=N col-major", GemmLayout::nn, true);
  check_layout("op(A)=T op(B)=N col-major", GemmLayout::nt, true);
  check_layout("op(A)=N op(B)=T col-major", GemmLayout::tn, true);
  check_layout("op(A)=T op(B)=T col-major", GemmLayout::tt, true);
}

TEST_CASE("a layout that is none of the forms is unknown, and told with the nearest") {
  for (const char* text : {"Nn", "TT", "NT (col-major)", "TN (a) col-major", "NN (unclosed", "NNN", "NN col-major",
                           "op(A)=N op(B)=N", "op(A)=C op(B)=N col-major", " NN", "?"})
    CHECK_FALSE(noted_layout(text));
  const auto problem = unreadable("op(A)=n op(B)=T col-major", "");
  REQUIRE(problem);
  CHECK(problem->where == "layout");
  CHECK(problem->what.starts_with(
      "unknown layout 'op(A)=n op(B)=T col-major'; did you mean 'op(A)=N op(B)=T col-major'? (there are nn, "));
}

TEST_CASE("a known key has to have a value that can be read; other text may be anything") {
  for (const char* notes :
       {"cta_tile=128", "cta_tile=0x64", "cta_tile=9999999x64", "cta_tile=1x2x3x4", "cta_tile=128x64x",
        "cta_tile=128*64", "free text, splitK=two", "splitK=", "stages=-1", "block=99999999999999999999", "threads=256",
        "smemA=2", "smemB=yes", "grid=5", "grid=1x2x3x4", "block=64x64"}) {
    CAPTURE(notes);
    const auto problem = unreadable("NN", notes);
    REQUIRE(problem);
    CHECK(problem->where == "schedule_notes");
  }
  CHECK(unreadable("NN", "see runner.cu; vecM=x")->what == "'vecM=x' is not vecM=N with numbers from 1 to 1024");
  for (const char* notes :
       {"", "; ", "WORK=w1x2 m16n8k16(f16acc) f2x2/k4 STAGE=d2 cp.async p2",
        "store ordering, st.wt bypass, scale-D=0 first k",
        "kernel=x grid=3x1x4096 block=256 cta_tile=32x128, splitK=9; smemA=0", "64x64-ish CTA tile", "my_cta_tile=?"})
    CHECK_FALSE(unreadable("", notes));
}

}  // namespace gpusim::validate_gemm_notes_test
