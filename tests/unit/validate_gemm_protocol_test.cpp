#include "validate/gemm_protocol.h"

#include <cstdint>
#include <string>

#include <doctest/doctest.h>

#include "gpusim/estimate/power.h"
#include "gpusim/profile_io.h"
#include "gpusim/validate.h"
#include "support/measured_rows.h"
#include "validate/gemm_choice.h"
#include "validate/gemm_quantise.h"
#include "validate/measured_compare.h"
#include "validate/measured_run.h"

namespace gpusim::validate_gemm_protocol_test {

using namespace gpusim::validate;

TEST_CASE("a board has been busy with the warm-up and half of what is timed") {
  const Repeats repeats{.warm_up = 3, .timed = 6};
  CHECK(busy_us(repeats, 1e9, 100) == doctest::Approx(600));
}

TEST_CASE(
    "a source that repeats until so many multiply-adds are done keeps the board busy longer with small products") {
  const Repeats repeats{.warm_up = 1, .timed = 10, .multiply_adds = 1e11};
  CHECK(busy_us(repeats, 1e9, 100) == doctest::Approx(5100));
  CHECK(busy_us(repeats, 1e12, 100) == doctest::Approx(600));
  const Repeats by_time{.warm_up = 1, .timed = 10, .us = 1e5};
  CHECK(busy_us(by_time, 1e9, 100) == doctest::Approx(100 + 5e4));
  CHECK(busy_us(by_time, 1e9, 5e4) == doctest::Approx(5e4 + 25e4));
}

TEST_CASE("where weights take turns, a repeat is a turn of all their copies") {
  const Gpu gpu(load_profile("h100-sxm"));
  const RowRun run;
  const GemmProtocol& sglang = protocol_of("ai-dynamo/aiconfigurator:x", "cuBLAS(Lt) torch linear [sglang]");
  const auto allowed = [&](double busy) { return estimate::allowed_watts(*gpu.profile().power, busy); };
  CHECK(watts_of(gpu, run, sglang, {.multiply_adds = 1e12, .copies = 6})(1000) == allowed((3 + 3) * 6 * 1000));
  CHECK(watts_of(gpu, run, sglang, {.multiply_adds = 1e12})(1000) == allowed((3 + 3) * 1000));
  // So many multiply-adds are reached after fewer turns.
  const GemmProtocol until{.repeats = {.warm_up = 1, .timed = 10, .multiply_adds = 1e14}};
  CHECK(watts_of(gpu, run, until, {.multiply_adds = 1e12, .copies = 2})(1000) == allowed((1 + 25) * 2 * 1000));
}

TEST_CASE("sources that locked the clock say so") {
  const GemmProtocol& alexarmbr = protocol_of("alexarmbr/matmul-playground:x");
  CHECK(alexarmbr.locked_mhz == 1590);
  CHECK((alexarmbr.between_events && alexarmbr.waited_for && alexarmbr.adds_to_c));
  CHECK_FALSE(protocol_of("nobody/knows").locked_mhz);
}

TEST_CASE("a GPU that did not reach its highest clock is at none beyond that which it reached, unless --set says so") {
  const auto highest_clock = [](const char* gpu, const char* source, const RowRun& run) {
    GemmTable table;
    table.rows.emplace_back();
    table.rows.front().gpu = gpu;
    table.rows.front().source = source;
    std::int64_t highest = 0;
    (void)compare_rows(table, {0}, run, [&highest](std::size_t, const Gpu& there) {
      highest = estimate::highest_clock(there.profile());
      CHECK(there.profile().clock.boost_mhz <= highest);
      CHECK(there.profile().clock.sustained_mhz <= highest);
      CHECK(there.profile().clock.base_mhz <= highest);
      return RowOutcome{};
    });
    return highest;
  };
  const char* const vidur = "microsoft/vidur:data/profiling/compute/h100/x";
  const char* const tilings =
      "AutoTuningAssociation/benchmark_hub:currently_unused/cachefiles/KernelTuner data/gemm/RTX_3090.json.gz";
  CHECK(highest_clock("h100-sxm", vidur, {}) == 1755);
  CHECK(highest_clock("h100-sxm", "ai-dynamo/aiconfigurator:x", {}) == 1980);
  CHECK(highest_clock("h100-sxm", vidur, {.changes = {"clock.boost_mhz=1980"}}) == 1980);
  CHECK(highest_clock("rtx-3090", tilings, {}) == 1695);
  CHECK(highest_clock("rtx-3090", "somebody", {}) == 1900);
}

TEST_CASE("a time in whole microseconds is half of one short in the mean: of a trace each kernel's, else the row's") {
  const LaunchSpec launch = load_profile("a100-sxm-80gb").launch;
  const auto dropped = [&](const GemmProtocol& protocol) {
    GemmProtocol exact = protocol;
    exact.whole_us = false;
    return time_beside(exact, launch, 2) - time_beside(protocol, launch, 2);
  };
  CHECK(dropped(protocol_of("microsoft/vidur:x")) == doctest::Approx(2 * 0.5));
  CHECK(dropped(protocol_of("baidu-research/DeepBench:x")) == doctest::Approx(0.5));
  CHECK(dropped(protocol_of("ai-dynamo/aiconfigurator:x")) == 0);
}

TEST_CASE("DeepBench's products add to C, which is read") {
  const Gpu gpu(load_profile("v100-sxm2"));
  const auto beta = [&](const char* source) {
    const MeasuredGemm row = testing::measured_gemm(256, 256, 256, DType::fp16, source);
    return kernels_of(row, gpu, {}, schedules::GemmLibrary::cublas_10, {}).problem.beta;
  };
  CHECK(beta("baidu-research/DeepBench:x") == 1);
  CHECK(beta("microsoft/vidur:x") == 0);
}

TEST_CASE("vLLM's activations are quantised row by row, TensorRT-LLM's by a factor that it looks for") {
  const std::string_view source = "ai-dynamo/aiconfigurator:x";
  CHECK(protocol_of(source, "fp8 [CutlassFP8ScaledMMLinearKernel]").quantisation == Quantisation::by_row);
  CHECK(protocol_of(source, "fp8_static [torch_flow]").quantisation == Quantisation::by_tensor);
  CHECK(protocol_of(source, "fp8_block [sglang_deepgemm]").quantisation == Quantisation::elements);
}

TEST_CASE("a factor is cleared, found, used and turned") {
  MeasuredGemm row = testing::measured_gemm(64, 64, 256, DType::fp8, "ai-dynamo/aiconfigurator:x");
  const auto kernels = [&](const char* library) {
    return quantisation(row, protocol_of("ai-dynamo/aiconfigurator:x", library));
  };
  const std::vector<Schedule> of_tensor = kernels("fp8_static [torch_flow]");
  REQUIRE(of_tensor.size() == 4);
  CHECK(of_tensor[1].grid_n * of_tensor[1].grid_m == 1024);
  CHECK(warps_per_cta(of_tensor[1]) == 32);
  CHECK(kernels("fp8 [CutlassFP8ScaledMMLinearKernel]").size() == 1);
  CHECK(kernels("cuBLAS(Lt) torch linear").empty());
}

TEST_CASE("what a library times beside the product depends on the library") {
  const std::string_view source = "ai-dynamo/aiconfigurator:x";
  CHECK(protocol_of(source, "fp8_static [torch_flow]").activations == DType::bf16);
  CHECK(protocol_of(source, "fp8_block [sglang_deepgemm]").activations == DType::bf16);
  CHECK_FALSE(protocol_of(source, "cuBLAS(Lt) torch linear").activations);
  CHECK(protocol_of(source, "cuBLAS(Lt) torch linear").beside_ns == 0);
}

TEST_CASE("what DeepGEMM multiplies has scales of blocks, and what others do has none") {
  MeasuredGemm row;
  row.m = row.n = row.k = 256;
  row.input = DType::fp8;
  const Gpu gpu(load_profile("h100-sxm"));
  const auto scaled = [&](schedules::GemmLibrary library) {
    return kernels_of(row, gpu, {}, library, {}).problem.block_scales;
  };
  CHECK(scaled(schedules::GemmLibrary::deep_gemm));
  CHECK_FALSE(scaled(schedules::GemmLibrary::vllm_fp8));
}

TEST_CASE("collectors of one source keep different copies of weights and activations") {
  const auto linear = [](const std::string& rest) {
    return protocol_of("ai-dynamo/aiconfigurator:x", "cuBLAS(Lt) torch linear " + rest);
  };
  const GemmProtocol tensorrt = linear("[torch_flow] (trtllm/1.3.0rc20)");
  CHECK(tensorrt.copies == 5);
  CHECK(tensorrt.only_to_fill_l2);
  CHECK_FALSE(linear("[torch_flow] (trtllm/1.0.0)").only_to_fill_l2);
  const GemmProtocol sglang = linear("[sglang_torch_linear] (sglang/0.5.14)");
  CHECK(sglang.copies == 6);
  CHECK_FALSE(sglang.only_to_fill_l2);
  CHECK(sglang.own_activations);
  CHECK_FALSE(sglang.zero_weights);
  const GemmProtocol vllm = linear("[torch.nn.functional.linear] (vllm/0.24.0)");
  CHECK(vllm.copies == 6);
  CHECK_FALSE(vllm.own_activations);
  CHECK(vllm.zero_weights);
}

TEST_CASE("what was never written held zeros, unless other cases had used the memory") {
  const std::string source = "ai-dynamo/aiconfigurator:aic-core/src/aiconfigurator_core/systems/data/";
  for (const char* const library : {"cuBLAS(Lt) torch linear [torch.nn.functional.linear] (vllm/0.24.0)",
                                    "fp8 [CutlassFP8ScaledMMLinearKernel] (vllm/0.24.0)"}) {
    CHECK(protocol_of(source + "l40s/gemm/vllm/x", library).zero_weights);
    CHECK(protocol_of(source + "a100_sxm/gemm/vllm/x", library).zero_weights);
    CHECK_FALSE(protocol_of(source + "h100_sxm/gemm/vllm/x", library).zero_weights);
  }
}

TEST_CASE("of a batch for attention's heads, rows of A and C lie by turns") {
  MeasuredGemm row = testing::measured_gemm(128, 128, 128, DType::bf16, "ai-dynamo/aiconfigurator:x");
  row.batch = 8;
  const Gpu gpu(load_profile("ampere"));
  for (const auto& [library, interleave] :
       {std::pair{"torch/TRT-LLM bmm (MLA mla_gen_post)", 8}, std::pair{"cuBLAS(Lt) torch linear", 1}}) {
    row.library = library;
    const schedules::GemmProblem problem = kernels_of(row, gpu, {}, schedules::GemmLibrary::cublas_12, {}).problem;
    CHECK(problem.batch == 8);
    CHECK(problem.batch_interleave == interleave);
    CHECK(problem.layout == (interleave == 8 ? schedules::GemmLayout::nt : schedules::GemmLayout::nn));
  }
  row.library = "torch/TRT-LLM bmm (MLA mla_gen_post)";
  row.input = DType::fp8;  // quantised head by head
  CHECK(kernels_of(row, Gpu(load_profile("hopper")), {}, schedules::GemmLibrary::cublas_12, {})
            .problem.batch_interleave == 1);
}

TEST_CASE("on the L40S cuBLAS takes other kernels for few rows") {
  const std::string source = "ai-dynamo/aiconfigurator:aic-core/src/aiconfigurator_core/systems/data/";
  const std::string library = "cuBLAS(Lt) torch linear [torch.nn.functional.linear] (vllm/0.24.0)";
  const GemmProtocol& l40s = protocol_of(source + "l40s/gemm/vllm/x", library);
  CHECK(l40s.kernels == schedules::GemmLibrary::cublas_12_ada);
  CHECK(l40s.copies == 6);
  CHECK(l40s.zero_weights);
  CHECK(
      protocol_of(source + "l40s/gemm/trtllm/x", "cuBLAS(Lt) torch linear [torch_flow] (trtllm/1.3)").only_to_fill_l2);
  CHECK(protocol_of(source + "h100_sxm/gemm/vllm/x", library).kernels == schedules::GemmLibrary::cublas_12);
}

TEST_CASE("C has the type that the row says, or its source, or the usual library") {
  MeasuredGemm row;
  row.input = DType::fp16;
  CHECK(result_of(row) == DType::fp16);
  row.input = DType::fp8;
  CHECK(result_of(row) == DType::bf16);
  row.input = DType::int8;
  row.accumulate = DType::int32;
  CHECK(result_of(row) == DType::int32);
  row.source = "ai-dynamo/aiconfigurator:x";
  row.library = "sq [trt_flow]";
  CHECK(result_of(row) == DType::bf16);
  row.result = DType::int8;
  CHECK(result_of(row) == DType::int8);
}

TEST_CASE("an older library has other kernels") {
  CHECK(protocol_of("microsoft/vidur:x").kernels == schedules::GemmLibrary::cublas_12_1);
  CHECK(protocol_of("baidu-research/DeepBench:x").kernels == schedules::GemmLibrary::cublas_10);
  CHECK(protocol_of("ai-dynamo/aiconfigurator:x").kernels == schedules::GemmLibrary::cublas_12);
}

TEST_CASE("do_bench's events, and PyTorch's calls on the host, take time beside a kernel") {
  const LaunchSpec launch = load_profile("a100-sxm-40gb").launch;
  const auto beside = [&](const char* source, const char* kernel) {
    return time_beside(protocol_of(source, kernel), launch, 1);
  };
  CHECK(beside("triton-lang/triton:x", "elementwise_add") == beside("linkedin/Liger-Kernel:x", "rms_norm"));
  CHECK(beside("triton-lang/triton:x", "elementwise_add") > beside("somebody", "elementwise_add"));
  CHECK(beside("sitar-lab/NeuSight:x", "ln") > beside("sitar-lab/NeuSight:x", "softmax"));
}

TEST_CASE("a launch that is waited for finds the GPU idle") {
  const LaunchSpec launch{.kernel_ns = 2000, .gap_ns = 1200};
  GemmProtocol protocol;
  CHECK(time_beside(protocol, launch, 2) == doctest::Approx(2.4));
  protocol.waited_for = true;
  CHECK(time_beside(protocol, launch, 2) == doctest::Approx(2.0 + 1.2));  // the second finds it busy
  CHECK(protocol_of("tgautam03/xGeMM:x").waited_for);
  CHECK(protocol_of("ai-dynamo/aiconfigurator:x", "sq [trt_flow]").waited_for);
}

TEST_CASE("a row that says how kernels followed each other has nothing of its source's way") {
  for (const char* const library : {"sq [trt_flow]", "cuBLAS(Lt) torch linear"}) {
    MeasuredGemm row = testing::measured_gemm(64, 64, 64, DType::int8, "ai-dynamo/aiconfigurator:x", library);
    row.conditions.gap = Gap::stream;
    const GemmProtocol protocol = protocol_of(row, row.library, row.input);
    const LaunchSpec launch{.kernel_ns = 2000, .gap_ns = 1200, .graph_gap_ns = 800};
    CHECK(time_beside(protocol, launch, 1) == doctest::Approx(1.2));
  }
}

TEST_CASE("SmoothQuant multiplies up to four rows on CUDA cores, fp8 of the L40S up to eight") {
  const std::string source = "ai-dynamo/aiconfigurator:aic-core/src/aiconfigurator_core/systems/data/";
  const auto is_gemv = [&](std::int64_t rows, const std::string& of, const char* library, DType type, const char* gpu) {
    MeasuredGemm row = testing::measured_gemm(rows, 256, 256, type, source + of, library);
    row.layout = "TN";
    if (type == DType::int8) row.accumulate = DType::int32;
    const GemmProtocol& protocol = protocol_of(row.source, row.library);
    return kernels_of(row, Gpu(load_profile(gpu)), {}, protocol.kernels, {}).gemv;
  };
  CHECK(is_gemv(4, "a100_sxm/x", "sq [trt_flow]", DType::int8, "a100-sxm-80gb"));
  CHECK_FALSE(is_gemv(5, "a100_sxm/x", "sq [trt_flow]", DType::int8, "a100-sxm-80gb"));
  CHECK(is_gemv(8, "l40s/x", "fp8_static [torch_flow]", DType::fp8, "l40s"));
  CHECK_FALSE(is_gemv(9, "l40s/x", "fp8_static [torch_flow]", DType::fp8, "l40s"));
  CHECK_FALSE(is_gemv(8, "h100_sxm/x", "fp8_static [torch_flow]", DType::fp8, "h100-sxm"));
}

TEST_CASE("what finds a factor takes longer than a product of one row") {
  const Gpu gpu(load_profile("l40s"));
  const auto us = [&](const char* library, DType type) {
    const std::string source = "ai-dynamo/aiconfigurator:aic-core/src/aiconfigurator_core/systems/data/l40s/x";
    MeasuredGemm row = testing::measured_gemm(1, 64, 64, type, source, library);
    row.layout = "TN";
    const GemmOutcome outcome = simulate(row, gpu, {});
    REQUIRE(outcome.refused.empty());
    return outcome.simulated_us.value();
  };
  // 11.3 us were measured of such a product in fp8, 1.8 in bf16.
  const double quantised = us("fp8_static [torch_flow] (trtllm/1.3.0rc15)", DType::fp8);
  CHECK(quantised > 9);
  CHECK(quantised < 14);
  CHECK(us("cuBLAS(Lt) torch linear [torch_flow] (trtllm/1.3.0rc20)", DType::bf16) < 4);
}

TEST_CASE("a graph begins as a launch of its own, which its calls share") {
  const LaunchSpec launch{.kernel_ns = 2000, .gap_ns = 1200, .graph_gap_ns = 800};
  const auto beside = [&](const char* library, std::int64_t copies) {
    return time_beside(protocol_of("ai-dynamo/aiconfigurator:x", library), launch, 1, copies);
  };
  CHECK(beside("cuBLAS(Lt) torch linear [torch_flow] (trtllm/1.3.0rc20)", 1) == doctest::Approx(2.0));
  CHECK(beside("cuBLAS(Lt) torch linear [torch_flow] (trtllm/1.3.0rc20)", 4) == doctest::Approx(0.8 + 1.2 / 4));
  CHECK(beside("torch/TRT-LLM bmm (MLA mla_gen_post)", 0) == doctest::Approx(2.0));
  CHECK(beside("quantize_bf16_to_fp8_static", 0) == doctest::Approx(0.8 + 1.2 / 5));
  CHECK(time_beside(protocol_of("gpusim:tests/validation/measure"), launch, 1) == doctest::Approx(0.8));
}

}  // namespace gpusim::validate_gemm_protocol_test
