// Tables of measured ladders.
#include <doctest/doctest.h>

#include "gpusim/profile_io.h"
#include "gpusim/validate.h"
#include "gpusim/validate_ladders.h"
#include "validate/step_ladder.h"

namespace gpusim::validate_step_table_test {

using namespace gpusim::validate;

namespace {

const std::string header = "gpu,m,n,k,dtype,step,kernel_name,tile_params,gflops,source\n";

StepTable table_of(const std::string& rows) { return read_ladders(header + rows, "t.csv"); }

}  // namespace

TEST_CASE("a step's time follows from its rate") {
  const StepTable table = table_of("T4,1000,1000,1000,fp16,1,mine,,2000,me:notes\n");
  REQUIRE(table.rows.size() == 1);
  CHECK(table.rows.front().time_us == doctest::Approx(1000));
  CHECK(table.rows.front().kernel == "me");
}

TEST_CASE("sums may be in fp16") {
  const StepTable table = table_of("T4,8,8,8,fp16(acc16),1,a,,1,\nT4,8,8,8,fp16a16,2,a,,1,\nT4,8,8,8,fp16,3,a,,1,\n");
  REQUIRE(table.rows.size() == 3);
  CHECK(table.rows[0].accumulate == DType::fp16);
  CHECK(table.rows[1].dtype == "fp16a16");
  CHECK(table.rows[2].accumulate == DType::fp32);
}

TEST_CASE("a step of a published ladder is found by its figure, or by its name") {
  const StepTable table = table_of(
      "A6000,4096,4096,4096,fp32,3,SMEM caching,,2980.3,siboehm/SGEMM_CUDA:README.md\n"
      "A6000,768,768,768,fp32,3,SMEM caching,,100,siboehm/SGEMM_CUDA:README.md\n"
      "A6000,768,768,768,fp32,3,SMEM caching,,100,someone/else:README.md\n");
  const std::vector<Ladder> known = ladders();
  REQUIRE(table.rows.size() == 3);
  for (const std::size_t i : {0, 1}) {
    const StepOfLadder found = find_step(table.rows[i], "rtx-a6000", known);
    REQUIRE(found.step != nullptr);
    CHECK(found.step->name == "3");
    CHECK(table.rows[i].kernel == "siboehm-a6000");
  }
  CHECK(find_step(table.rows[2], "", known).step == nullptr);
}

TEST_CASE("a product's row has the preset of the step whose kernel it names, at any size, on its GPU alone") {
  const auto found = [known = ladders()](const std::string& line, const std::string& gpu) -> std::string {
    const GemmTable table =
        read_gemms("gpu,m,n,k,dtype_in,dtype_acc,time_us,library_or_kernel,source\n" + line, "t.csv");
    REQUIRE(table.rows.size() == 1);
    const StepOfLadder step = find_preset(table.rows.front(), load_profile(gpu), known);
    return step.step == nullptr ? "" : step.ladder->name + " " + step.step->name;
  };
  const std::string t4 = "T4,2048,2048,2048,fp16,fp16,500,alexarmbr kernel_5,alexarmbr/matmul-playground:x.png\n";
  CHECK(found(t4, "t4") == "alexarmbr-t4 kernel_5");
  CHECK(found(t4, "v100-sxm2") == "");
  const std::string hgemm = ",Bruce-Lee-LY/cuda_hgemm:performance/RTX3090/throughput.png\n";
  CHECK(found("RTX 3090,512,512,512,fp16,fp16,9,cuda_hgemm Mma-Async" + hgemm, "rtx3090") ==
        "cuda-hgemm-3090 Mma-Async");
  CHECK(found("RTX 3090,512,512,512,fp16,fp16,9,cuda_hgemm Wmma-Async" + hgemm, "rtx3090") ==
        "cuda-hgemm-3090 Wmma-Async");
  CHECK(found("RTX 3090,512,512,512,fp16,fp16,9,cuBLAS 11.3" + hgemm, "rtx3090") == "");
  CHECK(found("RTX 3090,512,512,512,fp16,fp16,9,my Mma-Async,someone/else:a.csv\n", "rtx3090") == "");
  CHECK(found("H100-SXM5-80GB,4096,4096,4096,bf16,fp32,208.241,\"fast.cu k6.1 persistent, 16x8 tile groups\","
              "cudaforfun.substack.com outperforming-cublas-on-h100; pranjalssh/fast.cu\n",
              "h100-sxm") == "fast-cu-h100 6.1");
  // Ladders of one source are told apart by the GPU.
  const std::string emmy = ",256,256,256,fp16,fp32,9,emmy_sq1024,cloudrift-ai/emmy:a.yaml\n";
  CHECK(found("RTX 4090" + emmy, "rtx4090") == "emmy-4090 sq1024-fp16");
  CHECK(found("V100" + emmy, "v100-sxm2") == "emmy-v100 sq1024-fp16");
  CHECK(found("H100-SXM5-80GB" + emmy, "h100-sxm") == "emmy-h100 sq1024-fp16");
  // Of kernels of one name the one that was measured nearest to that size.
  const std::string wmma = ",fp16,fp32,1,wmma,waynehacking8/blackwell-tensorcore-kernels:results/bench.csv\n";
  CHECK(found("H100-SXM5-80GB,1024,1024,1024" + wmma, "h100-sxm") == "waynehacking8-h100 3");
  CHECK(found("H100-SXM5-80GB,8192,8192,8192" + wmma, "h100-sxm") == "waynehacking8-h100 3 large");
  CHECK(found("H100-SXM5-80GB,768,768,768" + wmma, "h100-sxm") == "waynehacking8-h100 3");
  CHECK(found("H100-SXM5-80GB,3072,3072,3072" + wmma, "h100-sxm") == "waynehacking8-h100 3 large");
  // Named by nothing but its time.
  CHECK(found("RTX 4090,4096,4096,4096,fp16,fp16,603.1,Emmy codegen,cloudrift-ai/emmy:goldens/rtx4090.yaml\n",
              "rtx4090") == "emmy-4090 sq4096-fp16a16");
}

TEST_CASE("a row of another layout or type of C than the step's has no preset") {
  const auto is_found = [known = ladders()](const std::string& columns, const std::string& values) {
    const GemmTable table = read_gemms("gpu,m,n,k,dtype_in,dtype_acc,time_us,library_or_kernel,source" + columns +
                                           "\nT4,512,512,512,fp16,fp16,60,alexarmbr kernel_6,"
                                           "alexarmbr/matmul-playground:x" +
                                           values + "\n",
                                       "t.csv");
    REQUIRE(table.rows.size() == 1);
    return find_preset(table.rows.front(), load_profile("t4"), known).step != nullptr;
  };
  CHECK(is_found("", ""));
  CHECK(is_found(",layout", ",NN row-major"));
  CHECK_FALSE(is_found(",layout", ",NT"));
  CHECK_FALSE(is_found(",dtype_out", ",fp32"));
}

TEST_CASE("tiles are read as people write them") {
  CHECK(tile_note("BM128 BN64 BK8 TM8 TN8") == "cta_tile=128x64x8");
  CHECK(tile_note("128x128x8, 8x8") == "cta_tile=128x128x8");
  CHECK(tile_note("CTA 256x128x64, 4x2 warps (64x64)") == "cta_tile=256x128x64");
  CHECK(tile_note("256x128 CTA, 64x64 warp tile") == "cta_tile=256x128");
  CHECK(tile_note("WORK=w1x4 m8n8k4 f4x2/k8") == "");
}

TEST_CASE("libraries are known by name") {
  MeasuredStep row;
  row.kernel_name = "Cublas-Tensor-Op";
  CHECK(is_of_library(row));
  row.kernel_name = "mine";
  CHECK_FALSE(is_of_library(row));
}

TEST_CASE("a row that cannot be read says what is wrong") {
  const StepTable table = table_of("T4,8,8,8,fp16,1,a,,0,\nT4,8,8,x,fp16,1,a,,1,\nT4,8,8,8,fp16,1,a,,1e300,\n");
  REQUIRE(table.problems.size() == 3);
  CHECK(table.problems[0].what == "gflops: '0' is not above 0");
  CHECK(table.problems[1].what == "k: 'x' is not a whole number");
  CHECK(table.problems[2].what == "gflops: '1e300' means no time that a clock tells");
}

}  // namespace gpusim::validate_step_table_test
