// The bf16 tensors that boxes are copied from and to, one for L2 and one for memory, and the way of a CTA through them.
#pragma once

#include "async.h"

namespace measure {

constexpr std::uint64_t kMiB = 1 << 20, kDramBytes = 2048 * kMiB, kL2Bytes = 16 * kMiB;
constexpr int kWidth = 8192, kBoxWidth = 64;  // Elements of a row of the bf16 tensors, and of a box of them.
constexpr int kSteps = kWidth / kBoxWidth;    // Boxes along a row.
constexpr int kRoom = 200 << 10;              // Shared memory for stages.

/// The two tensors of all parts: their bytes are zeros.
struct Tensors {
  Buffer<char> dram{kDramBytes}, l2{kL2Bytes};
  Tensors() {
    MEASURE_CHECK(cudaMemset(l2.get(), 0, kL2Bytes));
    MEASURE_CHECK(cudaMemset(dram.get(), 0, kDramBytes));
    MEASURE_CHECK(cudaDeviceSynchronize());
  }
  CUtensorMap map(bool from_dram, int rows) {
    return tensor_map(from_dram ? dram.get() : l2.get(), CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, kWidth, height(from_dram),
                      kBoxWidth, rows, true);
  }
  static int height(bool from_dram) { return int((from_dram ? kDramBytes : kL2Bytes) / (2 * kWidth)); }
};

/// Where a CTA's copies are: boxes along the rows of a tile, then of the tile `tile_step` further on.
struct Walk {
  int rows, tiles, tile_step, first_step;  // CTA i starts at tile i * first_step / 256 (mod tiles).
  /// The box of the first tile it starts with: in L2 CTAs are not to ask for the same one at the same time.
  __device__ int first_box() const { return tile_step == 1 ? int(blockIdx.x) * 37 % kSteps : 0; }
  __device__ int tile(int turn) const {
    return int((blockIdx.x * unsigned(first_step) / 256 + unsigned(turn * tile_step)) % unsigned(tiles));
  }
};

/// From memory each CTA has its own tiles; from L2 the CTAs begin at different rows and go through all.
inline Walk walk_of(bool from_dram, int rows) {
  const int tiles = Tensors::height(from_dram) / rows;
  if (from_dram) return {rows, tiles, sm_count(), 256};
  return {rows, tiles, 1, std::max(1, 256 * tiles / sm_count())};
}

/// Copies of each CTA: about 12 MiB of them from memory, no tile twice, or 48 MiB from L2; whole tiles.
inline int copies_of(bool from_dram, int rows) {
  const int tile_bytes = rows * kWidth * 2;
  int turns = std::max(1, int((from_dram ? 12 : 48) * kMiB / tile_bytes));
  if (from_dram) turns = std::min(turns, std::max(1, Tensors::height(true) / rows / sm_count()));
  return turns * kSteps;
}

inline std::vector<Stamp> third_run(Buffer<Stamp>& stamps, const std::function<void()>& launch) {
  for (int i = 0; i < 3; ++i) launch(), finish();
  return stamps.to_host();
}

template <class Kernel>
void allow_shared(Kernel* kernel) {
  MEASURE_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kRoom + 1024));
}

}  // namespace measure
