#include "validate/gemm_quantise.h"

#include <string>
#include <utility>

#include "gpusim/schedules/elementwise.h"
#include "gpusim/schedules/reduce.h"
#include "validate/kernel_library.h"

namespace gpusim::validate {
namespace {

constexpr const char* factor_buffer = "factor";

/// A CTA a row: 256 threads with 16 elements each at a time (vLLM's scaled_fp8_quant_kernel_strided). That an SM has
/// one at a time is supposed from vLLM's rows; registers stand for whatever keeps others out, for its source does not
/// say.
constexpr schedules::StreamTiling of_a_row{.threads = 256, .unroll = 2, .ctas = 1, .registers = 255};

void rename(Schedule& kernel, const std::string& from, const std::string& to) {
  for (Buffer& buffer : kernel.buffers)
    if (buffer.name == from) buffer.name = to;
}

schedules::StreamTiling tiling_of(const MeasuredGemm& row, const GemmProtocol& protocol) {
  switch (protocol.quantisation) {
    case Quantisation::by_row:
      return of_a_row;
    case Quantisation::by_tensor:
      return stream_tiling(KernelLibrary::tensorrt, *protocol.activations, row.batch * row.m * row.k, row.k);
    case Quantisation::elements:
      break;
  }
  return {};
}

Schedule turned(const MeasuredGemm& row, const GemmProtocol& protocol) {
  schedules::ElementwiseProblem problem;
  problem.operation = schedules::ElementwiseOperation::cast;
  problem.rows = row.m * row.batch;
  problem.columns = row.k;
  problem.dtype = *protocol.activations;
  problem.result = row.input;
  problem.by_row = protocol.quantisation == Quantisation::by_row;
  problem.scaled = protocol.quantisation != Quantisation::elements;
  Schedule cast = schedules::elementwise(problem, tiling_of(row, protocol));
  rename(cast, "A", activations_buffer);
  rename(cast, "Y", "quantised");
  return cast;
}

/// The factor as found is of the activations' type, the product's is fp32.
Schedule turned_number(DType from) {
  schedules::ElementwiseProblem problem;
  problem.operation = schedules::ElementwiseOperation::cast;
  problem.rows = problem.columns = 1;
  problem.dtype = from;
  problem.result = DType::fp32;
  Schedule cast = schedules::elementwise(problem, {.vector = 1, .threads = 128});
  rename(cast, "A", "factor as found");
  rename(cast, "Y", "factor of the product");
  return cast;
}

/// The largest magnitude, from which the factor follows: 1024 CTAs of 1024 threads, whatever there is to look at, and
/// an atomic each (cudaFp8Utils.cu, computeFP8QuantizeScale). Sums, which cost as much, stand for maxima: here L2 has
/// no maximum of its own.
Schedule found_factor(const MeasuredGemm& row, DType type) {
  Schedule largest = schedules::reduce({.rows = 1, .columns = row.batch * row.m * row.k, .dtype = type},
                                       {.vector = 1, .threads = 1024, .splits = 1024});
  rename(largest, "X", activations_buffer);
  rename(largest, "Y", factor_buffer);
  return largest;
}

}  // namespace

std::vector<Schedule> quantisation(const MeasuredGemm& row, const GemmProtocol& protocol) {
  std::vector<Schedule> kernels;
  if (!protocol.activations) return kernels;
  const bool looks_for_factor = protocol.quantisation == Quantisation::by_tensor;
  if (looks_for_factor) {
    kernels.push_back(cleared_number(factor_buffer));
    kernels.push_back(found_factor(row, *protocol.activations));
  }
  kernels.push_back(turned(row, protocol));
  if (looks_for_factor) kernels.push_back(turned_number(*protocol.activations));
  return kernels;
}

}  // namespace gpusim::validate
