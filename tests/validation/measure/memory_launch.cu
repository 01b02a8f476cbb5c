// What it takes to start kernels and CTAs. Parts: launch, launch_shape, dispatch, turnaround.
// Build: nvcc -std=c++20 -O3 -gencode=arch=compute_90a,code=sm_90a memory_launch.cu -o memory_launch -lcuda
#include <map>
#include <utility>

#include "memory.h"

using namespace measure;

namespace {

__global__ void null_kernel() {}
__global__ void scale_kernel(double* a, const double* b, double s) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = s * b[i];
}

/// Kernels one after another, recorded once and launched as one graph.
class Graph {
 public:
  explicit Graph(const std::function<void(cudaStream_t)>& work) {
    MEASURE_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    MEASURE_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    cudaGraph_t graph = nullptr;
    try {
      work(stream_);
    } catch (...) {
      cudaStreamEndCapture(stream_, &graph);  // So that later parts may allocate.
      throw;
    }
    MEASURE_CHECK(cudaStreamEndCapture(stream_, &graph));
    MEASURE_CHECK(cudaGraphInstantiate(&runnable_, graph, 0));
    MEASURE_CHECK(cudaGraphDestroy(graph));
    MEASURE_CHECK(cudaGraphUpload(runnable_, stream_));
    MEASURE_CHECK(cudaStreamSynchronize(stream_));
  }
  ~Graph() {
    if (runnable_ != nullptr) cudaGraphExecDestroy(runnable_);
    cudaStreamDestroy(stream_);
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  /// Milliseconds of one replay: the median.
  double replay_ms(int replays) const {
    return milliseconds(2, replays, [&] { MEASURE_CHECK(cudaGraphLaunch(runnable_, nullptr)); });
  }

 private:
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t runnable_ = nullptr;
};

constexpr int kNodes = 200, kReplays = 10, kStreamKernels = 2000;

/// Microseconds from the start of one kernel of a graph to that of the next: what twice the nodes take longer.
double graph_us(const std::function<void(cudaStream_t)>& launch) {
  const auto replay = [&](int nodes) {
    const Graph graph([&](cudaStream_t stream) {
      for (int i = 0; i < nodes; ++i) launch(stream);
    });
    return graph.replay_ms(kReplays);
  };
  const double once = replay(kNodes), twice = replay(2 * kNodes);
  return 1000 * (twice - once) / kNodes;
}

double stream_us(const std::function<void(cudaStream_t)>& launch) {
  const double ms = milliseconds(1, 3, [&] {
    for (int i = 0; i < kStreamKernels; ++i) launch(nullptr);
  });
  return 1000 * ms / kStreamKernels;
}

// ---- launch

void launch(const std::string& folder) {
  // As in the probe, `bytes` are of both arrays, 8 bytes a thread of each, CTAs of 256 threads.
  Csv csv(folder + "/launch.csv", "kernel,bytes,mode,time,clock_mhz");
  constexpr std::size_t kLast = 16 * kMiB;
  Buffer<double> a(kLast / 16), b(kLast / 16);
  MEASURE_CHECK(cudaMemset(b.get(), 0, kLast / 2));
  const auto both = [&](const char* kernel, std::size_t bytes, const std::function<void(cudaStream_t)>& work) {
    for (const bool graph : {false, true}) {
      const double us = graph ? graph_us(work) : stream_us(work);
      csv.row({kernel, std::to_string(bytes), graph ? "graph" : "stream", text(us), text(clock_soon())});
    }
  };
  both("null", 0, [](cudaStream_t stream) { null_kernel<<<1, 32, 0, stream>>>(); });
  for (std::size_t bytes = kMiB / 16; bytes <= kLast; bytes *= 2) {
    for (const std::size_t size : {bytes, bytes + bytes / 2}) {
      if (size > kLast) break;
      const unsigned ctas = unsigned(size / 16 / 256);
      both("scale", size, [&](cudaStream_t stream) { scale_kernel<<<ctas, 256, 0, stream>>>(a.get(), b.get(), 1.5); });
    }
  }
}

// ---- launch_shape: null kernels of different shapes in a graph

void launch_shape(const std::string& folder) {
  Csv csv(folder + "/launch_shape.csv", "ctas,threads,shared,cluster,time_us,clock_mhz");
  MEASURE_CHECK(cudaFuncSetAttribute(null_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
  for (const unsigned ctas : {1u, 132u, 264u, 1320u}) {
    for (const unsigned threads : {128u, 384u}) {
      for (const unsigned shared : {0u, 100u * 1024, 200u * 1024}) {
        for (const unsigned cluster : {0u, 1u, 2u}) {  // 0: launched without the attribute.
          if (cluster != 0 && ctas % cluster != 0) continue;
          const double us = graph_us([&](cudaStream_t stream) {
            cudaLaunchAttribute attribute{};
            attribute.id = cudaLaunchAttributeClusterDimension;
            attribute.val.clusterDim.x = cluster;
            attribute.val.clusterDim.y = 1;
            attribute.val.clusterDim.z = 1;
            cudaLaunchConfig_t config{};
            config.gridDim = dim3(ctas);
            config.blockDim = dim3(threads);
            config.dynamicSmemBytes = shared;
            config.stream = stream;
            config.attrs = &attribute;
            config.numAttrs = cluster == 0 ? 0 : 1;
            MEASURE_CHECK(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(null_kernel), nullptr));
          });
          csv.row({std::to_string(ctas), std::to_string(threads), std::to_string(shared), std::to_string(cluster),
                   text(us), text(clock_soon())});
        }
      }
    }
  }
}

// ---- dispatch: how fast CTAs follow each other

constexpr int kTwoAnSm = 110 * 1024;  // Dynamic shared memory of which an SM holds two, not three.

__global__ void init_kernel(double* a, double s) { a[std::size_t(blockIdx.x) * blockDim.x + threadIdx.x] = s; }
__global__ void read_kernel(double* a, double s) {
  const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (a[i] == s) a[i] = s + 1;
}

void dispatch(const std::string& folder) {
  Csv csv(folder + "/dispatch.csv", "kernel,threads,turnaround,ctas_per_clk,per_cta,clock_mhz");
  constexpr std::size_t kElements = std::size_t(1) << 28;  // 2 GiB.
  Buffer<double> data(kElements);
  MEASURE_CHECK(cudaMemset(data.get(), 0, kElements * 8));
  const int sms = sm_count();
  for (const auto kernel : {init_kernel, read_kernel}) {
    MEASURE_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kTwoAnSm));
  }
  for (const std::string name : {"empty", "init", "read"}) {
    for (const int threads : {32, 64, 128, 256, 512, 1024}) {
      // What `ctas` more of them take longer.
      const unsigned ctas = unsigned(std::min<std::size_t>(500'000, kElements / 2 / threads));
      const auto run = [&](unsigned count) {
        return milliseconds(1, 3, [&] {
          if (name == "empty") null_kernel<<<count, threads>>>();
          if (name == "init") init_kernel<<<count, threads, kTwoAnSm>>>(data.get(), 1.0);
          if (name == "read") read_kernel<<<count, threads, kTwoAnSm>>>(data.get(), 2.0);
        });
      };
      const double once = run(ctas), twice = run(2 * ctas);
      const double ns = 1e6 * (twice - once) / ctas, clock = clock_soon(), cycles = ns * clock / 1000;
      csv.row({name, std::to_string(threads), name == "empty" ? "" : text(cycles * 2 * sms), text(1 / cycles), text(ns),
               text(clock)});
    }
  }
}

// ---- turnaround: from the end of one CTA to the begin of the next in its place

constexpr int kCtasASlot = 20, kSpin = 2000;

struct Visit {
  long long begin, end;
  unsigned sm;
};

__global__ void stay(Visit* visits) {
  const long long begin = clock64();
  Visit* mine = visits + blockIdx.x;
  if (threadIdx.x == 0) {
    mine->begin = begin;
    mine->sm = sm_id();
    while (clock64() - begin < kSpin) {
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) mine->end = clock64();
}

void turnaround(const std::string& folder) {
  // `held`: CTAs on an SM at a time. Where they are several, the i-th end on an SM is taken to make place for the
  // begin that is `held` begins further.
  Csv csv(folder + "/turnaround.csv", "threads,shared,held,gap_cycles_median,gap_cycles_p90");
  const int sms = sm_count();
  constexpr int kMost = 227 * 1024;
  MEASURE_CHECK(cudaFuncSetAttribute(stay, cudaFuncAttributeMaxDynamicSharedMemorySize, kMost));
  for (const int threads : {32, 128, 256, 384, 512, 1024}) {
    for (const int shared : {70 * 1024, 100 * 1024, 120 * 1024, 160 * 1024, 200 * 1024, kMost}) {
      int held = 0;
      MEASURE_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&held, stay, threads, shared));
      if (held < 1) throw std::runtime_error("no CTA fits");
      const int ctas = kCtasASlot * held * sms;
      Buffer<Visit> visits(ctas);
      for (int run = 0; run < 2; ++run) {  // The first one warms up.
        stay<<<ctas, threads, shared>>>(visits.get());
        finish();
      }
      std::map<unsigned, std::pair<std::vector<long long>, std::vector<long long>>> of_sm;
      for (const Visit& visit : visits.to_host()) {
        of_sm[visit.sm].first.push_back(visit.begin);
        of_sm[visit.sm].second.push_back(visit.end);
      }
      std::vector<double> gaps;
      for (auto& [sm, times] : of_sm) {
        auto& [begins, ends] = times;
        std::sort(begins.begin(), begins.end());
        std::sort(ends.begin(), ends.end());
        for (std::size_t i = 0; i + held < begins.size(); ++i) gaps.push_back(double(begins[i + held] - ends[i]));
      }
      std::sort(gaps.begin(), gaps.end());
      if (gaps.empty()) throw std::runtime_error("no CTA followed another");
      csv.row({std::to_string(threads), std::to_string(shared), std::to_string(held), text(gaps[gaps.size() / 2]),
               text(gaps[gaps.size() * 9 / 10])});
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  return run_parts(
      argc, argv,
      {{"launch", launch}, {"launch_shape", launch_shape}, {"dispatch", dispatch}, {"turnaround", turnaround}});
}
