// What barriers and the moves around them are made of: arrivals, tries, wake-ups, fences, matrix loads and stores.
#pragma once

#include "async.h"

namespace measure {

constexpr int kRounds = 1024;

/// One warp. out: an arrival, after which the next issues; a try that succeeds, its result to the next one's address.
__global__ void arrive_and_try(double* out) {
  __shared__ alignas(8) std::uint64_t words[2];
  const std::uint32_t counted = shared_address(&words[0]);
  std::uint32_t fresh = shared_address(&words[1]);
  if (threadIdx.x != 0) return;
  barrier_init(counted, 1 << 19);  // Never completes.
  barrier_init(fresh, 1);
  barriers_ready();
  for (int round = 0; round < 2; ++round) {
    const long long c0 = clock64();
#pragma unroll 16
    for (int i = 0; i < kRounds; ++i) barrier_arrive(counted);
    const long long c1 = clock64();
#pragma unroll 16
    for (int i = 0; i < kRounds; ++i) fresh += barrier_try<false>(fresh, 1) - 1;  // The phase before the first is over.
    asm volatile("" ::"r"(fresh) : "memory");
    const long long c2 = clock64();
    out[0] = double(c1 - c0) / kRounds;
    out[1] = double(c2 - c1 + (fresh == 0)) / kRounds;
  }
}

/// From an arrival of warp 0 to the end of the wait in warp `waiter`: clocks of both in 64 rounds.
__global__ void wake_up(int waiter, long long* begins, long long* ends) {
  __shared__ alignas(8) std::uint64_t word;
  const std::uint32_t barrier = shared_address(&word);
  if (threadIdx.x == 0) {
    barrier_init(barrier, 1);
    barriers_ready();
  }
  for (int i = 0; i < 64; ++i) {
    __syncthreads();
    if (threadIdx.x == 0) {
      const long long c = clock64();
      while (clock64() - c < 1000) {  // The other is waiting by now.
      }
      const long long begin = clock64();
      barrier_arrive(barrier);
      begins[i] = begin;
    } else if (int(threadIdx.x) == 32 * waiter) {
      barrier_wait(barrier, i & 1);
      ends[i] = clock64();
    }
  }
}

/// Two threads arrive at each other's barriers in turn: of two CTAs of a cluster, or two warps of a CTA (other_warp).
__global__ void ping_pong(int other_warp, double* out) {
  __shared__ alignas(8) std::uint64_t words[2];
  const std::uint32_t barriers = shared_address(words), rank = cluster_rank();
  if (threadIdx.x == 0) {
    barrier_init(barriers, 1);
    barrier_init(barriers + 8, 1);
    barriers_ready();
  }
  __syncwarp();
  cluster_sync();
  if (other_warp == 0) {
    if (threadIdx.x == 0) {
      const std::uint32_t remote = map_rank(barriers, rank ^ 1);
      const long long c0 = clock64();
      for (int i = 0; i < kRounds; ++i) {
        if (rank == 0) barrier_arrive_remote(remote);
        barrier_wait<true>(barriers, i & 1);
        if (rank == 1) barrier_arrive_remote(remote);
      }
      if (rank == 0) *out = double(clock64() - c0) / kRounds / 2;
    }
  } else if (threadIdx.x == 0) {
    const long long c0 = clock64();
    for (int i = 0; i < kRounds; ++i) {
      barrier_arrive(barriers + 8);
      barrier_wait(barriers, i & 1);
    }
    *out = double(clock64() - c0) / kRounds / 2;
  } else if (int(threadIdx.x) == 32 * other_warp) {
    for (int i = 0; i < kRounds; ++i) {
      barrier_wait(barriers + 8, i & 1);
      barrier_arrive(barriers);
    }
  }
  __syncwarp();
  cluster_sync();
}

enum class Step { kNamed, kFence, kSharedFence, kStoreFence, kLoadChain, kLoads, kStoreLoadChain, kStores };

/// One kind of step in a loop, unrolled; out: cycles of one. All warps of the CTA do it.
template <Step kStep>
__global__ void steps(double* out, std::uint32_t* sink) {
  __shared__ alignas(16) std::uint32_t tile[32 * 128];  // 512 bytes for each warp.
  for (int i = int(threadIdx.x); i < 32 * 128; i += int(blockDim.x)) tile[i] = 0;
  __syncthreads();
  std::uint32_t at = shared_address(tile) + threadIdx.x / 32 * 512 + threadIdx.x % 32 * 16, sum = 0;
  std::uint32_t r[4] = {};
  const auto store = [&](std::uint32_t value) {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(value), "r"(value),
                 "r"(value), "r"(value)
                 : "memory");
  };
  const auto load = [&] {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(at)
                 : "memory");
  };
  for (int round = 0; round < 2; ++round) {
    __syncthreads();
    const long long c0 = clock64();
#pragma unroll 16
    for (int i = 0; i < kRounds; ++i) {
      if constexpr (kStep == Step::kNamed) {
        asm volatile("bar.sync 1, 256;" ::: "memory");
      } else if constexpr (kStep == Step::kFence) {
        asm volatile("fence.proxy.async;" ::: "memory");
      } else if constexpr (kStep == Step::kSharedFence) {
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
      } else if constexpr (kStep == Step::kStoreFence) {
        asm volatile("st.shared.u32 [%0], %1;\nfence.proxy.async.shared::cta;" ::"r"(at), "r"(0) : "memory");
      } else if constexpr (kStep == Step::kLoadChain) {
        load(), at += r[3];  // Zero, but only the loop knows.
      } else if constexpr (kStep == Step::kLoads) {
        load(), sum += r[0] ^ r[1] ^ r[2] ^ r[3];
      } else if constexpr (kStep == Step::kStoreLoadChain) {
        store(r[3]), load(), at += r[3];
      } else {
        store(0);
      }
    }
    asm volatile("" ::"r"(at), "r"(sum) : "memory");
    __syncthreads();
    const long long c1 = clock64();
    if (threadIdx.x == 0) *out = double(c1 - c0) / kRounds;
  }
  sink[threadIdx.x] = at + sum + r[0];
}

inline void run_mbarrier_parts(const std::string& folder) {
  Csv csv(folder + "/mbarrier_parts.csv", "what,cycles,clock_mhz");
  Buffer<double> out(2);
  Buffer<std::uint32_t> sink(1024);
  Buffer<long long> begins(64), ends(64);
  const auto row = [&](const std::string& what, double cycles) { csv.row({what, text(cycles), text(clock_soon())}); };

  arrive_and_try<<<1, 32>>>(out.get());
  finish();
  row("arrive", out.to_host()[0]);
  row("try_wait_success", out.to_host()[1]);

  for (const int waiter : {1, 4}) {  // In another sub-partition, in the same.
    wake_up<<<1, 160>>>(waiter, begins.get(), ends.get());
    finish();
    const std::vector<long long> b = begins.to_host(), e = ends.to_host();
    std::vector<double> cycles;
    for (int i = 0; i < 64; ++i) cycles.push_back(double(e[i] - b[i]));
    row(waiter == 1 ? "wake_up" : "wake_up_same_sub_partition", median(cycles));
  }

  ping_pong<<<1, 64>>>(1, out.get());
  finish();
  row("ping_pong_local_half", out.to_host()[0]);
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {2, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(2), config.blockDim = dim3(64);
  config.attrs = &attribute, config.numAttrs = 1;
  MEASURE_CHECK(cudaLaunchKernelEx(&config, ping_pong, 0, out.get()));
  finish();
  row("ping_pong_remote_half", out.to_host()[0]);

  const auto step = [&](const std::string& what, void (*kernel)(double*, std::uint32_t*), int warps, int per) {
    kernel<<<1, 32 * warps>>>(out.get(), sink.get());
    finish();
    row(what, out.to_host()[0] / per);
  };
  step("named_barrier_256", steps<Step::kNamed>, 8, 1);
  step("fence_proxy_async", steps<Step::kFence>, 1, 1);
  step("fence_proxy_async_shared", steps<Step::kSharedFence>, 1, 1);
  step("store_and_fence_proxy_async_shared", steps<Step::kStoreFence>, 1, 1);
  step("ldmatrix_x4_latency", steps<Step::kLoadChain>, 1, 1);
  step("stmatrix_ldmatrix_x4_latency", steps<Step::kStoreLoadChain>, 1, 1);
  for (const int warps : {1, 4, 8, 16}) {  // Cycles of the SM for one of them.
    step("ldmatrix_x4_warps" + std::to_string(warps), steps<Step::kLoads>, warps, warps);
    step("stmatrix_x4_warps" + std::to_string(warps), steps<Step::kStores>, warps, warps);
  }
}

}  // namespace measure
