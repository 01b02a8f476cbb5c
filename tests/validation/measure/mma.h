// mma.sync in a loop: warps of one SM, each with some independent sums.
#pragma once

#include <cstdint>
#include <type_traits>

#include "common.h"

namespace measure {

enum class Mma { kBf16, kFp16, kFp16Sums, kTf32, kFp8, kInt8 };

constexpr int mma_k(Mma kind) { return kind == Mma::kTf32 ? 8 : kind == Mma::kFp8 || kind == Mma::kInt8 ? 32 : 16; }

#define MMA_4(type, C)                                                                                     \
  asm volatile("mma.sync.aligned." type " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
               : C(d[0]), C(d[1]), C(d[2]), C(d[3])                                                        \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
#define MMA_F(x) "+f"(x)
#define MMA_R(x) "+r"(x)

template <Mma kKind, class T>
__device__ inline void mma(T (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
  if constexpr (kKind == Mma::kBf16) {
    MMA_4("m16n8k16.row.col.f32.bf16.bf16.f32", MMA_F);
  } else if constexpr (kKind == Mma::kFp16) {
    MMA_4("m16n8k16.row.col.f32.f16.f16.f32", MMA_F);
  } else if constexpr (kKind == Mma::kTf32) {
    MMA_4("m16n8k8.row.col.f32.tf32.tf32.f32", MMA_F);
  } else if constexpr (kKind == Mma::kFp8) {
    MMA_4("m16n8k32.row.col.f32.e4m3.e4m3.f32", MMA_F);
  } else if constexpr (kKind == Mma::kInt8) {
    MMA_4("m16n8k32.row.col.s32.s8.s8.s32", MMA_R);
  } else {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
                 : "+r"(d[0]), "+r"(d[1])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
}

/// out: the first and the last clock of every warp.
template <Mma kKind, int kIlp>
__global__ void mma_loop(const std::uint32_t* data, int trips, long long* out, float* sink) {
  using T = std::conditional_t<kKind == Mma::kInt8 || kKind == Mma::kFp16Sums, std::uint32_t, float>;
  std::uint32_t a[4], b[2];
  // fp8 operands are converted to fp16 before each multiply: new ones each time, so that this is not done only once.
  const auto renew = [&] {
    if constexpr (kKind == Mma::kFp8) {
      for (std::uint32_t& x : a) x += 1;
      for (std::uint32_t& x : b) x += 1;
    }
  };
  for (int i = 0; i < 4; ++i) a[i] = data[threadIdx.x % 32 + 32 * i];
  for (int i = 0; i < 2; ++i) b[i] = data[threadIdx.x % 32 + 32 * (4 + i)];
  T d[kIlp][4] = {};
  const auto loop = [&](int n) {
#pragma unroll 4
    for (int trip = 0; trip < n; ++trip) {
#pragma unroll
      for (int i = 0; i < kIlp; ++i) renew(), mma<kKind>(d[i], a, b);
    }
  };
  loop(64);
  __syncthreads();
  const long long c0 = clock64();
  loop(trips);
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kIlp; ++i) sum += float(d[i][0]) + float(d[i][1]) + float(d[i][2]) + float(d[i][3]);
  sink[threadIdx.x] = sum;  // Takes the sums, so that the clock below comes after them.
  asm volatile("" ::"f"(sum) : "memory");
  const long long c1 = clock64();
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32 * 2] = c0, out[threadIdx.x / 32 * 2 + 1] = c1;
}

template <Mma kKind, int kIlp>
void one_mma(Csv& csv, const char* input, const char* accumulate) {
  constexpr int kTrips = 4096;
  Buffer<std::uint32_t> data(32 * 6);
  data.copy_from(std::vector<std::uint32_t>(32 * 6, 0x38383838));  // A small value of every type.
  Buffer<long long> out(32);
  Buffer<float> sink(512);
  for (const int warps : {1, 2, 4, 8, 16}) {
    for (int i = 0; i < 2; ++i) {
      mma_loop<kKind, kIlp><<<1, 32 * warps>>>(data.get(), kTrips, out.get(), sink.get());
    }
    finish();
    const std::vector<long long> read = out.to_host();
    long long begin = read[0], end = read[1];
    for (int i = 1; i < warps; ++i) begin = std::min(begin, read[2 * i]), end = std::max(end, read[2 * i + 1]);
    const double cycles = double(end - begin) / kTrips;
    const double rate = 16.0 * 8 * mma_k(kKind) * kIlp * warps / cycles;
    csv.row({input, accumulate, "m16n8k" + std::to_string(mma_k(kKind)), std::to_string(warps), std::to_string(kIlp),
             text(cycles), text(rate), text(clock_soon())});
  }
}

template <Mma kKind>
void mmas(Csv& csv, const char* input, const char* accumulate) {
  one_mma<kKind, 1>(csv, input, accumulate);
  one_mma<kKind, 2>(csv, input, accumulate);
  one_mma<kKind, 3>(csv, input, accumulate);
  one_mma<kKind, 4>(csv, input, accumulate);
}

inline void all_mmas(Csv& csv) {
  mmas<Mma::kBf16>(csv, "bf16", "fp32");
  mmas<Mma::kFp16>(csv, "fp16", "fp32");
  mmas<Mma::kFp16Sums>(csv, "fp16", "fp16");
  mmas<Mma::kTf32>(csv, "tf32", "fp32");
  mmas<Mma::kFp8>(csv, "fp8", "fp32");
  mmas<Mma::kInt8>(csv, "int8", "int32");
}

}  // namespace measure
