// How ai-dynamo/aiconfigurator's collectors took their times: collector/{trtllm,vllm,sglang}/collect_*.py, Apache-2.0.
#pragma once

#include <array>
#include <string_view>

#include "validate/gemm_protocol.h"

namespace gpusim::validate::aiconfigurator {

inline constexpr L2State warm = L2State::warm;
inline constexpr L2State cold = L2State::cold;

/// Graph replay over several copies of the weights, so that they come from memory; clocks set to the maximum. Its
/// collectors differ in how many. Here TensorRT-LLM's.
inline constexpr GemmProtocol of_tensorrt{.source = "ai-dynamo/aiconfigurator",
                                          .gap = Gap::graph,
                                          .graph_of_calls = true,
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

constexpr GemmProtocol with_library(GemmProtocol protocol, std::string_view library) {
  protocol.library = library;
  return protocol;
}

constexpr GemmProtocol with_activations(GemmProtocol protocol, DType type) {
  protocol.activations = type;
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
  protocol.quantisation = Quantisation::by_row;  // scaled_fp8_quant_kernel_strided
  return protocol;
}

/// TensorRT-LLM's of bf16 activations. Its collector gives weights a factor, but not activations, so that each call
/// looks for theirs (linear.py, FP8QDQLinearMethod).
constexpr GemmProtocol by_found_factor(GemmProtocol protocol) {
  protocol.library = "fp8_static";
  protocol.activations = DType::bf16;
  protocol.quantisation = Quantisation::by_tensor;
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
constexpr GemmProtocol with_gemv(GemmProtocol protocol) {
  protocol = on_l40s(protocol);
  protocol.gemv_rows = 8;
  return protocol;
}

constexpr GemmProtocol with_arrays_again(GemmProtocol protocol, int calls) {
  protocol.b = warm;
  protocol.copies = 0;
  protocol.only_to_fill_l2 = false;
  protocol.calls_of_graph = calls;
  return protocol;
}

/// TensorRT-LLM's attention works out lengths and places in kernels of its own, of which the shortest times, of few
/// tokens, take more than is simulated: fitted to A100, H100 and L40S.
constexpr GemmProtocol attention() {
  GemmProtocol protocol = with_arrays_again(with_library(of_tensorrt, "attention"), 1);
  protocol.beside_ns = 3000;
  return protocol;
}

/// A layer of a TensorRT engine between two events of its profiler, which waits (collector/trtllm/
/// collect_gemm_trt.py). Three layers before, one of 12,288 by 12,288 weights among them, leave nothing but activations
/// in L2, and keep the board busy, as the run before does. Up to four rows are multiplied on CUDA cores
/// (smoothQuantGemmPlugin.cpp, int8SQ.cu).
constexpr GemmProtocol smooth_quant() {
  return {.source = of_tensorrt.source,
          .library = "sq",
          .between_events = true,
          .waited_for = true,
          .a = warm,
          .b = cold,
          .repeats = {.warm_up = 4, .timed = 1},
          .result = DType::bf16,
          .kernels = of_tensorrt.kernels,
          .gemv_rows = 4};
}

inline constexpr GemmProtocol vllm_linear =
    always_copied(with_library(of_tensorrt, "cuBLAS(Lt) torch linear [torch.nn.functional"), 6);
inline constexpr GemmProtocol vllm_fp8 =
    row_by_row(with_kernels(with_activations(always_copied(with_library(of_tensorrt, "fp8"), 6), DType::bf16),
                            schedules::GemmLibrary::vllm_fp8));

inline constexpr std::array protocols{
    with_gemv(by_found_factor(of_tensorrt)),
    by_found_factor(of_tensorrt),
    with_kernels(
        with_activations(with_own_activations(always_copied(with_library(of_tensorrt, "fp8_block"), 6)), DType::bf16),
        schedules::GemmLibrary::deep_gemm),
    // Its weights are allocated and never written. Fresh memory is zeros; but where the collector has cases of
    // `fp8_block`, between the others, they leave random values in what is allocated again: supposed, as products of
    // fp8 run at the clock of random ones.
    on_h100(vllm_fp8),
    with_zero_weights(vllm_fp8),
    with_own_activations(always_copied(with_library(of_tensorrt, "cuBLAS(Lt) torch linear [sglang"), 6)),
    on_l40s(with_zero_weights(vllm_linear)),
    on_l40s(with_library(of_tensorrt, "cuBLAS(Lt) torch linear [torch_flow]")),
    on_h100(vllm_linear),
    with_zero_weights(vllm_linear),
    always_copied(with_library(of_tensorrt, "cuBLAS(Lt) torch linear [torch_flow] (trtllm/1.0"), 5),
    smooth_quant(),
    // A graph of this one kernel, on the same arrays.
    of_heads(with_arrays_again(with_library(of_tensorrt, "torch/TRT-LLM bmm"), 1)),
    // Attention and quantisation alone (collector/trtllm/collect_attn.py, collect_computescale.py).
    attention(),
    with_arrays_again(with_library(of_tensorrt, "quantize"), 5),
    of_tensorrt,
};

}  // namespace gpusim::validate::aiconfigurator
