// What the measuring programs share: checked calls, CSV files, clocks and power of the board, repeated timing.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <vector>

namespace measure {

inline void check(cudaError_t result, const char* what, int line) {
  if (result != cudaSuccess) {
    throw std::runtime_error(std::string(what) + ", line " + std::to_string(line) + ": " + cudaGetErrorString(result));
  }
}

inline void check(CUresult result, const char* what, int line) {
  if (result != CUDA_SUCCESS) {
    throw std::runtime_error(std::string(what) + ", line " + std::to_string(line) + ": error " +
                             std::to_string(result));
  }
}

#define MEASURE_CHECK(call) ::measure::check((call), #call, __LINE__)

/// After a launch: errors of its configuration, then of its run.
inline void finish() {
  MEASURE_CHECK(cudaGetLastError());
  MEASURE_CHECK(cudaDeviceSynchronize());
}

/// Rows of text. A file that is begun is there even if the program ends early: it was measured.
class Csv {
 public:
  Csv(const std::string& path, const std::string& header) : file_(path) {
    if (!file_) throw std::runtime_error("cannot write " + path);
    file_ << header << '\n';
  }

  void row(std::initializer_list<std::string> cells) {
    const char* separator = "";
    for (const std::string& cell : cells) {
      file_ << separator << cell;
      separator = ",";
    }
    file_ << std::endl;
  }

 private:
  std::ofstream file_;
};

inline std::string text(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.6g", value);
  return buffer;
}

/// Device memory, released at the end of the scope.
template <class T>
class Buffer {
 public:
  explicit Buffer(std::size_t count) : count_(count) { MEASURE_CHECK(cudaMalloc(&data_, count * sizeof(T))); }
  ~Buffer() { cudaFree(data_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  T* get() const { return data_; }
  std::size_t size() const { return count_; }

  void copy_from(const std::vector<T>& host) {
    MEASURE_CHECK(cudaMemcpy(data_, host.data(), std::min(host.size(), count_) * sizeof(T), cudaMemcpyHostToDevice));
  }
  std::vector<T> to_host() const {
    std::vector<T> host(count_);
    MEASURE_CHECK(cudaMemcpy(host.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
  }

 private:
  std::size_t count_;
  T* data_ = nullptr;
};

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Milliseconds of what `work` launches, by events: the median of `repeats` after `warm_up`.
inline double milliseconds(int warm_up, int repeats, const std::function<void()>& work) {
  cudaEvent_t begin, end;
  MEASURE_CHECK(cudaEventCreate(&begin));
  MEASURE_CHECK(cudaEventCreate(&end));
  std::vector<double> times;
  for (int i = 0; i < warm_up + repeats; ++i) {
    MEASURE_CHECK(cudaEventRecord(begin));
    work();
    MEASURE_CHECK(cudaEventRecord(end));
    MEASURE_CHECK(cudaEventSynchronize(end));
    MEASURE_CHECK(cudaGetLastError());
    float time = 0;
    MEASURE_CHECK(cudaEventElapsedTime(&time, begin, end));
    if (i >= warm_up) times.push_back(time);
  }
  MEASURE_CHECK(cudaEventDestroy(begin));
  MEASURE_CHECK(cudaEventDestroy(end));
  return median(times);
}

/// Nanoseconds since some point in time; ticks coarsely.
__device__ inline std::uint64_t globaltimer() {
  std::uint64_t value;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(value));
  return value;
}

/// A kernel's own clock: cycles of one SM over nanoseconds, of a spin of about `cycles`.
__global__ inline void spin(long long cycles, double* mhz) {
  const std::uint64_t t0 = globaltimer();
  const long long c0 = clock64();
  while (clock64() - c0 < cycles) {
  }
  const long long c1 = clock64();
  const std::uint64_t t1 = globaltimer();
  *mhz = 1000.0 * double(c1 - c0) / double(t1 - t0);
}

/// The SM clock (MHz) right after other work, of a spin of one warp for about 1.5 ms.
inline double clock_soon() {
  static Buffer<double> mhz(1);
  spin<<<1, 1>>>(3'000'000, mhz.get());
  finish();
  return mhz.to_host()[0];
}

/// Begin and end of a kernel's measured stretch, by both clocks.
struct Span {
  long long cycles;
  std::uint64_t ns;
};

/// MHz during the span, or right after it where it is too short to tell.
inline double clock_of(const Span& span) {
  return span.ns > 800'000 ? 1000.0 * double(span.cycles) / double(span.ns) : clock_soon();
}

inline int sm_count() {
  int value = 0;
  MEASURE_CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
  return value;
}

/// Runs the parts of a program one after another; what fails is told and the others go on. The exit code says so.
struct Part {
  const char* name;
  std::function<void(const std::string& folder)> run;
};

inline int run_parts(int argc, char** argv, const std::vector<Part>& parts) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s FOLDER [PART...]\n", argv[0]);
    return 2;
  }
  for (int i = 2; i < argc; ++i) {
    if (std::any_of(parts.begin(), parts.end(), [&](const Part& part) { return std::string(part.name) == argv[i]; })) {
      continue;
    }
    std::fprintf(stderr, "%s has no part %s; its parts:", argv[0], argv[i]);
    for (const Part& part : parts) std::fprintf(stderr, " %s", part.name);
    std::fprintf(stderr, "\n");
    return 2;
  }
  int failed = 0;
  for (const Part& part : parts) {
    if (argc > 2 && std::find(argv + 2, argv + argc, std::string(part.name)) == argv + argc) continue;
    try {
      part.run(argv[1]);
      std::printf("%s done\n", part.name);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s failed: %s\n", part.name, error.what());
      failed = 1;
    }
    std::fflush(stdout);
  }
  return failed;
}

}  // namespace measure
