#include "validate/kernel_library.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "integers.h"
#include "sizes.h"
#include "validate/kernel_pytorch.h"
#include "validate/kernel_sharing.h"

namespace gpusim::validate {
namespace {

using schedules::NormTiling;
using schedules::RowMeeting;
using schedules::RowPlace;
using schedules::RowTiling;
using schedules::SoftmaxTiling;
using schedules::StreamTiling;

/// Triton's and Liger's kernels of a program a row: the row, filled up to a power of two, in the registers of 4 to 32
/// warps (Liger's calculate_settings).
RowTiling program_a_row(DType dtype, std::int64_t columns) {
  constexpr int fewest_warps = 4;
  const std::int64_t block = power_of_two_from(columns);
  int warps = fewest_warps;
  for (const std::int64_t step : {2048, 8192, 32768})
    if (block >= step) warps *= 2;
  RowTiling tiling;
  tiling.place = RowPlace::registers;
  tiling.vector = access_of(dtype, columns);
  tiling.threads = warps * lanes_per_warp;
  while (tiling.threads > lanes_per_warp && std::int64_t{tiling.threads} * tiling.vector > block) tiling.threads /= 2;
  return tiling;
}

/// vLLM's: a CTA a token, of up to 1024 threads, an element a thread at a time, read again for the second pass.
RowTiling element_a_thread(std::int64_t columns) {
  RowTiling tiling;
  tiling.place = RowPlace::memory;
  tiling.vector = 1;
  tiling.threads =
      static_cast<int>(std::clamp<std::int64_t>(power_of_two_up_to(columns), lanes_per_warp, most_cta_threads));
  tiling.unroll = 1;
  return tiling;
}

struct TreeStep {
  std::string_view name;
  RowMeeting meeting;
  int elements;  ///< of a thread
};

constexpr std::array tree_steps{
    TreeStep{"reduce0", RowMeeting::divergent, 1},
    TreeStep{"reduce1", RowMeeting::doubling, 1},
    TreeStep{"reduce2", RowMeeting::halving, 1},
    TreeStep{"reduce3", RowMeeting::halving, 2},
};

const TreeStep* tree_step(std::string_view written_by) {
  const auto* const found =
      std::find_if(tree_steps.begin(), tree_steps.end(), [&](const TreeStep& each) { return each.name == written_by; });
  return found == tree_steps.end() ? nullptr : found;
}

/// TensorRT-LLM's, eight elements of 16 bits a thread at a time (cudaFp8Utils.cu, scaleMatrixPerTensorVec).
StreamTiling quantisation_of_eight(std::int64_t elements) {
  constexpr std::int64_t most_ctas = 65536;
  constexpr int threads = 256;
  const int vector = access_of(DType::bf16, elements);
  const std::int64_t ctas = elements / (std::int64_t{threads} * vector);
  return {.vector = vector, .threads = threads, .ctas = ctas > most_ctas ? most_ctas : 0};
}

}  // namespace

TreeReduction tree_reduction(std::string_view written_by) {
  constexpr int threads = 256;
  const TreeStep* const step = tree_step(written_by);
  if (step == nullptr) return {};
  return {std::int64_t{threads} * step->elements,
          {.vector = 1, .threads = threads, .unroll = step->elements, .meeting = step->meeting}};
}

Schedule cleared_number(std::string_view buffer) {
  Schedule clear = schedules::copy({.kind = schedules::StreamKind::write, .elements = 1}, {.vector = 1, .threads = 32});
  clear.buffers.front().name = buffer;
  return clear;
}

StreamTiling stream_tiling(KernelLibrary library, DType widest, std::int64_t elements, std::int64_t columns) {
  if (library == KernelLibrary::tensorrt) return quantisation_of_eight(elements);
  if (library == KernelLibrary::vllm)
    return {.vector = 1,
            .threads = static_cast<int>(
                std::clamp<std::int64_t>(columns / lanes_per_warp * lanes_per_warp, lanes_per_warp, most_cta_threads))};
  if (library == KernelLibrary::triton) return {.vector = access_of(widest, elements), .threads = 128};
  if (library == KernelLibrary::pytorch_2_7) return pytorch_stream_of_eight(widest, elements);
  return pytorch_stream(elements);
}

SoftmaxTiling softmax_tiling(KernelLibrary library, const Profile& profile, DType dtype, std::int64_t columns) {
  if (library == KernelLibrary::pytorch_2_3) return pytorch_softmax(PytorchSoftmax::blocks, profile, dtype, columns);
  if (library == KernelLibrary::pytorch_2_7) return pytorch_softmax(PytorchSoftmax::registers, profile, dtype, columns);
  if (library != KernelLibrary::triton) return pytorch_softmax(PytorchSoftmax::shared, profile, dtype, columns);
  SoftmaxTiling tiling;
  static_cast<RowTiling&>(tiling) = program_a_row(dtype, columns);
  tiling.divides = true;
  return tiling;
}

NormTiling norm_tiling(KernelLibrary library, const Profile& profile, schedules::NormKind norm, DType dtype,
                       std::int64_t columns) {
  NormTiling tiling;
  if (library == KernelLibrary::triton) {
    static_cast<RowTiling&>(tiling) = program_a_row(dtype, columns);
  } else if (library == KernelLibrary::vllm) {
    static_cast<RowTiling&>(tiling) = element_a_thread(columns);
  } else {
    tiling = pytorch_norm(profile, dtype, columns);
    tiling.welford = norm == schedules::NormKind::layer;
  }
  return tiling;
}

}  // namespace gpusim::validate
