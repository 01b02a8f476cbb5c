// What the programs that measure memory share: loads that stay as they are written, stamps of kernels, a read of all.
#pragma once

#include "common.h"

namespace measure {

using Word = unsigned long long;
constexpr std::size_t kMiB = 1 << 20;

/// Loads that the compiler keeps, in order. Plain ones take L1; an explicit .ca would make them strong ones.
__device__ inline Word load_ca(const Word* at) {
  Word value;
  asm volatile("ld.global.u64 %0, [%1];" : "=l"(value) : "l"(at) : "memory");
  return value;
}
__device__ inline Word load_cg(const Word* at) {
  Word value;
  asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(value) : "l"(at) : "memory");
  return value;
}
template <bool kCg>
__device__ inline Word load(const Word* at) {
  return kCg ? load_cg(at) : load_ca(at);
}
__device__ inline unsigned sm_id() {
  unsigned id;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
  return id;
}
__device__ inline unsigned shared_address(const void* at) { return unsigned(__cvta_generic_to_shared(at)); }

/// Stamps of a CTA, by its first thread, with all threads at the same point.
struct Stopwatch {
  std::uint64_t t0;
  long long c0;
  __device__ Stopwatch() {
    __syncthreads();
    t0 = globaltimer();
    c0 = clock64();
  }
  __device__ void stop(Span* span) const {
    __syncthreads();
    const long long c1 = clock64();
    const std::uint64_t t1 = globaltimer();
    if (threadIdx.x == 0) *span = {c1 - c0, t1 - t0};
  }
};

/// All SMs read `count` pieces of 16 bytes.
static __global__ void read_all(const uint4* data, std::size_t count, Word* sink) {
  unsigned sum = 0;
  const std::size_t step = std::size_t(gridDim.x) * blockDim.x;
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < count; i += step) {
    const uint4 v = __ldcg(data + i);
    sum += v.x ^ v.y ^ v.z ^ v.w;
  }
  if (sum == 12345) *sink = sum;
}

}  // namespace measure
