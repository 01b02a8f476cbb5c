// Between threads: distributed shared memory and barriers: parts dsm, barrier, and of parts.h mbarrier_parts.
// Build: nvcc -std=c++20 -O3 -gencode=arch=compute_90a,code=sm_90a cluster.cu -o cluster -lcuda
#include <cooperative_groups.h>

#include <type_traits>

#include "async.h"
#include "parts.h"

using namespace measure;

namespace {

/// Launches one cluster and waits for it; false where the board has no room for such a one.
template <class... P, class... A>
bool launch(void (*kernel)(P...), int cluster, int threads, A... arguments) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {unsigned(cluster), 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(cluster), config.blockDim = dim3(threads);
  config.attrs = &attribute, config.numAttrs = 1;
  if (cluster > 8) {
    MEASURE_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  }
  int clusters = 0;
  if (cudaOccupancyMaxActiveClusters(&clusters, kernel, &config) != cudaSuccess || clusters < 1) {
    (void)cudaGetLastError();
    return false;
  }
  MEASURE_CHECK(cudaLaunchKernelEx(&config, kernel, P(arguments)...));
  finish();
  return true;
}

// ---- dsm: rank 0 chases pointers that it wrote into the memory of `peer`.

constexpr int kWords = 1024, kHops = 4096;

/// Through the window: generic pointers, of 64 bits. Else: addresses in the CTA's own shared memory, of 32 bits.
template <bool kWindow>
__global__ void chase(int peer, long long* cycles, std::uint32_t* sink) {
  using Word = std::conditional_t<kWindow, std::uint64_t, std::uint32_t>;
  __shared__ Word words[kWords];
  words[threadIdx.x] = 0;
  cluster_sync();
  if (cluster_rank() == 0 && threadIdx.x == 0) {
    Word base;
    if constexpr (kWindow) {
      asm volatile("mapa.u64 %0, %1, %2;" : "=l"(base) : "l"(words), "r"(peer));
    } else {
      base = shared_address(words);
    }
    for (int i = 0; i < kWords; ++i) {
      const Word at = base + sizeof(Word) * i, next = base + sizeof(Word) * ((i + 33) % kWords);
      if constexpr (kWindow) {
        asm volatile("st.u64 [%0], %1;" ::"l"(at), "l"(next) : "memory");
      } else {
        asm volatile("st.shared.u32 [%0], %1;" ::"r"(at), "r"(next) : "memory");
      }
    }
    Word at = base;
    long long c0 = 0;
    for (int i = -64; i < kHops; i += 16) {
      if (i == 0) c0 = clock64();
#pragma unroll
      for (int j = 0; j < 16; ++j) {
        if constexpr (kWindow) {
          asm volatile("ld.u64 %0, [%0];" : "+l"(at)::"memory");
        } else {
          asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at)::"memory");
        }
      }
    }
    *sink = std::uint32_t(at);  // Waits for the last load.
    *cycles = clock64() - c0;
  }
  __syncwarp();
  cluster_sync();
}

void run_dsm(const std::string& folder) {
  Csv csv(folder + "/dsm.csv", "cluster,peer,ilp,latency,cycles_per_load,time,clock_mhz");
  Buffer<long long> cycles(1);
  Buffer<std::uint32_t> sink(1);
  for (const int cluster : {2, 4, 8, 16}) {
    const auto row = [&](const std::string& peer, double hop) {
      const double mhz = clock_soon();
      csv.row({std::to_string(cluster), peer, "1", text(hop), text(hop), text(1000 * hop / mhz), text(mhz)});
    };
    const auto measured = [&](bool window, int peer) {
      for (int i = 0; i < 2; ++i) {
        if (!launch(window ? chase<true> : chase<false>, cluster, kWords, peer, cycles.get(), sink.get())) return 0.0;
      }
      return double(cycles.to_host()[0]) / kHops;
    };
    const double local = measured(false, 0);
    if (local == 0) continue;
    row("local", local);
    row("own", measured(true, 0));
    double sum = 0;
    for (int peer = 1; peer < cluster; ++peer) {
      const double hop = measured(true, peer);
      sum += hop;
      row(std::to_string(peer), hop);
    }
    row("mean", sum / (cluster - 1));
  }
}

// ---- barrier: one kind in a loop.

enum class Barrier { kCta, kMbarrier, kCluster, kRelaxed, kGrid };

template <Barrier kKind>
__device__ void pass(std::uint32_t barrier, int trip) {
  if constexpr (kKind == Barrier::kCta) {
    __syncthreads();
  } else if constexpr (kKind == Barrier::kMbarrier) {  // One arrival of each warp; all lanes wait.
    __syncwarp();
    if (threadIdx.x % 32 == 0) barrier_arrive(barrier);
    barrier_wait(barrier, trip & 1);
  } else if constexpr (kKind == Barrier::kCluster) {
    cluster_sync();
  } else if constexpr (kKind == Barrier::kRelaxed) {
    asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
  } else {
    cooperative_groups::this_grid().sync();
  }
}

template <Barrier kKind>
__global__ void barriers(int trips, long long* cycles) {
  __shared__ alignas(8) std::uint64_t word;
  const std::uint32_t barrier = shared_address(&word);
  if (threadIdx.x == 0) {
    barrier_init(barrier, blockDim.x / 32);
    barriers_ready();
  }
  __syncthreads();
  int trip = 0;
  for (; trip < 16; ++trip) pass<kKind>(barrier, trip);
  const long long c0 = clock64();
#pragma unroll 4
  for (; trip < 16 + trips; ++trip) pass<kKind>(barrier, trip);
  const long long c1 = clock64();
  if (threadIdx.x == 0 && blockIdx.x == 0) *cycles = c1 - c0;
}

void run_barrier(const std::string& folder) {
  Csv csv(folder + "/barrier.csv", "kind,warps,cluster,ctas,cycles,time,clock_mhz");
  Buffer<long long> cycles(1);
  const auto row = [&](const char* kind, int warps, int cluster, int trips) {
    const double each = double(cycles.to_host()[0]) / trips, mhz = clock_soon();
    csv.row(
        {kind, std::to_string(warps), std::to_string(cluster), "1", text(each), text(1000 * each / mhz), text(mhz)});
  };
  constexpr int kTrips = 2000;
  for (const int warps : {1, 2, 4, 8, 16, 32}) {
    launch(barriers<Barrier::kCta>, 1, 32 * warps, kTrips, cycles.get());
    row("cta", warps, 2, kTrips);
    launch(barriers<Barrier::kMbarrier>, 1, 32 * warps, kTrips, cycles.get());
    row("mbarrier", warps, 2, kTrips);
    for (const int cluster : {2, 4, 8, 16}) {
      if (!launch(barriers<Barrier::kCluster>, cluster, 32 * warps, kTrips, cycles.get())) continue;
      row("cluster", warps, cluster, kTrips);
      launch(barriers<Barrier::kRelaxed>, cluster, 32 * warps, kTrips, cycles.get());
      row("cluster-relaxed", warps, cluster, kTrips);
    }
    int trips = 400;
    long long* out = cycles.get();
    void* arguments[] = {&trips, &out};
    MEASURE_CHECK(cudaLaunchCooperativeKernel((const void*)barriers<Barrier::kGrid>, dim3(sm_count()), dim3(32 * warps),
                                              arguments, 0, nullptr));
    finish();
    row("grid", warps, 2, trips);
  }
}

}  // namespace

int main(int argc, char** argv) {
  return run_parts(argc, argv, {{"dsm", run_dsm}, {"barrier", run_barrier}, {"mbarrier_parts", run_mbarrier_parts}});
}
