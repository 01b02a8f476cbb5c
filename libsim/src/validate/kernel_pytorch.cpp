#include "validate/kernel_pytorch.h"

#include <algorithm>
#include <numeric>

#include "integers.h"
#include "sizes.h"
#include "validate/kernel_sharing.h"

namespace gpusim::validate {
namespace {

using schedules::NormTiling;
using schedules::RowMeeting;
using schedules::RowPlace;
using schedules::SoftmaxTiling;
using schedules::StreamTiling;
using schedules::TransposeTiling;

/// What each CTA has to ask for so that all of an SM ask for its largest share of shared memory: PyTorch's kernels
/// whose warps meet there find no more in L1 on V100, T4 and A100 (NeuSight's times of rows that would fit a larger
/// one).
int largest_share(const Profile& profile, int threads, std::int64_t used = 256) {
  const std::int64_t own = used + 1024;  ///< what the CTA uses, and what the system keeps
  constexpr std::int64_t line = 128;
  if (profile.shared.capacity.is_unlimited() || profile.sm.warps.is_unlimited()) return 0;
  const std::int64_t ctas = std::max<std::int64_t>(profile.sm.warps.value() * lanes_per_warp / threads, 1);
  const std::int64_t bytes = profile.shared.capacity.value().count() / ctas - own;
  return static_cast<int>(std::max<std::int64_t>(bytes / line * line, 0));
}

/// PyTorch moves whole trips of its CTA in vectors and the rest an element at a time. The vector with which a row takes
/// about as many trips.
int vector_of_trips(DType dtype, std::int64_t columns, int threads) {
  const std::int64_t span = std::int64_t{threads} * (chunk_bytes / size_of(dtype));
  const std::int64_t trips = columns / span + (columns % span + threads - 1) / threads;
  const auto trips_of = [&](std::int64_t elements) { return (columns + elements - 1) / elements; };
  int vector = access_of(dtype, columns);
  while (vector > 1 && trips_of(std::int64_t{threads} * vector) < trips) vector /= 2;
  return vector;
}

SoftmaxTiling exact_softmax(RowPlace place, int threads) {
  SoftmaxTiling tiling;
  tiling.divides = tiling.precise = true;
  tiling.place = place;
  tiling.threads = threads;
  tiling.unroll = 1;
  return tiling;
}

/// PersistentSoftmax.cuh: in a warp's registers, four warps a CTA, an element at a time. (Of 16-bit elements six loads
/// of a warp are on the way together in the compiled kernel, whose predicates are few; here all.)
SoftmaxTiling softmax_of_warps(std::int64_t columns) {
  constexpr int warp_cta = 128;
  SoftmaxTiling tiling = exact_softmax(
      RowPlace::registers, static_cast<int>(std::min<std::int64_t>(lanes_per_warp, power_of_two_from(columns))));
  tiling.vector = 1;
  tiling.rows_per_cta = warp_cta / tiling.threads;
  const std::int64_t elements = power_of_two_from(columns) / tiling.threads;
  // 30 of 8 elements, 48 of 32.
  tiling.registers = static_cast<int>(24 + elements * 3 / 4);
  tiling.beside = {.begin = 23, .load = 4, .store = 9};
  return tiling;
}

/// SoftMax.cu before 2.4: half as many threads as the row has vectors, so that most of it goes in vectors and the rest
/// an element at a time; three passes through the caches, and threads that meet in shared memory, where one warp, then
/// one thread, goes through what all have.
SoftmaxTiling softmax_of_blocks(const Profile& profile, DType dtype, std::int64_t columns) {
  SoftmaxTiling tiling = exact_softmax(RowPlace::memory, 0);
  tiling.vector = static_cast<int>(chunk_bytes / size_of(dtype));
  tiling.rest_vector = 1;
  tiling.threads = static_cast<int>(std::max<std::int64_t>(
      power_of_two_from(std::min<std::int64_t>(columns / tiling.vector, most_cta_threads) / 2), lanes_per_warp));
  tiling.meeting = tiling.threads > lanes_per_warp ? RowMeeting::one_warp : RowMeeting::shuffles;
  tiling.reserved = largest_share(profile, tiling.threads, std::int64_t{tiling.threads} * size_of(DType::fp32));
  return tiling;
}

/// cunn_SoftMaxForwardReg: a row in the registers of 1024 threads, an element at a time, fewer than ten each.
SoftmaxTiling softmax_in_registers(const Profile& profile) {
  SoftmaxTiling tiling = exact_softmax(RowPlace::registers, most_cta_threads);
  tiling.vector = 1;
  tiling.twice = true;
  tiling.registers = 32;
  tiling.meeting = RowMeeting::first_warp;
  tiling.reserved = largest_share(profile, most_cta_threads);
  tiling.beside = {.begin = 33, .load = 2, .element = 4, .store = 7, .meet = 16};
  return tiling;
}

/// Longer rows: in whole vectors loaded once, into shared memory, as far as a CTA has that without asking
/// (cunn_SoftMaxForwardSmem); else read three times (cunn_SoftMaxForward). Warps beyond the end of the row do nothing:
/// here they are not there, and room is left for them.
SoftmaxTiling softmax_of_1024(const Profile& profile, DType dtype, std::int64_t columns) {
  constexpr std::int64_t shared_of_cta = std::int64_t{48} * 1024;
  constexpr std::int64_t meeting = 128;  ///< of it, where warps meet
  const std::int64_t row = columns * size_of(dtype);
  const bool shared = row % chunk_bytes == 0 && row + meeting <= shared_of_cta;
  SoftmaxTiling tiling = exact_softmax(shared ? RowPlace::shared : RowPlace::memory, most_cta_threads);
  tiling.registers = 32;
  tiling.reserved = largest_share(profile, most_cta_threads);
  if (shared) {
    tiling.vector = access_of(dtype, columns);
    tiling.threads =
        static_cast<int>(std::min<std::int64_t>(power_of_two_from(columns / tiling.vector), most_cta_threads));
    const std::int64_t loaded = power_of_two_from(columns) * size_of(dtype);
    tiling.reserved = static_cast<int>(std::max<std::int64_t>(tiling.reserved - loaded, 0));
    tiling.beside = {.begin = 29, .load = tiling.vector, .store = 3 * tiling.vector, .meet = 20};
  } else {
    tiling.vector = vector_of_trips(dtype, columns, tiling.threads);
    tiling.beside = {.begin = 56, .load = tiling.vector / 2, .store = 2 * tiling.vector, .meet = 48};
  }
  if (tiling.threads > lanes_per_warp) tiling.meeting = RowMeeting::first_warp;
  return tiling;
}

}  // namespace

StreamTiling pytorch_stream(std::int64_t elements) {
  constexpr std::int64_t elements_of_thread = 4;
  return {.vector = static_cast<int>(std::gcd(elements, elements_of_thread)), .threads = 128};
}

StreamTiling pytorch_stream_of_eight(DType widest, std::int64_t elements) {
  constexpr int elements_of_thread = 8;
  const int vector = std::min(access_of(widest, elements), elements_of_thread);
  return {.vector = vector, .threads = 128, .unroll = elements_of_thread / vector};
}

TransposeTiling pytorch_transpose(DType dtype) {
  constexpr int threads = 128;
  const int elements_of_thread = size_of(dtype) >= size_of(DType::fp32) ? 2 : 4;
  return {.variant = schedules::TransposeVariant::gathered, .tile = threads * elements_of_thread, .threads = threads};
}

SoftmaxTiling pytorch_softmax(PytorchSoftmax kernels, const Profile& profile, DType dtype, std::int64_t columns) {
  const bool has_registers = kernels == PytorchSoftmax::registers;
  const std::int64_t most_of_warp = has_registers ? 2048 : 1024;
  constexpr std::int64_t most_bytes_of_element = 4;
  constexpr std::int64_t most_elements_of_thread = 9;
  if (columns <= most_of_warp && columns * size_of(dtype) <= most_of_warp * most_bytes_of_element)
    return softmax_of_warps(columns);
  if (kernels == PytorchSoftmax::blocks) return softmax_of_blocks(profile, dtype, columns);
  if (has_registers && columns <= most_elements_of_thread * most_cta_threads) return softmax_in_registers(profile);
  return softmax_of_1024(profile, dtype, columns);
}

NormTiling pytorch_norm(const Profile& profile, DType dtype, std::int64_t columns) {
  constexpr std::int64_t elements_of_thread = 4;
  const bool wide = size_of(dtype) >= size_of(DType::fp32);
  NormTiling tiling;
  tiling.place = RowPlace::memory;
  tiling.vector = columns % elements_of_thread == 0 ? elements_of_thread : 1;
  tiling.threads = tiling.vector == 1 ? 512 : 128;
  tiling.unroll = 1;
  tiling.welford = true;
  tiling.scalar_weights = true;
  tiling.registers = wide ? 40 : 32;
  tiling.reserved = largest_share(profile, tiling.threads);
  // Mean and variance meet apart here, together there.
  tiling.beside = {.begin = wide ? 55 : 27, .meet = wide ? 35 : 22};
  return tiling;
}

}  // namespace gpusim::validate
