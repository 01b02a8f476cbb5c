// What L2 and device memory deliver to all SMs. Parts: l2, dram, stream, rows.
// Build: nvcc -std=c++20 -O3 -gencode=arch=compute_90a,code=sm_90a memory_bandwidth.cu -o memory_bandwidth -lcuda
#include <utility>

#include "memory.h"

using namespace measure;

namespace {

constexpr std::size_t kGiB = 1 << 30;
constexpr int kTwoAnSm = 110 * 1024;  // Dynamic shared memory of which an SM holds two, not three.

double gb_per_s(double bytes, double ms) { return bytes / ms * 1e-6; }

// ---- l2: CTAs stream through data they share

constexpr int kShareBytes = 256 * 1024, kShareLoads = 32, kShareThreads = 1024;

/// The grid is as wide as there are shares: CTA b reads share b modulo their number. Load i of all shares lies
/// together.
__global__ void __launch_bounds__(kShareThreads, 2) read_shares(const Word* data, Word* sink) {
  const Word* at = data + std::size_t(blockIdx.x) * kShareThreads + threadIdx.x;
  const std::size_t step = std::size_t(gridDim.x) * kShareThreads;
  Word sum = 0;
#pragma unroll 8
  for (int i = 0; i < kShareLoads; ++i) sum += at[i * step];
  if (sum == 12345) *sink = sum;
}

void l2(const std::string& folder) {
  Csv csv(folder + "/l2.csv", "footprint,bandwidth,per_sm,clock_mhz");
  constexpr std::size_t kLast = 512 * kMiB;
  const int sms = sm_count();
  const unsigned least_ctas = unsigned(sms) * 2 * 160;
  Buffer<Word> data(kLast / 8), sink(1);
  MEASURE_CHECK(cudaMemset(data.get(), 0, kLast));
  for (const double mib :
       {0.25,  0.5, 1.,   2.,  4.,    6.25, 8.,  12.5,  16.,  18.75, 20.,  22.,  24.,  25.,  26.,  28., 30.,
        31.25, 34., 37.5, 40., 43.75, 46.,  50., 56.25, 62.5, 75.,   100., 128., 192., 256., 384., 512.}) {
    const unsigned shares = unsigned(mib * kMiB / kShareBytes);
    const dim3 grid(shares, (least_ctas + shares - 1) / shares);
    const double ms = milliseconds(1, 3, [&] { read_shares<<<grid, kShareThreads>>>(data.get(), sink.get()); });
    const double clock = clock_soon(), rate = gb_per_s(double(grid.x) * grid.y * kShareBytes, ms);
    csv.row(
        {std::to_string(std::size_t(shares) * kShareBytes), text(rate), text(1000 * rate / clock / sms), text(clock)});
  }
}

// ---- dram: one element of each array a thread, one-shot CTAs

enum class Element { kRead, kInit, kScale, kTriad };

template <Element kKind>
__global__ void element(double* a, const double* b, const double* c, double s) {
  const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if constexpr (kKind == Element::kRead) {
    if (b[i] == s) a[i] = s;
  } else if constexpr (kKind == Element::kInit) {
    a[i] = s;
  } else if constexpr (kKind == Element::kScale) {
    a[i] = s * b[i];
  } else {
    a[i] = s * b[i] + c[i];
  }
}

/// GB/s that the vendor names: two transfers a clock of the whole bus.
double vendor_peak() {
  int khz = 0, bits = 0;
  MEASURE_CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrMemoryClockRate, 0));
  MEASURE_CHECK(cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, 0));
  return 2e-6 * khz * bits / 8;
}

void dram(const std::string& folder) {
  Csv csv(folder + "/dram.csv", "kernel,occupancy,ctas,threads,bandwidth,of_peak,clock_mhz");
  constexpr std::size_t kElements = kGiB / 8;
  Buffer<double> a(kElements), b(kElements), c(kElements);
  for (const Buffer<double>* each : {&a, &b, &c}) MEASURE_CHECK(cudaMemset(each->get(), 0, kGiB));
  const struct {
    const char* name;
    void (*kernel)(double*, const double*, const double*, double);
    int arrays;
  } kinds[] = {{"read", element<Element::kRead>, 1},
               {"init", element<Element::kInit>, 1},
               {"scale", element<Element::kScale>, 2},
               {"triad", element<Element::kTriad>, 3}};
  const double peak = vendor_peak();
  for (const auto& [name, kernel, arrays] : kinds) {
    MEASURE_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kTwoAnSm));
    for (const int threads : {32, 64, 128, 256, 384, 512, 640, 768, 896, 1024}) {
      int held = 0;
      MEASURE_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&held, kernel, threads, kTwoAnSm));
      if (held != 2) throw std::runtime_error(std::string(name) + ": an SM holds " + std::to_string(held));
      const unsigned ctas = unsigned(kElements / threads);
      const double ms = milliseconds(
          1, 3, [&, kernel = kernel] { kernel<<<ctas, threads, kTwoAnSm>>>(a.get(), b.get(), c.get(), 3.5); });
      const double clock = clock_soon(), rate = gb_per_s(8.0 * ctas * threads * arrays, ms);
      csv.row({name, text(threads / 10.24), "2", std::to_string(threads), text(rate), text(100 * rate / peak),
               text(clock)});
    }
  }
}

// ---- stream: 16 bytes a thread, a loop over the grid, some arrays read and some written

constexpr int kStreamThreads = 512;

/// Arrays of `count` pieces follow each other in memory, first those that are read. About 8 loads or stores of a
/// thread at a time.
template <int kReads, int kWrites>
__global__ void __launch_bounds__(kStreamThreads, 2)
    stream_arrays(uint4* data, std::size_t count, unsigned seed, Word* sink) {
  constexpr int kUnroll = kReads + kWrites >= 8 ? 1 : 8 / (kReads + kWrites);
  const std::size_t step = std::size_t(gridDim.x) * kStreamThreads;
  unsigned sum = 0;
  for (std::size_t i = std::size_t(blockIdx.x) * kStreamThreads + threadIdx.x; i < count; i += kUnroll * step) {
    uint4 value[kUnroll][kReads > 0 ? kReads : 1];
#pragma unroll
    for (int j = 0; j < kUnroll; ++j) {
#pragma unroll
      for (int r = 0; r < kReads; ++r) {
        value[j][r] = i + j * step < count ? data[r * count + i + j * step] : make_uint4(0, 0, 0, 0);
      }
    }
#pragma unroll
    for (int j = 0; j < kUnroll; ++j) {
      uint4 result = make_uint4(seed, seed, seed, seed);
#pragma unroll
      for (int r = 0; r < kReads; ++r) {
        const uint4 v = value[j][r];
        result = make_uint4(result.x ^ v.x, result.y ^ v.y, result.z ^ v.z, result.w ^ v.w);
      }
      sum ^= result.x ^ result.y ^ result.z ^ result.w;
#pragma unroll
      for (int w = 0; w < kWrites; ++w) {
        if (i + j * step < count) data[(kReads + w) * count + i + j * step] = result;
      }
    }
  }
  if (kWrites == 0 && sum == 12345) *sink = sum;
}

using StreamKernel = void (*)(uint4*, std::size_t, unsigned, Word*);

void stream(const std::string& folder) {
  // `bytes` are of all arrays together; short kernels are launched again and again, so that L2 keeps what it can.
  Csv csv(folder + "/stream.csv", "kernel,reads,writes,bytes,bandwidth,clock_mhz");
  constexpr std::size_t kLast = 2 * kGiB;
  const int sms = sm_count();
  Buffer<uint4> data(kLast / 16);
  Buffer<Word> sink(1);
  MEASURE_CHECK(cudaMemset(data.get(), 0, kLast));
  const struct {
    const char* name;
    int reads, writes;
    StreamKernel kernel;
  } kinds[] = {
      {"read", 1, 0, stream_arrays<1, 0>}, {"write", 0, 1, stream_arrays<0, 1>}, {"copy", 1, 1, stream_arrays<1, 1>},
      {"mix", 2, 1, stream_arrays<2, 1>},  {"mix", 3, 1, stream_arrays<3, 1>},   {"mix", 4, 1, stream_arrays<4, 1>},
      {"mix", 8, 1, stream_arrays<8, 1>},  {"mix", 1, 2, stream_arrays<1, 2>},   {"mix", 1, 4, stream_arrays<1, 4>},
      {"mix", 1, 8, stream_arrays<1, 8>},  {"mix", 4, 4, stream_arrays<4, 4>}};
  for (const auto& [name, reads, writes, kernel] : kinds) {
    for (std::size_t bytes = kMiB; bytes <= kLast; bytes *= 2) {
      const std::size_t count = bytes / 16 / (reads + writes) / 64 * 64;  // Arrays begin at whole KiB.
      const int launches = int(std::max<std::size_t>(1, std::min<std::size_t>(50, 512 * kMiB / bytes)));
      const unsigned ctas = unsigned(std::min<std::size_t>(2 * sms, (count + kStreamThreads - 1) / kStreamThreads));
      const double ms = milliseconds(1, 3, [&, kernel = kernel] {
        for (int i = 0; i < launches; ++i) kernel<<<ctas, kStreamThreads>>>(data.get(), count, 77, sink.get());
      });
      const double rate = gb_per_s(16.0 * count * (reads + writes) * launches, ms);
      csv.row(
          {name, std::to_string(reads), std::to_string(writes), std::to_string(bytes), text(rate), text(clock_soon())});
    }
  }
}

// ---- rows: CTAs walk along rows of a matrix

constexpr int kRowThreads = 256, kAhead = 8;

__device__ inline uint4 load_piece(const char* at) {
  uint4 v;
  asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(at)
               : "memory");
  return v;
}

/// One CTA an SM. A step reads kSegment bytes of each of kTile rows, kAhead steps are in flight; at the end of the rows
/// comes the CTA's next tile. Steps of a CTA: a multiple of kAhead.
template <int kTile, int kSegment>
__global__ void __launch_bounds__(kRowThreads, 1)
    walk_rows(const char* data, unsigned row_bytes, unsigned tiles, Word* sink) {
  constexpr int kLanes = kSegment / 16, kPieces = kTile * kLanes;
  constexpr int kEach = kPieces >= kRowThreads ? kPieces / kRowThreads : 1;
  constexpr int kRowsApart = kRowThreads / kLanes;  // Of a thread's pieces of one step.
  static_assert(kPieces % kRowThreads == 0 || kRowThreads % kPieces == 0);
  if (int(threadIdx.x) >= kPieces) return;
  const std::size_t tile_bytes = std::size_t(kTile) * row_bytes;
  const char* tile =
      data + blockIdx.x * tile_bytes + std::size_t(threadIdx.x / kLanes) * row_bytes + threadIdx.x % kLanes * 16;
  unsigned along = 0;
  uint4 value[kAhead][kEach];
  const auto step = [&](uint4(&into)[kEach]) {
#pragma unroll
    for (int e = 0; e < kEach; ++e) into[e] = load_piece(tile + along + std::size_t(e) * kRowsApart * row_bytes);
    along += kSegment;
    if (along == row_bytes) {
      along = 0;
      tile += gridDim.x * tile_bytes;
    }
  };
#pragma unroll
  for (int j = 0; j < kAhead; ++j) step(value[j]);
  const unsigned steps = (tiles - blockIdx.x + gridDim.x - 1) / gridDim.x * (row_bytes / kSegment);
  unsigned sum = 0;
  const auto use = [&](const uint4(&from)[kEach]) {
#pragma unroll
    for (int e = 0; e < kEach; ++e) sum ^= from[e].x ^ from[e].y ^ from[e].z ^ from[e].w;
  };
  for (unsigned s = kAhead; s < steps; s += kAhead) {
#pragma unroll
    for (int j = 0; j < kAhead; ++j) {
      use(value[j]);
      step(value[j]);
    }
  }
#pragma unroll
  for (int j = 0; j < kAhead; ++j) use(value[j]);
  if (sum == 12345) *sink = sum;
}

void rows(const std::string& folder) {
  Csv csv(folder + "/rows.csv", "row_bytes,tile,segment,bandwidth,clock_mhz");
  const unsigned sms = unsigned(sm_count());
  // About 1 GiB, but as many tiles for each CTA as for the others, and at least one.
  const auto bytes_of = [&](std::size_t tile, std::size_t row_bytes) {
    const std::size_t wave = tile * row_bytes * sms;
    return std::max<std::size_t>(1, (kGiB + wave / 2) / wave) * wave;
  };
  const struct {
    int tile, segment;
    void (*kernel)(const char*, unsigned, unsigned, Word*);
  } kinds[] = {{16, 128, walk_rows<16, 128>},
               {64, 64, walk_rows<64, 64>},
               {64, 128, walk_rows<64, 128>},
               {64, 256, walk_rows<64, 256>},
               {128, 128, walk_rows<128, 128>}};
  constexpr unsigned kRowBytes[] = {2048, 8192, 16384, 65536, 131072};
  std::size_t most = 0;
  for (const auto& kind : kinds) {
    for (const unsigned row_bytes : kRowBytes) most = std::max(most, bytes_of(kind.tile, row_bytes));
  }
  Buffer<char> data(most);
  Buffer<Word> sink(1);
  MEASURE_CHECK(cudaMemset(data.get(), 0, most));
  for (const auto& [tile, segment, kernel] : kinds) {
    for (const unsigned row_bytes : kRowBytes) {
      const std::size_t bytes = bytes_of(tile, row_bytes);
      const unsigned tiles = unsigned(bytes / tile / row_bytes);
      const double ms = milliseconds(
          1, 3, [&, kernel = kernel] { kernel<<<sms, kRowThreads>>>(data.get(), row_bytes, tiles, sink.get()); });
      csv.row({std::to_string(row_bytes), std::to_string(tile), std::to_string(segment),
               text(gb_per_s(double(bytes), ms)), text(clock_soon())});
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  return run_parts(argc, argv, {{"l2", l2}, {"dram", dram}, {"stream", stream}, {"rows", rows}});
}
