#include "validate/gemm_protocol.h"

#include <algorithm>
#include <array>

namespace gpusim::validate {
namespace {

constexpr L2State warm = L2State::warm;
constexpr L2State cold = L2State::cold;

/// Graph replay over several copies of the weights, so that they come from memory; clocks set to the maximum. Its
/// collectors (collector/{trtllm,vllm,sglang}/collect_gemm.py, Apache-2.0) differ in how many. Here TensorRT-LLM's.
constexpr GemmProtocol aiconfigurator{.source = "ai-dynamo/aiconfigurator",
                                      .gap = Gap::graph,
                                      .a = warm,
                                      .b = cold,
                                      .copies = 5,
                                      .only_to_fill_l2 = true,
                                      .repeats = {.warm_up = 3, .timed = 6},
                                      .kernels = schedules::GemmLibrary::cublas_12};

constexpr GemmProtocol always_copied(GemmProtocol protocol, int copies) {
  protocol.copies = copies;
  protocol.only_to_fill_l2 = false;
  return protocol;
}

constexpr GemmProtocol with_zero_weights(GemmProtocol protocol) {
  protocol.zero_weights = true;
  return protocol;
}

constexpr GemmProtocol with_own_activations(GemmProtocol protocol) {
  protocol.own_activations = true;
  return protocol;
}

constexpr GemmProtocol with_library(GemmProtocol protocol, std::string_view library, std::int64_t beside_ns) {
  protocol.library = library;
  protocol.beside_ns = beside_ns;
  return protocol;
}

constexpr GemmProtocol with_activations(GemmProtocol protocol, DType type) {
  protocol.activations = type;
  return protocol;
}

constexpr GemmProtocol with_result(GemmProtocol protocol, DType type) {
  protocol.result = type;
  return protocol;
}

constexpr GemmProtocol with_kernels(GemmProtocol protocol, schedules::GemmLibrary kernels) {
  protocol.kernels = kernels;
  return protocol;
}

/// Of attention's heads (collector/trtllm/collect_mla_bmm.py): tokens have theirs side by side, weights lie head by
/// head with k along their rows.
constexpr GemmProtocol of_heads(GemmProtocol protocol) {
  protocol.interleaved = true;
  protocol.layout = schedules::GemmLayout::nt;
  return protocol;
}

constexpr GemmProtocol row_by_row(GemmProtocol protocol) {
  protocol.row_by_row = true;
  protocol.factor_in_memory = true;  // scaled_fp8_quant_kernel_strided
  return protocol;
}

/// Of the H100's rows alone.
constexpr GemmProtocol on_h100(GemmProtocol protocol) {
  protocol.source = "ai-dynamo/aiconfigurator:aic-core/src/aiconfigurator_core/systems/data/h100";
  return protocol;
}

/// Of the L40S's rows alone: what cuBLAS chooses there.
constexpr GemmProtocol on_l40s(GemmProtocol protocol) {
  protocol.source = "ai-dynamo/aiconfigurator:aic-core/src/aiconfigurator_core/systems/data/l40s/";
  protocol.kernels = schedules::GemmLibrary::cublas_12_ada;
  return protocol;
}

/// Of up to eight rows, on GPUs of compute capability 8.9 (TensorRT-LLM's _torch/modules/linear.py, enable_cuda_core).
constexpr GemmProtocol with_gemv(GemmProtocol protocol, std::int64_t beside_ns) {
  protocol.source = "ai-dynamo/aiconfigurator:aic-core/src/aiconfigurator_core/systems/data/l40s/";
  protocol.gemv_rows = 8;
  protocol.gemv_beside_ns = beside_ns;
  return protocol;
}

constexpr GemmProtocol with_arrays_again(GemmProtocol protocol) {
  protocol.b = warm;
  protocol.copies = 0;
  protocol.only_to_fill_l2 = false;
  return protocol;
}

/// Kernel times of a trace, which libkineto (ITraceActivity.h, nsToUs) wrote in whole microseconds until 2024. The
/// layer repeats, but its bandwidths are those of weights from memory.
constexpr GemmProtocol vidur{.source = "microsoft/vidur",
                             .gap = Gap::trace,
                             .whole_us = true,
                             .a = warm,
                             .b = cold,
                             .repeats = {.timed = 20},
                             .kernels = schedules::GemmLibrary::cublas_12_1};

/// Fitted: its H100 rows of less than 62 us, be they bound by latency, shared memory, L2 or DRAM, ran as at 1755 MHz,
/// where aiconfigurator's ran as at the highest clock, to which it sets its GPUs.
constexpr GemmProtocol vidur_h100() {
  GemmProtocol protocol = vidur;
  protocol.source = "microsoft/vidur:data/profiling/compute/h100/";
  protocol.highest_mhz = 1755;
  return protocol;
}

/// Of A100 machines its documentation names Azure's NC96ads_A100_v4: PCIe cards of 80 GB.
constexpr GemmProtocol vidur_a100() {
  GemmProtocol protocol = vidur;
  protocol.gpu = "A100";
  protocol.profile = "a100-pcie-80gb";
  return protocol;
}

constexpr GemmProtocol vllm_linear =
    always_copied(with_library(aiconfigurator, "cuBLAS(Lt) torch linear [torch.nn.functional", 0), 6);
constexpr GemmProtocol vllm_fp8 =
    row_by_row(with_kernels(with_activations(always_copied(with_library(aiconfigurator, "fp8", 0), 6), DType::bf16),
                            schedules::GemmLibrary::vllm_fp8));

constexpr std::array protocols{
    // beside_ns is fitted: what rows of less than 10 us, or the shortest there are, lack in the median.
    with_gemv(with_activations(with_library(aiconfigurator, "fp8_static", 8500), DType::bf16), 9500),
    with_activations(with_library(aiconfigurator, "fp8_static", 8500), DType::bf16),
    with_kernels(with_activations(with_own_activations(always_copied(with_library(aiconfigurator, "fp8_block", 0), 6)),
                                  DType::bf16),
                 schedules::GemmLibrary::deep_gemm),
    // Its weights are allocated and never written. Fresh memory is zeros; but where the collector has cases of
    // `fp8_block`, between the others, they leave random values in what is allocated again: supposed, as products of
    // fp8 run at the clock of random ones.
    on_h100(vllm_fp8),
    with_zero_weights(vllm_fp8),
    with_own_activations(always_copied(with_library(aiconfigurator, "cuBLAS(Lt) torch linear [sglang", 0), 6)),
    on_l40s(with_zero_weights(vllm_linear)),
    on_l40s(with_library(aiconfigurator, "cuBLAS(Lt) torch linear [torch_flow]", 0)),
    on_h100(vllm_linear),
    with_zero_weights(vllm_linear),
    always_copied(with_library(aiconfigurator, "cuBLAS(Lt) torch linear [torch_flow] (trtllm/1.0", 0), 5),
    with_result(with_library(aiconfigurator, "sq", 5400), DType::bf16),
    // A graph of this one kernel, on the same arrays.
    of_heads(with_arrays_again(with_library(aiconfigurator, "torch/TRT-LLM bmm", 2000))),
    // Attention and quantisation alone: the same arrays again. With attention a kernel or two of its own that work out
    // lengths and places: beside_ns is fitted, what the shortest rows lack.
    with_arrays_again(with_library(aiconfigurator, "attention_decode", 4000)),
    with_arrays_again(with_library(aiconfigurator, "attention", 6500)),
    with_arrays_again(with_library(aiconfigurator, "quantize", 0)),
    aiconfigurator,
    vidur_h100(),
    vidur_a100(),
    // do_bench clears L2 before each repeat, and has an event before and after it; beside_ns is fitted to the smallest
    // arrays. The regression test locks its 40 GB A100 and its V100 to 1350 MHz.
    GemmProtocol{.source = "triton-lang/triton",
                 .a = cold,
                 .b = cold,
                 .cleared = true,
                 .locked_mhz = 1350,
                 .gpu = "A100",
                 .profile = "a100-sxm-40gb",
                 .beside_ns = 3500},
    // Fitted: the 32 repeats of a tiling mostly differ by less than 1 %, and conflicts of scalar reads take the cycles
    // they should at the data sheet's boost clock.
    GemmProtocol{
        .source = "AutoTuningAssociation/benchmark_hub:currently_unused/cachefiles/KernelTuner data/gemm/RTX_3090",
        .highest_mhz = 1695},
    // tests/validation/measure/gemm.py: graphs of one product; rows tell clock, launch and L2 themselves.
    GemmProtocol{.source = "gpusim:tests/validation/measure",
                 .gap = Gap::graph,
                 .repeats = {.warm_up = 1, .timed = 1, .us = 300000},
                 .code = CodeState::repeated,
                 .kernels = schedules::GemmLibrary::cublas_12},
    // Locked clocks, stated with the figures.
    GemmProtocol{.source = "alexarmbr/matmul-playground", .locked_mhz = 1590},
    // Ten launches after one, of row-major operands into C of fp32 (src/main.cu, cublas_tc.cu).
    GemmProtocol{.source = "waynehacking8/blackwell-tensorcore-kernels",
                 .repeats = {.warm_up = 1, .timed = 10},
                 .layout = schedules::GemmLayout::nn,
                 .result = DType::fp32},
    // Ten launches after one, each waited for (00_benchmark_cuBLAS.cu, 05_benchmark_coarse_2d.cu); beside_ns is fitted.
    GemmProtocol{
        .source = "tgautam03/tGeMM", .repeats = {.warm_up = 1, .timed = 10}, .result = DType::fp32, .beside_ns = 4200},
    GemmProtocol{.source = "tgautam03/xGeMM", .repeats = {.warm_up = 1, .timed = 10}, .beside_ns = 4200},
    // One launch after one (src/profile_cuda_gemm_fp16.cu, profile_cuda_gemm_fp32.cu).
    GemmProtocol{.source = "leimao/CUDA-GEMM-Optimization", .repeats = {.warm_up = 1, .timed = 1}},
    // Ten launches after one, and 100 ms of rest before those (src/main.cu, src/common/tester.h).
    GemmProtocol{.source = "Bruce-Lee-LY/cuda_hgemm", .repeats = {.warm_up = 1, .timed = 10}},
    // Five launches and more to warm up, then graphs of a millisecond of launches, 20 of them or until 100 ms have gone
    // by (compiler/backend/cuda/program.py).
    GemmProtocol{.source = "cloudrift-ai/emmy", .gap = Gap::graph, .repeats = {.warm_up = 5, .timed = 20, .us = 1e5}},
    // torch.matmul with L2 cleared before each repeat.
    GemmProtocol{.source = "stas00/ml-engineering",
                 .a = cold,
                 .b = cold,
                 .cleared = true,
                 .repeats = {.warm_up = 50, .timed = 100}},
    // The best five of 25, row after row without a pause: boards at their limit are as slow in short rows as in long.
    // There is an event before each call, so that what PyTorch does on the host before the launch is in it. beside_ns
    // is fitted: what times grow from as sizes go to none, less the kernel's own; of cuBLAS it is the layer norm's, and
    // within what each GPU's fp32 products lack alone (30 us on A100 PCIe 80 GB and H100 to 65 on L4).
    GemmProtocol{.source = "sitar-lab/NeuSight",
                 .library = "cuBLAS",
                 .repeats = {.warm_up = 1000, .timed = 25},
                 .beside_ns = 33000},
    GemmProtocol{
        .source = "sitar-lab/NeuSight", .library = "ln", .repeats = {.warm_up = 1000, .timed = 25}, .beside_ns = 33000},
    GemmProtocol{.source = "sitar-lab/NeuSight",
                 .library = "softmax",
                 .repeats = {.warm_up = 1000, .timed = 25},
                 .beside_ns = 19000},
    GemmProtocol{.source = "sitar-lab/NeuSight", .repeats = {.warm_up = 1000, .timed = 25}, .beside_ns = 14000},
    // Calls timed on the host, 50 in a row, each waited for (software_model/matmul.py). What that takes of a product is
    // the source's own figure, added to its simulated times of an A100 (ae/figure5/ab/test_matmul.py: 2.1e-5 s).
    GemmProtocol{.source = "PrincetonUniversity/LLMCompass",
                 .library = "cuBLAS",
                 .repeats = {.warm_up = 0, .timed = 50},
                 .beside_ns = 21000},
    // Of others it is fitted, as NeuSight's.
    GemmProtocol{.source = "PrincetonUniversity/LLMCompass", .library = "softmax", .beside_ns = 10000},
    GemmProtocol{.source = "PrincetonUniversity/LLMCompass", .library = "gelu", .beside_ns = 45000},
    GemmProtocol{.source = "PrincetonUniversity/LLMCompass", .library = "layernorm", .beside_ns = 45000},
    // do_bench, as above.
    GemmProtocol{.source = "linkedin/Liger-Kernel",
                 .a = cold,
                 .b = cold,
                 .cleared = true,
                 .repeats = {.warm_up = 25, .timed = 100},
                 .beside_ns = 3500},
    // gemm_bench repeats until 1e11 multiply-adds are done, ten times at least. Its tables are of 2017 to 2019.
    // Operands are random in (0, 1], which as integers is zero (code/nvidia/tensor.h, rand). Its T4 read 310 of 320
    // GB/s (1024x16x500000), which leaves no room for check bytes. alpha and beta are a one of type int, whatever type
    // the library takes them for, and times an int (gemm_bench.cu, time_gemm).
    GemmProtocol{.source = "baidu-research/DeepBench",
                 .whole_us = true,
                 .zeros_of = DType::int8,
                 .without_check_bytes = true,
                 .repeats = {.warm_up = 1, .timed = 10, .multiply_adds = 1e11},
                 .adds_to_c = true,
                 .kernels = schedules::GemmLibrary::cublas_10},
};

constexpr GemmProtocol usual{};

}  // namespace

const GemmProtocol& protocol_of(std::string_view source, std::string_view library) {
  const auto* const found = std::find_if(protocols.begin(), protocols.end(), [&](const GemmProtocol& each) {
    return source.starts_with(each.source) && library.starts_with(each.library);
  });
  return found == protocols.end() ? usual : *found;
}

GemmProtocol protocol_of(const MeasuredRow& row, std::string_view library, std::optional<DType> type) {
  GemmProtocol protocol = protocol_of(row.source, library);
  const MeasuredConditions& conditions = row.conditions;
  if (conditions.clock_mhz) protocol.locked_mhz = conditions.clock_mhz;
  if (conditions.gap) protocol.gap = *conditions.gap;
  if (conditions.l2) {
    protocol.a = protocol.b = *conditions.l2;
    protocol.copies = 0;
    protocol.cleared = false;
  }
  if (conditions.data) {
    protocol.zero_weights = false;
    protocol.zeros_of = *conditions.data == OperandData::zeros ? type : std::nullopt;
  }
  return protocol;
}

DType result_of(const MeasuredGemm& row) {
  if (row.result) return *row.result;
  if (const auto& given = protocol_of(row.source, row.library).result) return *given;
  if (row.input == DType::fp8) return DType::bf16;
  return row.input == DType::int8 ? row.accumulate : row.input;
}

double busy_us(const Repeats& repeats, double multiply_adds, double repeat_us) {
  const double timed = std::max({repeats.timed, multiply_adds > 0 ? repeats.multiply_adds / multiply_adds : 0,
                                 repeat_us > 0 ? repeats.us / repeat_us : 0});
  return (repeats.warm_up + timed / 2) * repeat_us;
}

std::string_view profile_name(std::string_view gpu, std::string_view source) {
  const GemmProtocol& protocol = protocol_of(source);
  return !protocol.gpu.empty() && protocol.gpu == gpu ? protocol.profile : gpu;
}

}  // namespace gpusim::validate
