// Barriers in shared memory, bulk copies, tensor maps, and stamps of blocks: what tma.cu and cluster.cu share.
#pragma once

#include <cstdint>

#include "common.h"

namespace measure {

__device__ inline std::uint32_t shared_address(const void* pointer) {
  return std::uint32_t(__cvta_generic_to_shared(pointer));
}

/// The first 1024-byte boundary of dynamic shared memory.
__device__ inline std::uint32_t dynamic_shared() {
  extern __shared__ char dynamic_bytes[];
  return (shared_address(dynamic_bytes) + 1023) / 1024 * 1024;
}

__device__ inline void barrier_init(std::uint32_t barrier, std::uint32_t count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
}

/// After the inits: the copy engine and the cluster see them.
__device__ inline void barriers_ready() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async;" ::: "memory");
}

__device__ inline void barrier_expect(std::uint32_t barrier, std::uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

__device__ inline void barrier_arrive(std::uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

/// `barrier` is an address of the cluster's window, as map_rank gives it.
__device__ inline void barrier_arrive_remote(std::uint32_t barrier) {
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(barrier) : "memory");
}

__device__ inline std::uint32_t map_rank(std::uint32_t address, std::uint32_t rank) {
  std::uint32_t mapped;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(address), "r"(rank));
  return mapped;
}

template <bool kCluster>
__device__ inline std::uint32_t barrier_try(std::uint32_t barrier, std::uint32_t parity) {
  std::uint32_t done;
  if constexpr (kCluster) {
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"(barrier), "r"(parity)
        : "memory");
  } else {
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(barrier), "r"(parity)
                 : "memory");
  }
  return done;
}

/// Waits for the phase of `parity` to end. What takes much too long ends the kernel.
template <bool kCluster = false>
__device__ inline void barrier_wait(std::uint32_t barrier, std::uint32_t parity) {
  for (int tries = 0; tries < (1 << 18); ++tries) {
    if (barrier_try<kCluster>(barrier, parity)) return;
  }
  __trap();
}

/// A bulk copy of consecutive bytes into shared memory.
__device__ inline void copy_bulk(std::uint32_t to, const void* from, std::uint32_t bytes, std::uint32_t barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
               "l"(from), "r"(bytes), "r"(barrier)
               : "memory");
}

__device__ inline void copy_box(std::uint32_t to, const CUtensorMap* map, int x, std::uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2}], [%3];" ::"r"(
          to),
      "l"(map), "r"(x), "r"(barrier)
      : "memory");
}

__device__ inline void copy_box(std::uint32_t to, const CUtensorMap* map, int x, int y, std::uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::
          "r"(to),
      "l"(map), "r"(x), "r"(y), "r"(barrier)
      : "memory");
}

/// The same into all CTAs of `mask`, at the same address of each, with the same barrier of each.
__device__ inline void copy_box_to_all(std::uint32_t to, const CUtensorMap* map, int x, int y, std::uint32_t barrier,
                                       std::uint16_t mask) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster"
      " [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to),
      "l"(map), "r"(x), "r"(y), "r"(barrier), "h"(mask)
      : "memory");
}

__device__ inline void store_box(const CUtensorMap* map, int x, int y, std::uint32_t from) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map), "r"(x),
               "r"(y), "r"(from)
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

__device__ inline void cluster_sync() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__device__ inline std::uint32_t cluster_rank() {
  std::uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

/// Clock and time of a block's begin and end.
struct Stamp {
  long long c0, c1;
  std::uint64_t t0, t1;
};

/// Of all blocks: from the first begin to the last end, the usual clock, and the mean of the blocks' cycles.
struct Reading {
  double seconds, mhz, cycles;
};

inline Reading reading(const std::vector<Stamp>& stamps) {
  std::uint64_t begin = stamps[0].t0, end = stamps[0].t1;
  double cycles = 0;
  std::vector<double> mhz;
  for (const Stamp& s : stamps) {
    begin = std::min(begin, s.t0), end = std::max(end, s.t1);
    cycles += double(s.c1 - s.c0) / double(stamps.size());
    mhz.push_back(1000.0 * double(s.c1 - s.c0) / double(std::max<std::uint64_t>(s.t1 - s.t0, 1)));
  }
  return {1e-9 * double(std::max<std::uint64_t>(end - begin, 1)), median(mhz), cycles};
}

/// A map of a tensor with rows of `width` elements; extents of a box, the contiguous one first.
inline CUtensorMap tensor_map(void* data, CUtensorMapDataType type, int element_bytes, std::uint64_t width,
                              std::uint64_t rows, std::uint32_t box_width, std::uint32_t box_rows, bool swizzled) {
  CUtensorMap map;
  const int rank = rows == 0 ? 1 : 2;  // No rows: one dimension.
  const cuuint64_t extents[2] = {width, rows}, strides[1] = {width * element_bytes};
  const cuuint32_t box[2] = {box_width, box_rows}, steps[2] = {1, 1};
  MEASURE_CHECK(cuTensorMapEncodeTiled(&map, type, cuuint32_t(rank), data, extents, strides, box, steps,
                                       CU_TENSOR_MAP_INTERLEAVE_NONE,
                                       swizzled ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_NONE,
                                       CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
  return map;
}

}  // namespace measure
