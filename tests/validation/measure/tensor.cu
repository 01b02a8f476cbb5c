// Rates and latencies of the tensor cores: by warp groups (parts wgmma, wgmma_sm, wgmma_chip) and by warps (mma).
// Build: nvcc -std=c++20 -O3 -gencode=arch=compute_90a,code=sm_90a tensor.cu -o tensor -lcuda
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cstring>
#include <random>

#include "common.h"
#include "mma.h"
#include "wgmma.h"

using namespace measure;

namespace {

constexpr int kBatch = 8;              // Multiplies of a batch.
constexpr int kDataBytes = 200 << 10;  // What kernels may take into shared memory.

/// Normal values of the type, of the kind's size; or zeros.
std::vector<char> values(Kind kind, bool zeros) {
  std::vector<char> bytes(kDataBytes, 0);
  if (zeros) return bytes;
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  const auto fill = [&](auto convert) {
    using T = decltype(convert(0.0f));
    for (std::size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
      const T value = convert(normal(random));
      std::memcpy(&bytes[at], &value, sizeof(T));
    }
  };
  switch (kind) {
    case Kind::kBf16:
      fill([](float x) { return __float2bfloat16(x); });
      break;
    case Kind::kTf32:
      fill([](float x) { return x; });
      break;
    case Kind::kFp8:
      fill([](float x) { return __nv_fp8_e4m3(x); });
      break;
    case Kind::kInt8:
      fill([](float x) { return static_cast<signed char>(32 * std::clamp(x, -3.9f, 3.9f)); });
      break;
    case Kind::kFp16:
      fill([](float x) { return __float2half(x); });
      break;
  }
  return bytes;
}

/// Copies data to the first 1024-byte boundary of dynamic shared memory; the address there.
__device__ std::uint32_t take(const uint4* data, int bytes) {
  extern __shared__ char raw[];
  const std::uint32_t start = std::uint32_t(__cvta_generic_to_shared(raw)), base = (start + 1023) / 1024 * 1024;
  uint4* shared = reinterpret_cast<uint4*>(raw + (base - start));
  for (int i = int(threadIdx.x); i < bytes / 16; i += int(blockDim.x)) shared[i] = data[i];
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  return base;
}

/// Multiplies in batches of eight, or one by one, each waited for: `trips` batches or single ones.
/// reset is 0: every eighth batch begins new sums, so they stay small;
/// that the compiler does not know it keeps it from leaving out what such a batch would overwrite.
template <Kind kKind, int kN, bool kRegisters, bool kWaited, int kSums>
__device__ void multiply(Sum<kKind> (&d)[kSums], const std::uint32_t (&f)[4], std::uint64_t a, std::uint64_t b,
                         int trips, int reset) {
  wgmma_fence();
#pragma unroll 1
  for (int trip = 0; trip < trips; ++trip) {
    wgmma_fence();
    if constexpr (kWaited) {
      wgmma<kKind, kN, kRegisters>(d, f, a, b, 1);
      wgmma_commit();
      wgmma_wait<0>();
    } else {
#pragma unroll
      for (int i = 0; i < kBatch; ++i) {
        const int slice = i % 4 * 32 >> 4;  // Four slices of 32 bytes along k.
        wgmma<kKind, kN, kRegisters>(d, f, a + slice, b + slice, i > 0 || trip % 8 != reset);
      }
      wgmma_commit();
      wgmma_wait<1>();
    }
  }
  wgmma_wait<0>();
#pragma unroll
  for (int i = 0; i < kSums; ++i) keep(d[i]);
}

/// One warp group. out: cycles of the waited multiplies, of the batches, nanoseconds of these; sink: sums.
template <Kind kKind, int kN, bool kRegisters>
__global__ void __launch_bounds__(128, 1)
    wgmma_alone(const uint4* data, int trips, int reset, long long* out, float* sink) {
  constexpr int kSums = sums_of<kKind, kN>, kA = 64 * 128, kB = kN * 128;
  const std::uint32_t base = take(data, kA + kB);
  const std::uint64_t a = describe(base), b = describe(base + kA);
  const uint4 v = data[threadIdx.x];
  const std::uint32_t f[4] = {v.x, v.y, v.z, v.w};
  Sum<kKind> d[kSums] = {};
  multiply<kKind, kN, kRegisters, true>(d, f, a, b, 64, reset);
  __syncthreads();
  const long long c0 = clock64();
  multiply<kKind, kN, kRegisters, true>(d, f, a, b, trips, reset);
  const long long c1 = clock64();
  multiply<kKind, kN, kRegisters, false>(d, f, a, b, 8, reset);
  const std::uint64_t t2 = globaltimer();
  const long long c2 = clock64();
  multiply<kKind, kN, kRegisters, false>(d, f, a, b, trips, reset);
  const long long c3 = clock64();
  const std::uint64_t t3 = globaltimer();
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kSums; ++i) sum += float(d[i]);
  sink[threadIdx.x] = sum;
  if (threadIdx.x == 0) out[0] = c1 - c0, out[1] = c3 - c2, out[2] = (long long)(t3 - t2);
}

/// Groups side by side: A of each its own, B its own or the same. Each block writes its cycles and nanoseconds.
template <int kN, int kGroups>
__global__ void __launch_bounds__(128 * kGroups, 1)
    wgmma_groups(const uint4* data, bool same_b, int trips, int reset, long long* out, float* sink) {
  constexpr int kSums = kN / 2, kA = 64 * 128, kB = kN * 128;
  __shared__ long long ends[kGroups];
  const std::uint32_t base = take(data, kGroups * (kA + kB));
  const int group = int(threadIdx.x) / 128;
  const std::uint64_t a = describe(base + group * kA);
  const std::uint64_t b = describe(base + kGroups * kA + (same_b ? 0 : group * kB));
  const std::uint32_t f[4] = {};
  float d[kSums] = {};
  multiply<Kind::kBf16, kN, false, false>(d, f, a, b, 8, reset);
  __syncthreads();
  const std::uint64_t t0 = globaltimer();
  const long long c0 = clock64();
  multiply<Kind::kBf16, kN, false, false>(d, f, a, b, trips, reset);
  const long long c1 = clock64();
  const std::uint64_t t1 = globaltimer();
  if (threadIdx.x % 128 == 0) ends[group] = c1;
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kSums; ++i) sum += d[i];
  sink[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    long long end = ends[0];
    for (int i = 1; i < kGroups; ++i) end = max(end, ends[i]);
    out[2 * blockIdx.x] = end - c0;
    out[2 * blockIdx.x + 1] = (long long)(t1 - t0);
    if (blockIdx.x == 0) out[2 * gridDim.x] = c1 - c0;
  }
}

template <class Kernel>
void allow_shared(Kernel* kernel, int bytes) {
  MEASURE_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
}

template <Kind kKind, int kN, bool kRegisters>
void one_wgmma(Csv& csv, const Buffer<char>& data, const char* input, const char* accumulate) {
  constexpr int kTrips = 2048, kShared = (64 + kN) * 128 + 1024;
  const auto kernel = wgmma_alone<kKind, kN, kRegisters>;
  Buffer<long long> out(3);
  Buffer<float> sink(128);
  allow_shared(kernel, kShared);
  for (int i = 0; i < 2; ++i) {
    kernel<<<1, 128, kShared>>>(reinterpret_cast<const uint4*>(data.get()), kTrips, 0, out.get(), sink.get());
  }
  finish();
  const std::vector<long long> read = out.to_host();
  const double cycles = double(read[1]) / (kTrips * kBatch);
  csv.row({std::to_string(kN), kRegisters ? "registers" : "shared", input, accumulate, text(double(read[0]) / kTrips),
           text(cycles), text(64.0 * kN * k_of<kKind> / cycles), text(clock_of({read[1], std::uint64_t(read[2])}))});
}

template <Kind kKind, int... kNs>
void wgmmas(Csv& csv, const char* input, const char* accumulate) {
  Buffer<char> data(kDataBytes);
  data.copy_from(values(kKind, false));
  (one_wgmma<kKind, kNs, false>(csv, data, input, accumulate), ...);
  (one_wgmma<kKind, kNs, true>(csv, data, input, accumulate), ...);
}

void run_wgmma(const std::string& folder) {
  Csv csv(folder + "/wgmma.csv", "n,a,input,accumulate,latency,cycles,fma_per_clk,clock_mhz");
  wgmmas<Kind::kBf16, 8, 16, 24, 32, 48, 64, 96, 128, 160, 192, 224, 256>(csv, "bf16", "fp32");
  wgmmas<Kind::kTf32, 64, 128, 256>(csv, "tf32", "fp32");
  wgmmas<Kind::kFp8, 64, 128, 256>(csv, "fp8", "fp32");
  wgmmas<Kind::kInt8, 64, 128, 256>(csv, "int8", "int32");
  wgmmas<Kind::kFp16, 64, 128, 256>(csv, "fp16", "fp16");
}

/// Cycles of `blocks` blocks' launch: those of block 0 and its nanoseconds, with the cycles between the same points.
template <int kN, int kGroups>
std::vector<long long> launch_groups(const Buffer<char>& data, bool same_b, int blocks, int trips) {
  constexpr int kShared = kGroups * (64 + kN) * 128 + 1024;
  const auto kernel = wgmma_groups<kN, kGroups>;
  Buffer<long long> out(2 * blocks + 1);
  Buffer<float> sink(128 * kGroups);
  allow_shared(kernel, kShared);
  kernel<<<blocks, 128 * kGroups, kShared>>>(reinterpret_cast<const uint4*>(data.get()), same_b, trips, 0, out.get(),
                                             sink.get());
  finish();
  return out.to_host();
}

template <int kN, int kGroups>
void one_sm(Csv& csv, const Buffer<char>& data) {
  constexpr int kTrips = 4096;
  for (const bool same_b : {false, true}) {
    launch_groups<kN, kGroups>(data, same_b, 1, kTrips);
    const std::vector<long long> read = launch_groups<kN, kGroups>(data, same_b, 1, kTrips);
    const double cycles = double(read[0]) / (double(kTrips) * kBatch * kGroups);
    csv.row({std::to_string(kGroups), std::to_string(kN), same_b ? "yes" : "no", text(cycles),
             text(64.0 * kN * 16 / cycles), text(clock_of({read[2], std::uint64_t(read[1])}))});
  }
}

void run_wgmma_sm(const std::string& folder) {
  Csv csv(folder + "/wgmma_sm.csv", "groups,n,same_b,cycles,fma_per_clk,clock_mhz");
  Buffer<char> data(kDataBytes);
  data.copy_from(values(Kind::kBf16, false));
  one_sm<128, 1>(csv, data), one_sm<128, 2>(csv, data), one_sm<128, 3>(csv, data);
  one_sm<256, 1>(csv, data), one_sm<256, 2>(csv, data), one_sm<256, 3>(csv, data);
}

void run_wgmma_chip(const std::string& folder) {
  Csv csv(folder + "/wgmma_chip.csv", "data,tflops,clock_mhz");
  constexpr int kTrips = 290'000;  // About 0.4 s.
  for (const bool zeros : {false, true}) {
    Buffer<char> data(kDataBytes);
    data.copy_from(values(Kind::kBf16, zeros));
    launch_groups<256, 2>(data, true, sm_count(), 4000);
    const std::vector<long long> read = launch_groups<256, 2>(data, true, sm_count(), kTrips);
    long long longest = 0;
    for (int i = 0; i < sm_count(); ++i) longest = std::max(longest, read[2 * i + 1]);
    const double flops = 2.0 * sm_count() * 2 * kTrips * kBatch * 64 * 256 * 16;
    csv.row({zeros ? "zeros" : "normal", text(flops / double(longest) / 1000),
             text(1000.0 * double(read.back()) / double(read[1]))});
  }
}

void run_mma(const std::string& folder) {
  Csv csv(folder + "/mma.csv", "input,accumulate,shape,warps,ilp,cycles,fma_per_clk,clock_mhz");
  all_mmas(csv);
}

}  // namespace

int main(int argc, char** argv) {
  return run_parts(
      argc, argv, {{"wgmma", run_wgmma}, {"wgmma_sm", run_wgmma_sm}, {"mma", run_mma}, {"wgmma_chip", run_wgmma_chip}});
}
