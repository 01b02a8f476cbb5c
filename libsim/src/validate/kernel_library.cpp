#include "validate/kernel_library.h"
#include "sizes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <numeric>

namespace gpusim::validate {
namespace {

using schedules::NormTiling;
using schedules::RowMeeting;
using schedules::RowPlace;
using schedules::RowTiling;
using schedules::SoftmaxTiling;
using schedules::StreamTiling;

constexpr int lanes = 32;
constexpr std::int64_t vector_bytes = 16;

std::int64_t power_of_two_from(std::int64_t value) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(value)));
}

std::int64_t power_of_two_up_to(std::int64_t value) {
  return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(value)));
}

/// Elements of `dtype` in so many bytes that divide a row.
int vector_of(DType dtype, std::int64_t columns, std::int64_t bytes) {
  return static_cast<int>(std::gcd(columns, bytes / size_of(dtype)));
}

/// PyTorch's elementwise kernels (CUDALoops.cuh): CTAs of 128 threads, four elements a thread, in one access each.
StreamTiling pytorch_stream(std::int64_t elements) {
  constexpr std::int64_t elements_of_thread = 4;
  return {.vector = static_cast<int>(std::gcd(elements, elements_of_thread)), .threads = 128};
}

/// The same since 2.7 (CUDALoops.cuh of pytorch@002a567): eight elements a thread, 16 bytes at a time at most.
StreamTiling pytorch_stream_of_eight(DType widest, std::int64_t elements) {
  constexpr int elements_of_thread = 8;
  const int vector = std::min(vector_of(widest, elements, vector_bytes), elements_of_thread);
  return {.vector = vector, .threads = 128, .unroll = elements_of_thread / vector};
}

/// What each CTA has to ask for so that all of an SM ask for its largest share of shared memory: PyTorch's kernels
/// whose warps meet there find no more in L1 on V100, T4 and A100 (NeuSight's times of rows that would fit a larger
/// one).
int largest_share(const Profile& profile, int threads, std::int64_t used = 256) {
  const std::int64_t own = used + 1024;  ///< what the CTA uses, and what the system keeps
  constexpr std::int64_t line = 128;
  if (profile.shared.capacity.is_unlimited() || profile.sm.warps.is_unlimited()) return 0;
  const std::int64_t ctas = std::max<std::int64_t>(profile.sm.warps.value() * lanes / threads, 1);
  const std::int64_t bytes = profile.shared.capacity.value().count() / ctas - own;
  return static_cast<int>(std::max<std::int64_t>(bytes / line * line, 0));
}

/// PyTorch moves whole trips of its CTA in vectors and the rest an element at a time. The vector with which a row takes
/// about as many trips.
int vector_of_trips(DType dtype, std::int64_t columns, int threads) {
  const int widest = vector_of(dtype, columns, vector_bytes);
  const std::int64_t span = std::int64_t{threads} * (vector_bytes / size_of(dtype));
  const std::int64_t trips = columns / span + (columns % span + threads - 1) / threads;
  const auto trips_of = [&](std::int64_t elements) { return (columns + elements - 1) / elements; };
  int vector = widest;
  while (vector > 1 && trips_of(std::int64_t{threads} * vector) < trips) vector /= 2;
  return vector;
}

/// PyTorch's softmax of up to 1024 elements (PersistentSoftmax.cuh): in a warp's registers, four warps a CTA.
std::optional<SoftmaxTiling> softmax_of_warps(DType dtype, std::int64_t columns) {
  constexpr std::int64_t most_of_warp = 1024;
  constexpr std::int64_t most_bytes = 4096;
  constexpr int warp_cta = 128;
  if (columns > most_of_warp || columns * size_of(dtype) > most_bytes) return std::nullopt;
  SoftmaxTiling tiling;
  tiling.divides = tiling.precise = true;
  tiling.place = RowPlace::registers;
  tiling.vector = 1;
  tiling.threads = static_cast<int>(std::min<std::int64_t>(lanes, power_of_two_from(columns)));
  tiling.rows_per_cta = warp_cta / tiling.threads;
  return tiling;
}

/// Of longer rows before 2.4 (SoftMax.cu): half as many threads as the row has vectors, so that most of it goes in
/// vectors and the rest an element at a time; three passes through the caches, and threads that meet in shared memory,
/// where one warp, then one thread, goes through what all have.
SoftmaxTiling softmax_of_blocks(const Profile& profile, DType dtype, std::int64_t columns) {
  SoftmaxTiling tiling;
  tiling.divides = tiling.precise = true;
  tiling.place = RowPlace::memory;
  tiling.vector = static_cast<int>(vector_bytes / size_of(dtype));
  tiling.rest_vector = 1;
  tiling.threads = static_cast<int>(std::max<std::int64_t>(
      power_of_two_from(std::min<std::int64_t>(columns / tiling.vector, most_cta_threads) / 2), lanes));
  tiling.unroll = 1;
  tiling.meeting = tiling.threads > lanes ? RowMeeting::one_warp : RowMeeting::shuffles;
  tiling.reserved = largest_share(profile, tiling.threads, std::int64_t{tiling.threads} * size_of(DType::fp32));
  return tiling;
}

/// From 2.4 on a longer row has 1024 threads, so that an SM has few rows at a time. In whole vectors it is loaded once,
/// into shared memory, as far as a CTA has that without asking; else it is read three times. Warps beyond the end of
/// the row do nothing: here they are not there, and room is left for them.
SoftmaxTiling pytorch_softmax(const Profile& profile, DType dtype, std::int64_t columns) {
  constexpr std::int64_t shared_of_cta = std::int64_t{48} * 1024;
  constexpr std::int64_t meeting = 128;  ///< of it, where warps meet
  SoftmaxTiling tiling;
  tiling.divides = tiling.precise = true;
  tiling.unroll = 1;
  tiling.threads = most_cta_threads;
  tiling.reserved = largest_share(profile, most_cta_threads);
  const std::int64_t row = columns * size_of(dtype);
  if (row % vector_bytes == 0 && row + meeting <= shared_of_cta) {
    tiling.place = RowPlace::shared;
    tiling.vector = vector_of(dtype, columns, vector_bytes);
    tiling.threads =
        static_cast<int>(std::min<std::int64_t>(power_of_two_from(columns / tiling.vector), most_cta_threads));
    const std::int64_t loaded = power_of_two_from(columns) * size_of(dtype);
    tiling.reserved = static_cast<int>(std::max<std::int64_t>(tiling.reserved - loaded, 0));
  } else {
    tiling.place = RowPlace::memory;
    tiling.vector = vector_of_trips(dtype, columns, tiling.threads);
  }
  return tiling;
}

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
  tiling.vector = vector_of(dtype, columns, vector_bytes);
  tiling.threads = warps * lanes;
  while (tiling.threads > lanes && std::int64_t{tiling.threads} * tiling.vector > block) tiling.threads /= 2;
  return tiling;
}

/// vLLM's: a CTA a token, of up to 1024 threads, an element a thread at a time, read again for the second pass.
RowTiling element_a_thread(std::int64_t columns) {
  RowTiling tiling;
  tiling.place = RowPlace::memory;
  tiling.vector = 1;
  tiling.threads = static_cast<int>(std::clamp<std::int64_t>(power_of_two_up_to(columns), lanes, most_cta_threads));
  tiling.unroll = 1;
  return tiling;
}

/// PyTorch's layer norm (layer_norm_kernel.cu): four warps a row, four elements a thread at a time, Welford's running
/// mean, and the row read again; rows that are no multiple of four by another kernel, an element at a time.
NormTiling pytorch_norm(const Profile& profile, std::int64_t columns) {
  constexpr std::int64_t elements_of_thread = 4;
  NormTiling tiling;
  tiling.place = RowPlace::memory;
  tiling.vector = columns % elements_of_thread == 0 ? elements_of_thread : 1;
  tiling.threads = tiling.vector == 1 ? 512 : 128;
  tiling.unroll = 1;
  tiling.welford = true;
  tiling.reserved = largest_share(profile, tiling.threads);
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

}  // namespace

TreeReduction tree_reduction(std::string_view written_by) {
  constexpr int threads = 256;
  const TreeStep* const step = tree_step(written_by);
  if (step == nullptr) return {};
  return {std::int64_t{threads} * step->elements,
          {.vector = 1, .threads = threads, .unroll = step->elements, .meeting = step->meeting}};
}

StreamTiling stream_tiling(KernelLibrary library, DType widest, std::int64_t elements, std::int64_t columns) {
  if (library == KernelLibrary::vllm)
    return {.vector = 1,
            .threads = static_cast<int>(std::clamp<std::int64_t>(columns / lanes * lanes, lanes, most_cta_threads))};
  if (library == KernelLibrary::triton) return {.vector = vector_of(widest, elements, vector_bytes), .threads = 128};
  if (library == KernelLibrary::pytorch_2_7) return pytorch_stream_of_eight(widest, elements);
  return pytorch_stream(elements);
}

SoftmaxTiling softmax_tiling(KernelLibrary library, const Profile& profile, DType dtype, std::int64_t columns) {
  if (library != KernelLibrary::triton) {
    if (const auto of_warps = softmax_of_warps(dtype, columns)) return *of_warps;
    return library == KernelLibrary::pytorch_2_3 ? softmax_of_blocks(profile, dtype, columns)
                                                 : pytorch_softmax(profile, dtype, columns);
  }
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
    tiling = pytorch_norm(profile, columns);
    tiling.welford = norm == schedules::NormKind::layer;
  }
  return tiling;
}

}  // namespace gpusim::validate
