// What an SM reads from L1 and from shared memory, and what atomics take.
// Parts: bandwidth, stride, shared, atomic.
// Build: nvcc -std=c++20 -O3 -gencode=arch=compute_90a,code=sm_90a memory_sm.cu -o memory_sm -lcuda
#include "memory.h"

using namespace measure;

namespace {

// ---- bandwidth: all SMs read one footprint again and again

/// One CTA of 1024 threads an SM; `loads` of 8 bytes a thread cover the footprint.
template <int kUnroll>
__global__ void __launch_bounds__(1024, 1)
    read_footprint(const Word* data, int loads, int rounds, Word* sink, Span* spans) {
  Word sum = 0;
  const Word* mine = data + threadIdx.x;
  for (int i = 0; i < loads; ++i) sum ^= load_ca(mine + std::size_t(i) * 1024);
  const Stopwatch watch;
  for (int round = 0; round < rounds; ++round) {
#pragma unroll 1
    for (int i = 0; i < loads; i += kUnroll) {
      Word value[kUnroll];
#pragma unroll
      for (int j = 0; j < kUnroll; ++j) value[j] = load_ca(mine + std::size_t(i + j) * 1024);
#pragma unroll
      for (int j = 0; j < kUnroll; ++j) sum ^= value[j];
    }
  }
  watch.stop(spans + blockIdx.x);
  if (sum == 12345) *sink = sum;
}

void bandwidth(const std::string& folder) {
  Csv csv(folder + "/bandwidth.csv", "footprint,sms,per_sm,bandwidth,clock_mhz");
  constexpr std::size_t kLast = 4 * kMiB, kRead = 256 * kMiB;  // Bytes that each SM reads.
  const int sms = sm_count();
  Buffer<Word> data(kLast / 8), sink(1);
  Buffer<Span> spans(sms);
  MEASURE_CHECK(cudaMemset(data.get(), 0, kLast));
  for (const int kib : {16, 32, 64, 96, 128, 160, 192, 224, 240, 256, 288, 320, 384, 512, 768, 1024, 2048, 4096}) {
    const int loads = kib / 8, rounds = int(kRead / 1024 / kib);
    const auto kernel = loads % 8 == 0    ? read_footprint<8>
                        : loads % 10 == 0 ? read_footprint<10>
                        : loads % 4 == 0  ? read_footprint<4>
                                          : read_footprint<2>;
    for (const int active : {1, sms}) {
      kernel<<<active, 1024>>>(data.get(), loads, rounds, sink.get(), spans.get());
      finish();
      const std::vector<Span> host = spans.to_host();
      double cycles = 0;
      for (int i = 0; i < active; ++i) cycles += double(host[i].cycles) / active;
      const double clock = clock_of(host[0]), per_sm = double(rounds) * kib * 1024 / cycles;
      csv.row({std::to_string(kib * 1024), std::to_string(active), text(per_sm), text(per_sm * active * clock / 1000),
               text(clock)});
    }
  }
}

// ---- stride: lanes some elements apart, all in L1

/// One CTA of 1024 threads; each load begins at a line of its own.
template <class T>
__global__ void __launch_bounds__(1024, 1) read_strided(const T* data, int stride, int trips, Word* sink, Span* span) {
  constexpr int kLine = 128 / sizeof(T), kBegins = 32, kUnroll = 8;
  const T* mine = data + (threadIdx.x % 32) * stride + (threadIdx.x / 32) * kLine;
  T sum = 0;
  const auto trip = [&](int begin) {
    T value[kUnroll];
#pragma unroll
    for (int j = 0; j < kUnroll; ++j) {
      const T* at = mine + begin * kLine + j * 5 * kLine;
      if constexpr (sizeof(T) == 4) {
        asm volatile("ld.global.u32 %0, [%1];" : "=r"(value[j]) : "l"(at) : "memory");
      } else {
        value[j] = load_ca(at);
      }
    }
#pragma unroll
    for (int j = 0; j < kUnroll; ++j) sum ^= value[j];
  };
  for (int i = 0; i < kBegins; ++i) trip(i);
  const Stopwatch watch;
  for (int i = 0; i < trips; ++i) trip(i % kBegins);
  watch.stop(span);
  if (sum == 12345) *sink = sum;
}

void stride(const std::string& folder) {
  Csv csv(folder + "/stride.csv", "stride,type,cycles_per_load,per_sm,clock_mhz");
  constexpr int kTrips = 8000;
  Buffer<Word> data(64 * 1024 / 8), sink(1);  // The furthest element is below 32 KiB.
  Buffer<Span> span(1);
  MEASURE_CHECK(cudaMemset(data.get(), 0, 64 * 1024));
  for (const bool wide : {false, true}) {
    for (const int elements : {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 24, 32}) {
      if (wide) {
        read_strided<Word><<<1, 1024>>>(data.get(), elements, kTrips, sink.get(), span.get());
      } else {
        const auto* narrow = reinterpret_cast<const unsigned*>(data.get());
        read_strided<unsigned><<<1, 1024>>>(narrow, elements, kTrips, sink.get(), span.get());
      }
      finish();
      const Span s = span.to_host()[0];
      const double per_load = double(s.cycles) / (double(kTrips) * 8 * 32);
      csv.row({std::to_string(elements), wide ? "fp64" : "fp32", text(per_load), text((wide ? 256 : 128) / per_load),
               text(clock_of(s))});
    }
  }
}

// ---- shared: bank conflicts

constexpr int kSharedHops = 65536, kSharedTrips = 8192, kSharedUnroll = 4;

/// Lanes read words `ways` apart, so that each bank they use is asked for `ways` words. The first warp alone follows
/// words that hold their own address, then all warps read independently.
__global__ void __launch_bounds__(1024, 1) read_shared(int ways, Word* sink, Span* spans) {
  __shared__ unsigned words[2048];
  for (unsigned i = threadIdx.x; i < 2048; i += 1024) words[i] = shared_address(words + i);
  __syncthreads();
  unsigned at = shared_address(words + (threadIdx.x % 32) * ways);
  if (threadIdx.x < 32) {
    const std::uint64_t t0 = globaltimer();
    const long long c0 = clock64();
    for (int i = 0; i < kSharedHops; i += 16) {
#pragma unroll
      for (int j = 0; j < 16; ++j) asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at)::"memory");
    }
    if (at == 1) *sink = at;
    const long long c1 = clock64();
    if (threadIdx.x == 0) spans[0] = {c1 - c0, globaltimer() - t0};
  }
  unsigned sum = 0;
  const Stopwatch watch;
  for (int i = 0; i < kSharedTrips; ++i) {
    unsigned value[kSharedUnroll];
#pragma unroll
    for (int j = 0; j < kSharedUnroll; ++j) {
      asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(value[j]) : "r"(at + j * 128) : "memory");
    }
#pragma unroll
    for (int j = 0; j < kSharedUnroll; ++j) sum ^= value[j];
  }
  watch.stop(spans + 1);
  if (sum == 12345) *sink = sum;
}

void shared(const std::string& folder) {
  Csv csv(folder + "/shared.csv", "ways,latency,cycles_per_load,cycles_per_wavefront,clock_mhz");
  Buffer<Word> sink(1);
  Buffer<Span> spans(2);
  for (const int ways : {1, 2, 4, 8, 16, 32}) {
    read_shared<<<1, 1024>>>(ways, sink.get(), spans.get());
    finish();
    const std::vector<Span> host = spans.to_host();
    const double per_load = double(host[1].cycles) / (double(kSharedTrips) * kSharedUnroll * 32);
    csv.row({std::to_string(ways), text(double(host[0].cycles) / kSharedHops), text(per_load), text(per_load / ways),
             text(clock_of(host[0]))});
  }
}

// ---- atomic: 32-bit additions of all SMs, and one warp's chain

constexpr int kAtomicThreads = 512, kAtomicUnroll = 4;

/// Each word holds the low half of its own address.
__global__ void point_to_itself(unsigned* words, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) words[i] = unsigned(reinterpret_cast<Word>(words + i));
}

/// The word of a thread; distances come as arguments, so that no compiler knows which lanes meet.
struct Target {
  unsigned per_cta, per_thread, lane_mask, per_lane;
  __device__ unsigned word() const {
    return blockIdx.x * per_cta + threadIdx.x * per_thread + (threadIdx.x & lane_mask) * per_lane;
  }
};

template <bool kReturns>
__global__ void __launch_bounds__(kAtomicThreads)
    add_all(unsigned* words, Target target, unsigned value, int trips, Word* sink, Span* span) {
  unsigned* at = words + target.word();
  unsigned sum = 0;
  const Stopwatch watch;
  for (int i = 0; i < trips; ++i) {
    unsigned old[kAtomicUnroll] = {};
#pragma unroll
    for (int j = 0; j < kAtomicUnroll; ++j) {
      if constexpr (kReturns) {
        asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(old[j]) : "l"(at), "r"(value) : "memory");
      } else {
        asm volatile("red.global.add.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
      }
    }
#pragma unroll
    for (int j = 0; j < kAtomicUnroll; ++j) sum ^= old[j];
  }
  if (sum == 12345) *sink = sum;
  watch.stop(span + blockIdx.x);
}

/// One warp adds nothing to words that hold their own address: each address comes from the addition before.
__global__ void add_chain(unsigned* words, Target target, unsigned nothing, int hops, Word* sink, Span* span) {
  unsigned* at = words + target.word();
  unsigned low = unsigned(reinterpret_cast<Word>(at));
  const unsigned high = unsigned(reinterpret_cast<Word>(at) >> 32);
  const Stopwatch watch;
  for (int i = 0; i < hops; i += 4) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      asm volatile("{ .reg .u64 at; mov.b64 at, {%0, %1}; atom.global.add.u32 %0, [at], %2; }"
                   : "+r"(low)
                   : "r"(high), "r"(nothing)
                   : "memory");
    }
  }
  if (low == 1) *sink = low;
  watch.stop(span);
}

void atomic(const std::string& folder) {
  Csv csv(folder + "/atomic.csv", "target,returns,rate,per_clk,latency,time,clock_mhz");
  constexpr int kHops = 4096;
  const int sms = sm_count();
  const unsigned count = unsigned(sms) * kAtomicThreads;
  Buffer<unsigned> words(count);
  Buffer<Word> sink(1);
  Buffer<Span> spans(sms);
  const struct {
    const char* name;
    Target target;
    int trips;
  } targets[] = {{"spread", {kAtomicThreads, 1, 0, 0}, 2000},
                 {"cta", {32, 0, 0, 0}, 2000},
                 {"one", {0, 0, 0, 0}, 100},
                 {"two", {0, 0, 1, 32}, 100}};
  for (const auto& [name, target, trips] : targets) {
    for (const bool returns : {false, true}) {
      const auto kernel = returns ? add_all<true> : add_all<false>;
      const auto run = [&, target = target](int times) {
        return milliseconds(
            1, 3, [&] { kernel<<<sms, kAtomicThreads>>>(words.get(), target, 1, times, sink.get(), spans.get()); });
      };
      const double once = run(trips), twice = run(2 * trips);  // What twice the trips take longer.
      const double clock = clock_of(spans.to_host()[0]);
      const double rate = double(count) * kAtomicUnroll * trips / (twice - once) * 1e-6;
      point_to_itself<<<(count + 255) / 256, 256>>>(words.get(), count);
      add_chain<<<1, 32>>>(words.get(), target, 0, kHops, sink.get(), spans.get());
      finish();
      const double latency = double(spans.to_host()[0].cycles) / kHops;
      csv.row({name, returns ? "yes" : "no", text(rate), text(1000 * rate / clock), text(latency),
               text(1000 * latency / clock), text(clock)});
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  return run_parts(argc, argv, {{"bandwidth", bandwidth}, {"stride", stride}, {"shared", shared}, {"atomic", atomic}});
}
