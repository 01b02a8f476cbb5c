#include "validate/kernel_choice.h"

#include <algorithm>
#include <utility>

#include "gpusim/schedules/elementwise.h"
#include "gpusim/schedules/reduce.h"
#include "gpusim/schedules/transpose.h"
#include "validate/kernel_attention.h"
#include "validate/kernel_library.h"
#include "validate/kernel_names.h"
#include "validate/kernel_pytorch.h"

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

/// A kernel of one operation of a formula, as PyTorch's eager mode runs them, on arrays of its own.
Schedule one_operation(const KernelShape& shape, schedules::ElementwiseOperation operation, DType from, DType to,
                       const std::string& name, bool scalar = true, KernelLibrary library = KernelLibrary::pytorch) {
  schedules::ElementwiseProblem problem;
  problem.operation = operation;
  problem.rows = 1;
  problem.columns = shape.rows * shape.columns;
  problem.dtype = from;
  problem.result = to;
  problem.scalar = scalar && schedules::is_binary(operation);
  Schedule kernel = schedules::elementwise(problem, stream_tiling(library, wider(from, to), problem.columns, 0));
  for (Buffer& buffer : kernel.buffers) buffer.name += name;
  return kernel;
}

/// The second kernel reads what the first has written.
ChosenKernels squared_by_pytorch(const MeasuredKernel& row, const KernelName& name, KernelLibrary library) {
  Schedule first = one_operation(row.shape, name.operation, *row.input, *row.input, "", true, library);
  Schedule square =
      one_operation(row.shape, schedules::ElementwiseOperation::multiply, *row.input, row.result, "", true, library);
  first.buffers.back().name = square.buffers.front().name = "between";
  ChosenKernels chosen;
  chosen.kernels = {std::move(first), std::move(square)};
  chosen.written = {"Y", "between"};
  return chosen;
}

ChosenKernels elementwise_kernels(const MeasuredKernel& row, const KernelName& name, KernelLibrary library) {
  if (library == KernelLibrary::vllm && !name.gated) library = KernelLibrary::pytorch;
  if (name.squared && library != KernelLibrary::triton) return squared_by_pytorch(row, name, library);
  schedules::ElementwiseProblem problem = elementwise_problem(row, name);
  problem.scaled = library == KernelLibrary::tensorrt && name.operation == schedules::ElementwiseOperation::cast;
  return one(schedules::elementwise(
                 problem, stream_tiling(library, wider(*row.input, row.result), problem.columns, row.shape.columns)),
             {"Y"});
}

/// A number of each CTA's elements.
ChosenKernels trees_of(const MeasuredKernel& row) {
  const TreeReduction step = tree_reduction(row.library);
  const std::int64_t elements = row.shape.rows * row.shape.columns;
  return one(schedules::reduce(
                 {.rows = (elements + step.columns - 1) / step.columns, .columns = step.columns, .dtype = *row.input},
                 step.tiling),
             {"Y"});
}

bool is_pytorch(KernelLibrary library) {
  return library != KernelLibrary::triton && library != KernelLibrary::trees && library != KernelLibrary::tensorrt;
}

/// Where CTAs share a number, what counts them is cleared before.
ChosenKernels reduced_by_pytorch(const MeasuredKernel& row, const Profile& profile, bool whole) {
  schedules::ReduceProblem problem;
  problem.rows = whole ? 1 : row.shape.rows;
  problem.columns = whole ? row.shape.rows * row.shape.columns : row.shape.columns;
  problem.dtype = *row.input;
  const schedules::ReduceTiling tiling = pytorch_reduce(profile, problem.dtype, problem.rows, problem.columns);
  ChosenKernels chosen = one(schedules::reduce(problem, tiling), {"Y", "parts"});
  if (tiling.splits > 1) {
    chosen.kernels.insert(chosen.kernels.begin(), cleared_number("semaphore"));
    chosen.written.emplace_back("semaphore");
  }
  return chosen;
}

/// As many CTAs a row as give every SM eight.
ChosenKernels reduce_kernels(const MeasuredKernel& row, const KernelName& name, KernelLibrary library,
                             const Profile& profile) {
  if (library == KernelLibrary::trees) return trees_of(row);
  if (is_pytorch(library)) return reduced_by_pytorch(row, profile, name.whole);
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

ChosenKernels transpose_kernels(const MeasuredKernel& row, KernelLibrary library) {
  const schedules::TransposeTiling tiling =
      is_pytorch(library) ? pytorch_transpose(*row.input) : schedules::TransposeTiling{};
  return one(schedules::transpose({row.shape.rows, row.shape.columns, *row.input}, tiling), {"Y"});
}

ChosenKernels softmax_kernels(const MeasuredKernel& row, KernelLibrary library, const Profile& profile) {
  return one(schedules::softmax({row.shape.rows, row.shape.columns, *row.input},
                                softmax_tiling(library, profile, *row.input, row.shape.columns)),
             {"Y"});
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
  const bool apart = residual && adds_apart(row.library);
  problem.residual = residual && !apart;
  ChosenKernels chosen = one(
      schedules::layernorm(problem, norm_tiling(library, profile, norm, *row.input, row.shape.columns)), {"Y", "S"});
  if (apart)
    chosen.kernels.insert(chosen.kernels.begin(), one_operation(row.shape, schedules::ElementwiseOperation::add,
                                                                *row.input, *row.input, " of add", false));
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
      return reduce_kernels(row, name, library, profile);
    case KernelKind::transpose:
      return transpose_kernels(row, library);
    case KernelKind::softmax:
      return softmax_kernels(row, library, profile);
    case KernelKind::layernorm:
      return norm_kernels(row, NormKind::layer, name.residual, library, profile);
    case KernelKind::rmsnorm:
      return norm_kernels(row, NormKind::rms, name.residual, library, profile);
    case KernelKind::attention:
    case KernelKind::decode:
      return attention_kernels(row, name, library, profile);
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
  ChosenKernels chosen = by_kind(row, *name, library, profile);
  for (const Schedule& kernel : chosen.kernels)
    chosen.description += (chosen.description.empty() ? "" : " + ") + kernel.name;
  chosen.description += ", as " + std::string(gpusim::validate::name(library));
  return chosen;
}

}  // namespace gpusim::validate
