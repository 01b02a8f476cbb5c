// How long a load takes.
// Parts: latency, latency_parts (which writes latency_miss.csv as well).
// Build: nvcc -std=c++20 -O3 -gencode=arch=compute_90a,code=sm_90a memory_latency.cu -o memory_latency -lcuda
#include <numeric>
#include <random>

#include "memory.h"

using namespace measure;

namespace {

// ---- latency: a chase over a footprint

constexpr int kNodeWords = 8;  // Pointers are 64 bytes apart.

/// Node order[i] points to node order[i + 1], the last to the first.
__global__ void link_nodes(Word* nodes, const unsigned* order, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const unsigned next = order[i + 1 == count ? 0 : i + 1];
  nodes[std::size_t(order[i]) * kNodeWords] = reinterpret_cast<Word>(nodes + std::size_t(next) * kNodeWords);
}

/// One CTA: all threads read all nodes once in the chain's order, then one warp follows `warm` and `hops` pointers.
template <bool kCg>
__global__ void chase(const Word* nodes, const unsigned* order, unsigned count, int warm, int hops, Word* sink,
                      Span* span) {
  Word sum = 0;
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
    sum += load<kCg>(nodes + std::size_t(__ldcs(order + i)) * kNodeWords);
  }
  if (sum == 1) *sink = sum;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  const Word* at = nodes + std::size_t(order[0]) * kNodeWords;
  for (int i = 0; i < warm; ++i) at = reinterpret_cast<const Word*>(load<kCg>(at));
  if (at == nullptr) *sink = 2;
  const std::uint64_t t0 = globaltimer();
  const long long c0 = clock64();
  for (int i = 0; i < hops; i += 16) {
#pragma unroll
    for (int j = 0; j < 16; ++j) at = reinterpret_cast<const Word*>(load<kCg>(at));
  }
  if (at == nullptr) *sink = 3;
  const long long c1 = clock64();
  const std::uint64_t t1 = globaltimer();
  if (threadIdx.x == 0) *span = {c1 - c0, t1 - t0};
}

void latency(const std::string& folder) {
  Csv csv(folder + "/latency.csv", "footprint,via,latency,time,clock_mhz");
  constexpr std::size_t kLast = 512 * kMiB;
  Buffer<Word> nodes(kLast / 8), sink(1);
  Buffer<unsigned> order(kLast / 64);
  Buffer<Span> span(1);
  for (std::size_t power = 4096; power <= kLast; power *= 2) {
    for (const std::size_t footprint : {power, power + power / 2}) {
      if (footprint > kLast) break;
      const unsigned count = unsigned(footprint / 64);
      std::vector<unsigned> host(count);
      std::iota(host.begin(), host.end(), 0u);
      std::mt19937 random(12345);
      for (unsigned i = count - 1; i > 0; --i) std::swap(host[i], host[random() % (i + 1)]);
      order.copy_from(host);
      link_nodes<<<(count + 255) / 256, 256>>>(nodes.get(), order.get(), count);
      finish();
      const int warm = footprint <= 64 * kMiB ? int(count) : 0;
      const int hops = footprint <= kMiB ? 20'000 : 8192;
      for (const bool cg : {false, true}) {
        (cg ? chase<true> : chase<false>)<<<1, 1024>>>(nodes.get(), order.get(), count, warm, hops, sink.get(),
                                                       span.get());
        finish();
        const Span s = span.to_host()[0];
        const double cycles = double(s.cycles) / hops;
        const double clock = clock_of(s);
        csv.row(
            {std::to_string(footprint), cg ? "ldg.cg" : "ldg", text(cycles), text(1000 * cycles / clock), text(clock)});
      }
    }
  }
}

// ---- latency_parts: single loads from chosen SMs

constexpr int kVisits = 4096;

/// The line that visit `i` reads: of 8,192 lines half of them, in scattered order; or any of 2^22 lines.
__device__ inline unsigned line_of(unsigned i, unsigned seed, bool miss) {
  if (!miss) return (i * 5167u + 11u) & 8191u;
  return ((i + seed * kVisits) * 2654435761u >> 7) & 0x3fffffu;
}

/// The clock, read after `ready` is known.
__device__ inline long long clock_after(Word ready) {
  long long clock;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(clock) : "l"(ready) : "memory");
  return clock;
}
/// A store that needs the loaded value: what follows it waits for the load.
__device__ inline void keep(unsigned at, Word value) {
  asm volatile("st.shared.u64 [%0], %1;" ::"r"(at), "l"(value) : "memory");
}

/// The CTA on SM `wanted` times its loads one by one; row 0 of `cycles` is a lap without a load.
__global__ void visit(const Word* data, unsigned wanted, bool miss, unsigned* cycles, unsigned* lines, Word* sink) {
  extern __shared__ unsigned records[];  // A lap for each visit, then two words for the loaded value.
  if (sm_id() != wanted) return;
  if (!miss) {
    Word sum = 0;
    for (int round = 0; round < 2; ++round) {
      for (unsigned i = threadIdx.x; i < kVisits; i += 32) {
        sum += load_cg(data + std::size_t(line_of(i, 0, false)) * 16);
      }
    }
    if (sum == 1) *sink = sum;
    __syncwarp();
  }
  if (threadIdx.x != 0) return;
  const unsigned value_at = shared_address(records + kVisits + 2);
#pragma unroll 1
  for (unsigned i = 0; i < 4; ++i) {
    const long long t0 = clock_after(i);
    keep(value_at, i);
    records[0] = unsigned(clock_after(0) - t0);
  }
#pragma unroll 1
  for (unsigned i = 1; i <= kVisits; ++i) {
    const Word* at = data + std::size_t(line_of(i - 1, wanted, miss)) * 16;
    const long long t0 = clock_after(reinterpret_cast<Word>(at));
    keep(value_at, load_cg(at));
    records[i] = unsigned(clock_after(0) - t0);
  }
  for (unsigned i = 0; i <= kVisits; ++i) {
    cycles[i] = records[i];
    lines[i] = line_of(i - 1, wanted, miss);
  }
}

void latency_parts(const std::string& folder) {
  constexpr std::size_t kFlush = 200 * kMiB, kBytes = 512 * kMiB;
  constexpr int kShared = 200 * 1024;  // So that each SM holds one CTA.
  Buffer<Word> data(kBytes / 8), sink(1);
  Buffer<uint4> other(kFlush / 16);
  Buffer<unsigned> cycles(kVisits + 1), lines(kVisits + 1);
  MEASURE_CHECK(cudaMemset(data.get(), 0, kBytes));
  MEASURE_CHECK(cudaMemset(other.get(), 0, kFlush));
  MEASURE_CHECK(cudaFuncSetAttribute(visit, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
  const int sms = sm_count();
  for (const bool miss : {false, true}) {
    // Line -1: the lap of two readings of the clock without a load between them.
    Csv csv(folder + (miss ? "/latency_miss.csv" : "/latency_parts.csv"), "sm,line_index,cycles");
    for (int i = 0; i < 4; ++i) {
      const unsigned sm = unsigned(i * sms / 4 + i);
      if (miss) read_all<<<4 * sms, 512>>>(other.get(), kFlush / 16, sink.get());
      MEASURE_CHECK(cudaMemset(cycles.get(), 0, (kVisits + 1) * sizeof(unsigned)));
      visit<<<sms, 32, kShared>>>(data.get(), sm, miss, cycles.get(), lines.get(), sink.get());
      finish();
      const std::vector<unsigned> laps = cycles.to_host(), at = lines.to_host();
      for (int visit = 0; visit <= kVisits; ++visit) {
        csv.row({std::to_string(sm), visit == 0 ? "-1" : std::to_string(at[visit]), std::to_string(laps[visit])});
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  return run_parts(argc, argv, {{"latency", latency}, {"latency_parts", latency_parts}});
}
