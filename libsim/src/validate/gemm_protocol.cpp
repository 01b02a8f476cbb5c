#include "validate/gemm_protocol.h"

#include <algorithm>
#include <array>

#include "validate/aiconfigurator.h"

namespace gpusim::validate {
namespace {

constexpr L2State warm = L2State::warm;
constexpr L2State cold = L2State::cold;

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

/// What a call takes PyTorch on the host: of a softmax, and of a product, as LLMCompass has them. Which of the two a
/// call of NeuSight's takes is chosen by how many operators it is.
constexpr std::int64_t host_ns_of_an_operator = 12000;
constexpr std::int64_t host_ns_of_a_layer = 21000;

constexpr GemmProtocol neusight(std::string_view library, std::int64_t host_ns) {
  return {.source = "sitar-lab/NeuSight",
          .library = library,
          .repeats = {.warm_up = 1000, .timed = 25},
          .beside_ns = host_ns};
}

constexpr GemmProtocol llmcompass(std::string_view library, std::int64_t host_ns) {
  return {.source = "PrincetonUniversity/LLMCompass",
          .library = library,
          .repeats = {.warm_up = 0, .timed = 50},
          .beside_ns = host_ns};
}

constexpr std::array protocols{
    vidur_h100(),
    vidur_a100(),
    // do_bench clears L2 before each repeat. The regression test locks its 40 GB A100 and its V100 to 1350 MHz.
    GemmProtocol{.source = "triton-lang/triton",
                 .between_events = true,
                 .a = cold,
                 .b = cold,
                 .cleared = true,
                 .locked_mhz = 1350,
                 .gpu = "A100",
                 .profile = "a100-sxm-40gb"},
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
    // Locked clocks, stated with the figures (profile.sh); each launch waited for, and C added to
    // (src/structs_n_stuff.cuh, cublas_benchmark.cu).
    GemmProtocol{.source = "alexarmbr/matmul-playground",
                 .between_events = true,
                 .waited_for = true,
                 .locked_mhz = 1590,
                 .adds_to_c = true},
    // Ten launches after one, of row-major operands into C of fp32 (src/main.cu, cublas_tc.cu).
    GemmProtocol{.source = "waynehacking8/blackwell-tensorcore-kernels",
                 .repeats = {.warm_up = 1, .timed = 10},
                 .layout = schedules::GemmLayout::nn,
                 .result = DType::fp32},
    // Ten launches after one, each waited for (00_benchmark_cuBLAS.cu, 05_benchmark_coarse_2d.cu).
    GemmProtocol{.source = "tgautam03/tGeMM",
                 .between_events = true,
                 .waited_for = true,
                 .repeats = {.warm_up = 1, .timed = 10},
                 .result = DType::fp32},
    GemmProtocol{.source = "tgautam03/xGeMM",
                 .between_events = true,
                 .waited_for = true,
                 .repeats = {.warm_up = 1, .timed = 10}},
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
    // There is an event before each call, so that what PyTorch does on the host before the launch is in it. What that
    // takes is taken from LLMCompass's figures: a softmax's for calls of one operator or two, a product's for layers.
    neusight("cuBLAS", host_ns_of_a_layer),
    neusight("ln", host_ns_of_a_layer),
    neusight("", host_ns_of_an_operator),
    // Calls timed on the host, 50 in a row, each waited for (software_model/matmul.py). What that takes is the source's
    // own figure, added to its simulated times of an A100 (ae/figure5: ab/test_matmul.py, cf/test_softmax.py,
    // de/test_layernorm.py, g/test_gelu.py).
    llmcompass("cuBLAS", host_ns_of_a_layer),
    llmcompass("softmax", host_ns_of_an_operator),
    llmcompass("gelu", 45000),
    llmcompass("layernorm", 45000),
    // do_bench, as above.
    GemmProtocol{.source = "linkedin/Liger-Kernel",
                 .between_events = true,
                 .a = cold,
                 .b = cold,
                 .cleared = true,
                 .repeats = {.warm_up = 25, .timed = 100}},
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
  const auto is_its = [&](const GemmProtocol& each) {
    return source.starts_with(each.source) && library.starts_with(each.library);
  };
  const auto* const here = std::find_if(aiconfigurator::protocols.begin(), aiconfigurator::protocols.end(), is_its);
  if (here != aiconfigurator::protocols.end()) return *here;
  const auto* const found = std::find_if(protocols.begin(), protocols.end(), is_its);
  return found == protocols.end() ? usual : *found;
}

GemmProtocol protocol_of(const MeasuredRow& row, std::string_view library, std::optional<DType> type) {
  GemmProtocol protocol = protocol_of(row.source, library);
  const MeasuredConditions& conditions = row.conditions;
  if (conditions.clock_mhz) protocol.locked_mhz = conditions.clock_mhz;
  if (conditions.gap) {
    protocol.gap = *conditions.gap;
    protocol.graph_of_calls = protocol.between_events = protocol.waited_for = false;
  }
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
