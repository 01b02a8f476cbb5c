#include "validate/kernel_choice.h"

#include <algorithm>
#include <utility>

#include "gpusim/schedules/attention.h"
#include "gpusim/schedules/elementwise.h"
#include "gpusim/schedules/reduce.h"
#include "gpusim/schedules/transpose.h"
#include "validate/kernel_library.h"
#include "validate/kernel_names.h"

namespace gpusim::validate {
namespace {

using schedules::NormKind;

DType wider(DType a, DType b) { return size_of(a) < size_of(b) ? b : a; }

ChosenKernels one(Schedule schedule, std::vector<std::string> written) {
  ChosenKernels chosen;
  chosen.kernels.push_back(std::move(schedule));
  chosen.written = std::move(written);
  return chosen;
}

ChosenKernels stream_kernels(const MeasuredKernel& row, const KernelName& name, KernelLibrary library) {
  schedules::CopyProblem problem;
  problem.kind = name.stream;
  problem.elements = row.shape.rows * row.shape.columns;
  problem.dtype = *row.input;
  return one(schedules::copy(problem, stream_tiling(library, *row.input, problem.elements, problem.elements)), {"W"});
}

/// Arrays that lie together are one row, whatever their shape.
schedules::ElementwiseProblem elementwise_problem(const MeasuredKernel& row, const KernelName& name) {
  schedules::ElementwiseProblem problem;
  problem.operation = name.operation;
  problem.rows = name.gated ? row.shape.rows : 1;
  problem.columns = name.gated ? row.shape.columns : row.shape.rows * row.shape.columns;
  problem.dtype = *row.input;
  problem.result = row.result;
  problem.scalar = name.scalar;
  problem.gated = name.gated;
  return problem;
}

ChosenKernels elementwise_kernels(const MeasuredKernel& row, const KernelName& name, KernelLibrary library) {
  const schedules::ElementwiseProblem problem = elementwise_problem(row, name);
  if (library == KernelLibrary::vllm && !name.gated) library = KernelLibrary::pytorch;
  return one(schedules::elementwise(
                 problem, stream_tiling(library, wider(*row.input, row.result), problem.columns, row.shape.columns)),
             {"Y"});
}

/// As many CTAs a row as give every SM eight.
ChosenKernels reduce_kernels(const MeasuredKernel& row, const Profile& profile) {
  constexpr std::int64_t ctas_an_sm = 8;
  schedules::ReduceProblem problem;
  problem.rows = row.shape.rows;
  problem.columns = row.shape.columns;
  problem.dtype = *row.input;
  schedules::ReduceTiling tiling;
  const std::int64_t span = std::int64_t{tiling.threads} * tiling.unroll * 16 / size_of(problem.dtype);
  tiling.splits = std::clamp<std::int64_t>(profile.sm.count * ctas_an_sm / problem.rows, 1,
                                           std::max<std::int64_t>(1, problem.columns / span));
  return one(schedules::reduce(problem, tiling), {"Y"});
}

ChosenKernels transpose_kernels(const MeasuredKernel& row) {
  return one(schedules::transpose({row.shape.rows, row.shape.columns, *row.input}), {"Y"});
}

ChosenKernels softmax_kernels(const MeasuredKernel& row, KernelLibrary library, const Profile& profile) {
  return one(schedules::softmax({row.shape.rows, row.shape.columns, *row.input},
                                softmax_tiling(library, profile, *row.input, row.shape.columns)),
             {"Y"});
}

/// A kernel of one operation of a formula, as PyTorch's eager mode runs them, on arrays of its own.
Schedule one_operation(const KernelShape& shape, schedules::ElementwiseOperation operation, DType from, DType to,
                       const std::string& name, bool scalar = true) {
  schedules::ElementwiseProblem problem;
  problem.operation = operation;
  problem.rows = 1;
  problem.columns = shape.rows * shape.columns;
  problem.dtype = from;
  problem.result = to;
  problem.scalar = scalar && schedules::is_binary(operation);
  Schedule kernel =
      schedules::elementwise(problem, stream_tiling(KernelLibrary::pytorch, wider(from, to), problem.columns, 0));
  for (Buffer& buffer : kernel.buffers) buffer.name += name;
  return kernel;
}

/// RMS norm of operations: to fp32, squares, their mean, times its root, back, times the weights; what works on a
/// number a row is left out.
ChosenKernels unfused_rms_norm(const MeasuredKernel& row, bool residual) {
  using Operation = schedules::ElementwiseOperation;
  const DType type = *row.input;
  ChosenKernels chosen;
  if (residual) chosen.kernels.push_back(one_operation(row.shape, Operation::add, type, type, " of add", false));
  if (type != DType::fp32)
    chosen.kernels.push_back(one_operation(row.shape, Operation::cast, type, DType::fp32, " of cast"));
  chosen.kernels.push_back(one_operation(row.shape, Operation::power, DType::fp32, DType::fp32, " of power"));
  chosen.kernels.push_back(schedules::reduce({.rows = row.shape.rows, .columns = row.shape.columns}));
  chosen.kernels.push_back(one_operation(row.shape, Operation::multiply, DType::fp32, DType::fp32, " of product"));
  if (type != DType::fp32)
    chosen.kernels.push_back(one_operation(row.shape, Operation::cast, DType::fp32, type, " of cast back"));
  chosen.kernels.push_back(one_operation(row.shape, Operation::multiply, type, type, " of weights"));
  return chosen;
}

ChosenKernels norm_kernels(const MeasuredKernel& row, NormKind norm, bool residual, KernelLibrary library,
                           const Profile& profile) {
  if (library == KernelLibrary::unfused && norm == NormKind::rms) return unfused_rms_norm(row, residual);
  schedules::NormProblem problem;
  problem.rows = row.shape.rows;
  problem.columns = row.shape.columns;
  problem.norm = norm;
  problem.dtype = *row.input;
  problem.residual = residual;
  return one(schedules::layernorm(problem, norm_tiling(library, profile, norm, *row.input, row.shape.columns)),
             {"Y", "S"});
}

/// TensorRT-LLM's decode has a kernel (XQA) for 8 to 32 heads that share keys, which takes them together; with fewer or
/// more each head has a CTA of its own (aiconfigurator's times go with heads there, and with shared keys between).
bool packs_heads(const KernelShape& shape) {
  constexpr std::int64_t fewest = 8;
  constexpr std::int64_t most = 32;
  const std::int64_t group = shape.heads / shape.kv_heads;
  return group >= fewest && group <= most;
}

/// TensorRT-LLM's attention gets queries, keys and values in one array: a kernel before it turns queries and keys by
/// their places, and writes keys and values into the cache.
Schedule prepared_attention(const MeasuredKernel& row) {
  const KernelShape& shape = row.shape;
  schedules::ElementwiseProblem problem;
  problem.operation = schedules::ElementwiseOperation::multiply;
  problem.scalar = true;
  problem.rows = 1;
  problem.columns = shape.batch * shape.queries * (shape.heads + 2 * shape.kv_heads) * shape.head_dim;
  problem.dtype = *row.input;
  Schedule prepare = schedules::elementwise(
      problem, stream_tiling(KernelLibrary::triton, *row.input, problem.columns, problem.columns));
  prepare.buffers.front().name = "QKV";
  prepare.buffers.back().name = "prepared";
  return prepare;
}

ChosenKernels attention_row(const MeasuredKernel& row, bool causal, KernelLibrary library, const Profile& profile) {
  schedules::AttentionProblem problem;
  problem.batch = row.shape.batch;
  problem.heads = row.shape.heads;
  problem.kv_heads = row.shape.kv_heads;
  problem.queries = row.shape.queries;
  problem.keys = row.shape.keys;
  problem.head_dim = row.shape.head_dim;
  problem.dtype = *row.input;
  problem.causal = causal;
  schedules::AttentionRequest request;
  if (library == KernelLibrary::tensorrt && problem.queries == 1) request.pack_gqa = packs_heads(row.shape);
  ChosenKernels chosen;
  chosen.kernels = schedules::attention_kernels(problem, schedules::choose_attention(profile, problem, request));
  chosen.written = {"O", "prepared"};
  if (library == KernelLibrary::tensorrt) chosen.kernels.insert(chosen.kernels.begin(), prepared_attention(row));
  return chosen;
}

ChosenKernels by_kind(const MeasuredKernel& row, const KernelName& name, KernelLibrary library,
                      const Profile& profile) {
  switch (name.kind) {
    case KernelKind::copy:
      return stream_kernels(row, name, library);
    case KernelKind::elementwise:
      return elementwise_kernels(row, name, library);
    case KernelKind::reduce:
      return reduce_kernels(row, profile);
    case KernelKind::transpose:
      return transpose_kernels(row);
    case KernelKind::softmax:
      return softmax_kernels(row, library, profile);
    case KernelKind::layernorm:
      return norm_kernels(row, NormKind::layer, name.residual, library, profile);
    case KernelKind::rmsnorm:
      return norm_kernels(row, NormKind::rms, name.residual, library, profile);
    case KernelKind::attention:
    case KernelKind::decode:
      return attention_row(row, name.causal, library, profile);
    case KernelKind::none:
      break;
  }
  throw ScheduleError({Problem{"op", "no schedule does '" + std::string(name.name) + "'"}});
}

}  // namespace

ChosenKernels kernels_of(const MeasuredKernel& row, const Profile& profile) {
  const KernelName* name = kernel_named(row.name);
  if (name == nullptr) throw ScheduleError({Problem{"op", "unknown kernel '" + row.name + "'"}});
  if (name->kind != KernelKind::none && !row.input)
    throw ScheduleError({Problem{"dtype", "the table does not say it"}});
  const KernelLibrary library = kernel_library(row.library, row.source);
  if (library == KernelLibrary::unstated)
    throw ScheduleError({Problem{"op", "how '" + row.library + "' works is not stated"}});
  ChosenKernels chosen = by_kind(row, *name, library, profile);
  for (const Schedule& kernel : chosen.kernels)
    chosen.description += (chosen.description.empty() ? "" : " + ") + kernel.name;
  chosen.description += ", as " + std::string(gpusim::validate::name(library));
  return chosen;
}

}  // namespace gpusim::validate
