// Loads that keep one kind of unit busy: kernels of a given trip count, and the data they work on.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp8.h>

#include "common.h"

namespace measure {

/// When a kernel's first block began and ended: nanoseconds, and cycles between.
struct Stamp {
  std::uint64_t begin, end;
  long long cycles;
};

struct Args {
  uint4* data;
  std::uint64_t bytes;  // Of the data, for loads that walk through it: a multiple of 16.
  int trips;
  std::uint32_t never;  // A result that does not come up; the compiler cannot know.
  std::uint32_t* sink;
  Stamp* stamp;
};

struct Watch {
  std::uint64_t time;
  long long clock;
};

__device__ inline Watch begin_watch() { return {globaltimer(), clock64()}; }

/// Keeps the result alive and writes the stamp.
__device__ inline void finish_load(const Args& args, const Watch& watch, std::uint32_t result) {
  if (result == args.never) *args.sink = result;
  __syncthreads();
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    const long long clock = clock64();
    *args.stamp = {watch.time, globaltimer(), clock - watch.clock};
  }
}

// ---- data ----

enum class Data { kZero, kBits, kFloat, kBf16, kFp8, kInt8, kTf32 };

__device__ inline std::uint32_t hash(std::uint64_t i) {
  i = (i + 0x9e3779b97f4a7c15ull) * 0xbf58476d1ce4e5b9ull;
  i = (i ^ (i >> 31)) * 0x94d049bb133111ebull;
  return std::uint32_t((i ^ (i >> 29)) >> 16);
}

/// Normally distributed, sigma 1.
__device__ inline float normal(std::uint64_t i) {
  const float u = (float(hash(2 * i) >> 8) + 0.5f) / 16777216.0f;
  const float v = float(hash(2 * i + 1) >> 8) / 16777216.0f;
  return sqrtf(-2 * logf(u)) * cospif(2 * v);
}

/// The i-th 32-bit word.
__device__ inline std::uint32_t word(Data data, std::uint64_t i) {
  std::uint32_t bits = 0;
  switch (data) {
    case Data::kZero:
      return 0;
    case Data::kBits:
    case Data::kInt8:
      return hash(i);
    case Data::kFloat:
      return __float_as_uint(normal(i));
    case Data::kTf32:
      return (__float_as_uint(normal(i)) + 0x1000u) & 0xffffe000u;
    case Data::kBf16:
      for (int j = 0; j < 2; ++j) {
        bits |= std::uint32_t(__bfloat16_as_ushort(__float2bfloat16(normal(2 * i + j)))) << (16 * j);
      }
      return bits;
    case Data::kFp8:
      for (int j = 0; j < 4; ++j) {
        bits |= std::uint32_t(__nv_cvt_float_to_fp8(normal(4 * i + j), __NV_SATFINITE, __NV_E4M3)) << (8 * j);
      }
      return bits;
  }
  return 0;
}

__global__ void fill(uint4* to, std::uint64_t count, Data data) {
  const std::uint64_t step = std::uint64_t(gridDim.x) * blockDim.x;
  for (std::uint64_t i = std::uint64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
    to[i] = {word(data, 4 * i), word(data, 4 * i + 1), word(data, 4 * i + 2), word(data, 4 * i + 3)};
  }
}

// ---- instructions ----

/// One warp that reads the clock.
constexpr int kSpinReads = 16;
__global__ void spin_load(Args args) {
  const Watch watch = begin_watch();
  std::uint32_t sum = 0;
#pragma unroll 1
  for (int trip = 0; trip < args.trips; ++trip) {
#pragma unroll
    for (int i = 0; i < kSpinReads; ++i) sum ^= std::uint32_t(clock64());
  }
  finish_load(args, watch, sum);
}

/// Integer sums and logic of three operands, eight chains that mix.
constexpr int kIssuePerTrip = 128;
__global__ void __launch_bounds__(512) issue_load(Args args) {
  const Watch watch = begin_watch();
  std::uint32_t x[8];
  for (int i = 0; i < 8; ++i) x[i] = hash(threadIdx.x * 8 + i);
#pragma unroll 1
  for (int trip = 0; trip < args.trips; ++trip) {
#pragma unroll
    for (int i = 0; i < kIssuePerTrip / 2; ++i) {
      std::uint32_t& y = x[i % 8];
      y = y + x[(i + 3) % 8] + x[(i + 5) % 8];
      asm volatile("lop3.b32 %0, %1, %2, %3, 0x96;"
                   : "=r"(x[(i + 4) % 8])
                   : "r"(x[(i + 4) % 8]), "r"(x[(i + 1) % 8]), "r"(x[(i + 2) % 8]));
    }
  }
  std::uint32_t sum = 0;
  for (int i = 0; i < 8; ++i) sum ^= x[i];
  finish_load(args, watch, sum);
}

/// Products of a column and a row, added to a tile and taken off again: sums stay small.
constexpr int kFmaPerTrip = 2 * 4 * 4 * 8;
__global__ void __launch_bounds__(512) fma_load(Args args) {
  const Watch watch = begin_watch();
  const float* from = reinterpret_cast<const float*>(args.data) + threadIdx.x;
  float a[4][4], b[4][8], sums[4][8];
#pragma unroll
  for (int i = 0; i < 16; ++i) a[i / 4][i % 4] = from[512 * i];
#pragma unroll
  for (int i = 0; i < 32; ++i) {
    b[i / 8][i % 8] = from[512 * (16 + i)];
    sums[i / 8][i % 8] = 8 * from[512 * (48 + i)];
  }
#pragma unroll 1
  for (int trip = 0; trip < args.trips; ++trip) {
#pragma unroll
    for (int k = 0; k < 8; ++k) {
#pragma unroll
      for (int i = 0; i < 32; ++i) {
        const float x = a[k % 4][i / 8];
        sums[i / 8][i % 8] = fmaf(k < 4 ? x : -x, b[k % 4][i % 8], sums[i / 8][i % 8]);
      }
    }
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 32; ++i) sum += sums[i / 8][i % 8];
  finish_load(args, watch, __float_as_uint(sum));
}

/// Warp-wide bf16 products from registers: 2 x 4 tiles, two steps of k; sums begin anew after 32 trips.
constexpr int kMmaPerTrip = 16;
__global__ void __launch_bounds__(512) mma_load(Args args) {
  const Watch watch = begin_watch();
  const std::uint32_t* from = reinterpret_cast<const std::uint32_t*>(args.data) + threadIdx.x;
  std::uint32_t a[4][4], b[8][2];
  float d[8][4] = {};
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    a[i / 4][i % 4] = from[512 * i];
    b[i / 2][i % 2] = from[512 * (16 + i)];
  }
#pragma unroll 1
  for (int trip = 0; trip < args.trips; ++trip) {
    if (trip % 32 == 0) {
#pragma unroll
      for (int i = 0; i < 32; ++i) d[i / 4][i % 4] = 0;
    }
#pragma unroll
    for (int i = 0; i < kMmaPerTrip; ++i) {
      const int k = i / 8, tile = i % 8;
      float(&s)[4] = d[tile];
      const std::uint32_t(&f)[4] = a[2 * k + tile / 4];
      const std::uint32_t(&g)[2] = b[4 * k + tile % 4];
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
          "{%0, %1, %2, %3};"
          : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3])
          : "r"(f[0]), "r"(f[1]), "r"(f[2]), "r"(f[3]), "r"(g[0]), "r"(g[1]));
    }
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 32; ++i) sum += d[i / 4][i % 4];
  finish_load(args, watch, __float_as_uint(sum));
}

// ---- memory ----

__device__ inline std::uint32_t both(std::uint32_t sum, std::uint32_t x, std::uint32_t y) { return sum ^ x ^ y; }

__device__ inline void add(uint4& sum, const uint4& x, const uint4& y) {
  sum = {both(sum.x, x.x, y.x), both(sum.y, x.y, y.y), both(sum.z, x.z, y.z), both(sum.w, x.w, y.w)};
}

__device__ inline std::uint32_t fold(const uint4& sum) { return sum.x ^ sum.y ^ sum.z ^ sum.w; }

/// 64 KiB of shared memory, 16 bytes a thread, all of it in a trip.
constexpr int kSharedBytes = 65536;
__global__ void __launch_bounds__(512) shared_load(Args args) {
  extern __shared__ uint4 shared[];
  for (int i = int(threadIdx.x); i < kSharedBytes / 16; i += 512) shared[i] = args.data[i];
  __syncthreads();
  const Watch watch = begin_watch();
  const std::uint32_t address = std::uint32_t(__cvta_generic_to_shared(shared)) + threadIdx.x * 16;
  std::uint32_t last = 0;
#pragma unroll 1
  for (int trip = 0; trip < args.trips; ++trip) {
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      uint4 v;
      asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                   : "r"(address + 8192 * i));
      if (i == 7) last = fold(v);
    }
  }
  finish_load(args, watch, last);
}

/// 64 KiB that all SMs read, each from its L1: half of it in a trip.
constexpr int kL1BytesPerTrip = 32768;
__global__ void __launch_bounds__(512) l1_load(Args args) {
  const Watch watch = begin_watch();
  const char* from = reinterpret_cast<const char*>(args.data + threadIdx.x);
  uint4 sum = {};
#pragma unroll 1
  for (int trip = 0; trip < args.trips; ++trip) {
    const char* half = from + trip % 2 * kL1BytesPerTrip;
    uint4 v[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(v[i].x), "=r"(v[i].y), "=r"(v[i].z), "=r"(v[i].w)
                   : "l"(half + 8192 * i));
    }
    add(sum, v[0], v[1]);
    add(sum, v[2], v[3]);
  }
  finish_load(args, watch, fold(sum));
}

/// All threads walk through the data, 4 x 16 bytes each in a trip, around at its end. A copy reads the first half
/// and writes the second; `args.bytes` is what is walked, for a copy one half.
enum class Walk { kRead, kWrite, kCopy };
template <Walk kWalk>
__global__ void __launch_bounds__(512, 2) walk_load(Args args) {
  const Watch watch = begin_watch();
  const std::uint64_t step = std::uint64_t(gridDim.x) * 512 * 16;
  std::uint64_t at = (std::uint64_t(blockIdx.x) * 512 + threadIdx.x) * 16;
  char* const data = reinterpret_cast<char*>(args.data);
  uint4 sum = {};
  uint4 v[4];
  for (int i = 0; i < 4; ++i)
    v[i] = {hash(at + 4 * i), hash(at + 4 * i + 1), hash(at + 4 * i + 2), hash(at + 4 * i + 3)};
#pragma unroll 1
  for (int trip = 0; trip < args.trips; ++trip) {
    char* place[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      place[i] = data + at;
      at += step;
      if (at >= args.bytes) at -= args.bytes;
      if constexpr (kWalk != Walk::kWrite) {
        asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v[i].x), "=r"(v[i].y), "=r"(v[i].z), "=r"(v[i].w)
                     : "l"(place[i]));
      }
    }
    if constexpr (kWalk == Walk::kRead) {
      add(sum, v[0], v[1]);
      add(sum, v[2], v[3]);
    } else {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        if constexpr (kWalk == Walk::kCopy) place[i] += args.bytes;
        *reinterpret_cast<uint4*>(place[i]) = v[i];
        if constexpr (kWalk == Walk::kWrite) {
          v[i] = {v[i].x + 0x9e3779b9u, v[i].y + 0x7f4a7c15u, v[i].z + 0xbf58476du, v[i].w + 0x94d049bbu};
        }
      }
    }
  }
  finish_load(args, watch, fold(sum));
}

}  // namespace measure
