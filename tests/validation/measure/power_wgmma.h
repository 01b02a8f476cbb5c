// The load of the tensor cores by warp group instructions: operands in shared memory (A perhaps in registers).
#pragma once

#include "power_loads.h"
#include "wgmma.h"

namespace measure {

// A stage: 128 rows of A (64 for each of two warp groups) and 256 rows of B, 128 bytes each.
constexpr int kRowBytes = 128, kGroupBytes = 64 * kRowBytes, kStageBytes = (2 * 64 + 256) * kRowBytes, kStages = 4;
constexpr int kWgmmaBytes = kStages * kStageBytes;
constexpr int kWgmmaPerTrip = kStages * (kRowBytes / 32);
constexpr int kTripsPerSum = 64 / kWgmmaPerTrip;  // Then the sums begin anew.

template <Kind kKind, bool kRegisters = false>
__global__ void __launch_bounds__(256, 1) wgmma_load(Args args) {
  extern __shared__ char raw[];
  const std::uint32_t start = std::uint32_t(__cvta_generic_to_shared(raw));
  const std::uint32_t base = (start + 1023) / 1024 * 1024;
  uint4* shared = reinterpret_cast<uint4*>(raw + (base - start));
  for (int i = int(threadIdx.x); i < kWgmmaBytes / 16; i += 256) shared[i] = args.data[i];
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  const Watch watch = begin_watch();

  Sum<kKind> d[128];
#pragma unroll
  for (int i = 0; i < 128; ++i) d[i] = 0;
  std::uint32_t f[4][4] = {};
  if constexpr (kRegisters) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const uint4 v = args.data[256 * i + threadIdx.x];
      f[i][0] = v.x, f[i][1] = v.y, f[i][2] = v.z, f[i][3] = v.w;
    }
  }
  const std::uint64_t a = describe(base + (threadIdx.x / 128) * kGroupBytes);
  const std::uint64_t b = describe(base + 2 * kGroupBytes);
#pragma unroll 1
  for (int trip = 0; trip < args.trips; ++trip) {
    wgmma_fence();
#pragma unroll
    for (int i = 0; i < kWgmmaPerTrip; ++i) {
      const int offset = (i / 4 * kStageBytes + i % 4 * 32) >> 4;
      wgmma<kKind, 256, kRegisters>(d, f[i % 4], a + offset, b + offset, i > 0 || trip % kTripsPerSum != 0);
    }
    wgmma_commit();
    wgmma_wait<0>();
  }
  Sum<kKind> sum = 0;
#pragma unroll
  for (int i = 0; i < 128; ++i) sum += d[i];
  if constexpr (kKind == Kind::kInt8) {
    finish_load(args, watch, sum);
  } else {
    finish_load(args, watch, __float_as_uint(sum));
  }
}

}  // namespace measure
