// The load of the tensor cores by warp group instructions: operands in shared memory (A perhaps in registers).
#pragma once

#include <type_traits>

#include "power_loads.h"

namespace measure {

enum class Wgmma { kBf16, kBf16Registers, kFp8, kInt8, kTf32 };

/// Elements that one instruction takes along k: 32 bytes of every row.
constexpr int wgmma_k(Wgmma kind) {
  switch (kind) {
    case Wgmma::kFp8:
    case Wgmma::kInt8:
      return 32;
    case Wgmma::kTf32:
      return 8;
    default:
      return 16;
  }
}

// A stage: 128 rows of A (64 for each of two warp groups) and 256 rows of B, 128 bytes each.
constexpr int kRowBytes = 128, kGroupBytes = 64 * kRowBytes, kStageBytes = (2 * 64 + 256) * kRowBytes, kStages = 4;
constexpr int kWgmmaBytes = kStages * kStageBytes;
constexpr int kWgmmaPerTrip = kStages * (kRowBytes / 32);
constexpr int kTripsPerSum = 64 / kWgmmaPerTrip;  // Then the sums begin anew.

#define MEASURE_SUMS                                                                             \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                       \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "             \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "             \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "             \
  "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "             \
  "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "             \
  "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
  "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"

#define MEASURE_4(C, i) C(d[i]), C(d[i + 1]), C(d[i + 2]), C(d[i + 3])
#define MEASURE_16(C, i) MEASURE_4(C, i), MEASURE_4(C, i + 4), MEASURE_4(C, i + 8), MEASURE_4(C, i + 12)
#define MEASURE_64(C, i) MEASURE_16(C, i), MEASURE_16(C, i + 16), MEASURE_16(C, i + 32), MEASURE_16(C, i + 48)
#define MEASURE_128(C) MEASURE_64(C, 0), MEASURE_64(C, 64)

// One instruction with A and B in shared memory. C: constraint of the sums; `scales`: what follows the predicate.
#define MEASURE_WGMMA(shape, scales, C)                                                       \
  asm volatile(                                                                               \
      "{ .reg .pred p; setp.ne.b32 p, %130, 0;\n"                                             \
      "wgmma.mma_async.sync.aligned." shape " {" MEASURE_SUMS "}, %128, %129, p" scales "; }" \
      : MEASURE_128(C)                                                                        \
      : "l"(a), "l"(b), "r"(keep))

/// A descriptor: address, 1024 bytes from 8 rows to the next 8, swizzle of 128 bytes, rows along k.
__device__ inline std::uint64_t descriptor(std::uint32_t address) {
  return std::uint64_t((address & 0x3ffff) >> 4) | std::uint64_t(1) << 16 | std::uint64_t(1024 >> 4) << 32 |
         std::uint64_t(1) << 62;
}

/// keep: 0 begins the sums anew. `f` is the A fragment, of the kind that has it in registers.
template <Wgmma kKind, class T>
__device__ inline void wgmma(T (&d)[128], std::uint64_t a, std::uint64_t b, const std::uint32_t (&f)[4], int keep) {
#define MEASURE_F(x) "+f"(x)
#define MEASURE_R(x) "+r"(x)
  if constexpr (kKind == Wgmma::kBf16) {
    MEASURE_WGMMA("m64n256k16.f32.bf16.bf16", ", 1, 1, 0, 0", MEASURE_F);
  } else if constexpr (kKind == Wgmma::kFp8) {
    MEASURE_WGMMA("m64n256k32.f32.e4m3.e4m3", ", 1, 1", MEASURE_F);
  } else if constexpr (kKind == Wgmma::kTf32) {
    MEASURE_WGMMA("m64n256k8.f32.tf32.tf32", ", 1, 1", MEASURE_F);
  } else if constexpr (kKind == Wgmma::kInt8) {
    MEASURE_WGMMA("m64n256k32.s32.s8.s8", "", MEASURE_R);
  } else {
    asm volatile(
        "{ .reg .pred p; setp.ne.b32 p, %133, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {" MEASURE_SUMS
        "}, {%128, %129, %130, %131}, %132, p, 1, 1, 0; }"
        : MEASURE_128(MEASURE_F)
        : "r"(f[0]), "r"(f[1]), "r"(f[2]), "r"(f[3]), "l"(b), "r"(keep));
  }
#undef MEASURE_F
#undef MEASURE_R
}

template <Wgmma kKind>
__global__ void __launch_bounds__(256, 1) wgmma_load(Args args) {
  extern __shared__ char raw[];
  const std::uint32_t start = std::uint32_t(__cvta_generic_to_shared(raw));
  const std::uint32_t base = (start + 1023) / 1024 * 1024;
  uint4* shared = reinterpret_cast<uint4*>(raw + (base - start));
  for (int i = int(threadIdx.x); i < kWgmmaBytes / 16; i += 256) shared[i] = args.data[i];
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  const Watch watch = begin_watch();

  using Sum = std::conditional_t<kKind == Wgmma::kInt8, int, float>;
  Sum d[128];
#pragma unroll
  for (int i = 0; i < 128; ++i) d[i] = 0;
  std::uint32_t f[4][4] = {};
  if constexpr (kKind == Wgmma::kBf16Registers) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const uint4 v = args.data[256 * i + threadIdx.x];
      f[i][0] = v.x, f[i][1] = v.y, f[i][2] = v.z, f[i][3] = v.w;
    }
  }
  const std::uint64_t a = descriptor(base + (threadIdx.x / 128) * kGroupBytes);
  const std::uint64_t b = descriptor(base + 2 * kGroupBytes);
#pragma unroll 1
  for (int trip = 0; trip < args.trips; ++trip) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int i = 0; i < kWgmmaPerTrip; ++i) {
      const int offset = (i / 4 * kStageBytes + i % 4 * 32) >> 4;
      wgmma<kKind>(d, a + offset, b + offset, f[i % 4], i > 0 || trip % kTripsPerSum != 0);
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  }
  Sum sum = 0;
#pragma unroll
  for (int i = 0; i < 128; ++i) sum += d[i];
  if constexpr (kKind == Wgmma::kInt8) {
    finish_load(args, watch, std::uint32_t(sum));
  } else {
    finish_load(args, watch, __float_as_uint(sum));
  }
}

}  // namespace measure
