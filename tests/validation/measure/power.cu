// What kinds of work draw: power, clock and rate of loads that keep one kind of unit of all SMs busy, and how the
// board's controller lowers the clock. Parts: power, throttle, limits. Reads the board's state, never sets it.
// Build: nvcc -std=c++20 -O3 -gencode=arch=compute_90a,code=sm_90a power.cu -o power -lcuda -ldl
#include <unistd.h>

#include <ctime>

#include "board.h"
#include "power_wgmma.h"

using namespace measure;

namespace {

constexpr std::uint64_t kMiB = 1 << 20, kGiB = 1 << 30;
constexpr std::uint64_t kDataBytes = 4 * kGiB, kSmallBytes = kMiB, kL2Bytes = 20 * kMiB;
constexpr int kSlots = 4096;  // Launches that one run of a load may stamp.
constexpr int kMaxTrips = 1 << 28;

struct Load {
  const char* name;
  const char* data_name;
  Data data;
  std::uint64_t fill_bytes;
  std::uint64_t walk_bytes;
  void (*kernel)(Args);
  int blocks_per_sm, threads, shared_bytes;
  const char* rate_name;
  double events_per_trip;  // Of a block.
};

/// The loads, in the order they run in.
std::vector<Load> all_loads() {
  constexpr int kWgmmaShared = kWgmmaBytes + 1024;
  const double fma = 512.0 * kFmaPerTrip, mma = 16.0 * kMmaPerTrip * 16 * 8 * 16, walk = 512.0 * 4 * 16;
  const auto small = [](const char* name, const char* data_name, Data data, void (*kernel)(Args), int threads,
                        int shared, const char* rate, double events) {
    return Load{name, data_name, data, kSmallBytes, kSmallBytes, kernel, 1, threads, shared, rate, events};
  };
  const auto tensor = [&](const char* name, const char* data_name, Data data, int k, void (*kernel)(Args)) {
    return small(name, data_name, data, kernel, 256, kWgmmaShared, "fmas", 2.0 * kWgmmaPerTrip * 64 * 256 * k);
  };
  return {
      small("spin", "none", Data::kZero, spin_load, 32, 0, "clock_reads", kSpinReads),
      small("issue", "random", Data::kBits, issue_load, 512, 0, "warp_instructions", 16.0 * kIssuePerTrip),
      small("fma", "random", Data::kFloat, fma_load, 512, 0, "fmas", fma),
      small("fma_zero", "zero", Data::kZero, fma_load, 512, 0, "fmas", fma),
      small("mma", "random", Data::kBf16, mma_load, 512, 0, "fmas", mma),
      tensor("wgmma", "random", Data::kBf16, k_of<Kind::kBf16>, wgmma_load<Kind::kBf16>),
      tensor("wgmma_zero", "zero", Data::kZero, k_of<Kind::kBf16>, wgmma_load<Kind::kBf16>),
      tensor("wgmma_rs", "random", Data::kBf16, k_of<Kind::kBf16>, wgmma_load<Kind::kBf16, true>),
      tensor("wgmma_fp8", "random", Data::kFp8, k_of<Kind::kFp8>, wgmma_load<Kind::kFp8>),
      tensor("wgmma_fp8_zero", "zero", Data::kZero, k_of<Kind::kFp8>, wgmma_load<Kind::kFp8>),
      tensor("wgmma_int8", "random", Data::kInt8, k_of<Kind::kInt8>, wgmma_load<Kind::kInt8>),
      tensor("wgmma_tf32", "random", Data::kTf32, k_of<Kind::kTf32>, wgmma_load<Kind::kTf32>),
      small("shared", "random", Data::kBits, shared_load, 512, kSharedBytes, "bytes", kSharedBytes),
      small("shared_zero", "zero", Data::kZero, shared_load, 512, kSharedBytes, "bytes", kSharedBytes),
      small("l1", "random", Data::kBits, l1_load, 512, 0, "bytes", kL1BytesPerTrip),
      {"l2", "random", Data::kBits, kL2Bytes, kL2Bytes, walk_load<Walk::kRead>, 2, 512, 0, "bytes", walk},
      {"dram_read", "random", Data::kBits, kDataBytes, kDataBytes, walk_load<Walk::kRead>, 2, 512, 0, "bytes", walk},
      {"dram_write", "random", Data::kBits, 0, kDataBytes, walk_load<Walk::kWrite>, 2, 512, 0, "bytes", walk},
      {"dram_copy", "random", Data::kBits, kDataBytes, kDataBytes / 2, walk_load<Walk::kCopy>, 2, 512, 0, "bytes",
       2 * walk},
  };
}

/// What all runs share.
struct Bench {
  Buffer<uint4> data{kDataBytes / 16};
  Buffer<Stamp> stamps{kSlots};
  Buffer<std::uint32_t> sink{1};
  int sms = sm_count();

  void launch(const Load& load, int trips, int slot) const {
    const Args args{data.get(), load.walk_bytes, trips, 0x5a17c3e9u, sink.get(), stamps.get() + slot};
    load.kernel<<<sms * load.blocks_per_sm, load.threads, load.shared_bytes>>>(args);
    MEASURE_CHECK(cudaGetLastError());
  }

  /// Fills the data and finds the trips of a kernel that takes about `ms`.
  int prepare(const Load& load, double ms) const {
    if (load.fill_bytes > 0) fill<<<sms * 8, 256>>>(data.get(), load.fill_bytes / 16, load.data);
    finish();
    if (load.shared_bytes > 0) {
      MEASURE_CHECK(cudaFuncSetAttribute(load.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, load.shared_bytes));
    }
    int trips = 16;
    const auto time = [&] { return milliseconds(1, 1, [&] { launch(load, trips, 0); }); };
    double taken = time();
    while (taken < 0.7 && trips < kMaxTrips / 4) {
      trips *= 4;
      taken = time();
    }
    return int(std::clamp(trips * ms / taken, 1.0, double(kMaxTrips)));
  }
};

/// What a run of back-to-back launches left: stamps in order, the host's time at its end.
struct Held {
  std::vector<Stamp> stamps;
  double begin, end;
};

/// Launches for some seconds, a few ahead of the device.
Held hold(const Bench& bench, const Load& load, int trips, double seconds) {
  constexpr int kAhead = 3;
  cudaEvent_t done[kAhead];
  for (cudaEvent_t& event : done) MEASURE_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  Held held;
  held.begin = now();
  int count = 0;
  for (; count < kSlots && now() - held.begin < seconds; ++count) {
    if (count >= kAhead) MEASURE_CHECK(cudaEventSynchronize(done[count % kAhead]));
    bench.launch(load, trips, count);
    MEASURE_CHECK(cudaEventRecord(done[count % kAhead]));
  }
  finish();
  held.end = now();
  for (cudaEvent_t event : done) MEASURE_CHECK(cudaEventDestroy(event));
  held.stamps = bench.stamps.to_host();
  held.stamps.resize(count);
  return held;
}

/// Empty for what the board did not say.
std::string cell(double value) { return std::isnan(value) ? "" : text(value); }

void row(Csv& csv, const char* load, const char* data, const Mean& mean, double mhz, const char* rate_name,
         double rate) {
  csv.row({load, data, cell(mean.watts), cell(mean.watts_energy), cell(mean.sm_mhz), cell(mhz), cell(mean.memory_mhz),
           cell(mean.temperature), rate_name, cell(rate), cell(mean.average_watts), std::to_string(mean.reasons)});
}

void power(const std::string& folder) {
  constexpr double kSeconds = 1.2, kWindow = 0.8;
  Csv csv(folder + "/power.csv",
          "load,data,watts_sampled,watts_energy,sm_mhz_nvml,sm_mhz_kernel,mem_mhz,temperature,rate_name,rate_per_s,"
          "watts_average,reasons");
  const Board board;
  const Bench bench;
  const Sampler sampler(board);
  finish();
  sleep_for(1);
  const double idle = now();
  row(csv, "idle", "none", sampler.mean(idle - kWindow, idle), std::nan(""), "none", std::nan(""));
  for (const Load& load : all_loads()) {
    const int trips = bench.prepare(load, 10);
    const Held held = hold(bench, load, trips, kSeconds);
    // Of the kernels that ended in the window: the clock, and the rate from the first one's end to the last one's.
    const std::uint64_t last = held.stamps.back().end;
    const std::uint64_t from = last - std::uint64_t(kWindow * 1e9);
    double cycles = 0, busy = 0;
    std::uint64_t first = 0;
    int kernels = 0;
    for (const Stamp& stamp : held.stamps) {
      if (stamp.end < from) continue;
      if (first == 0) {
        first = stamp.end;
        continue;
      }
      cycles += double(stamp.cycles);
      busy += double(stamp.end - stamp.begin);
      ++kernels;
    }
    const double events = load.events_per_trip * trips * load.blocks_per_sm * bench.sms * kernels;
    row(csv, load.name, load.data_name, sampler.mean(held.end - kWindow, held.end), 1000 * cycles / busy,
        load.rate_name, events / (1e-9 * double(last - first)));
  }
}

__global__ void read_timer(std::uint64_t* value) { *value = globaltimer(); }

/// The device's clock minus the host's, in seconds: of several tries the one that took the least time.
double clock_offset() {
  Buffer<std::uint64_t> value(1);
  double shortest = 1e9, offset = 0;
  for (int i = 0; i < 8; ++i) {
    const double begin = now();
    read_timer<<<1, 1>>>(value.get());
    finish();
    const double end = now();
    const double device = 1e-9 * double(value.to_host()[0]);
    if (i == 0 || end - begin > shortest) continue;
    shortest = end - begin;
    offset = device - 0.5 * (begin + end);
  }
  return offset;
}

void throttle(const std::string& folder) {
  Csv kernels(folder + "/throttle.csv", "load,time_ms,kernel_ms,sm_mhz");
  Csv samples(folder + "/throttle_board.csv", "load,time_ms,watts,sm_mhz,watts_average,reasons");
  const Board board;
  const Bench bench;
  const Sampler sampler(board);
  for (const Load& load : all_loads()) {
    const std::string name = load.name;
    const bool longest = name == "wgmma";
    if (!longest && name != "fma" && name != "dram_copy") continue;
    const int trips = bench.prepare(load, 1);
    sleep_for(1.5);
    const double offset = clock_offset();
    const Held held = hold(bench, load, trips, longest ? 1.5 : 0.6);
    // Time 0 is the begin of the first kernel.
    const std::uint64_t zero = held.stamps.front().begin;
    for (const Stamp& stamp : held.stamps) {
      const double ns = double(stamp.end - stamp.begin);
      kernels.row(
          {name, text(1e-6 * double(stamp.end - zero)), text(1e-6 * ns), text(1000 * double(stamp.cycles) / ns)});
    }
    const double host_zero = 1e-9 * double(zero) - offset;
    for (const Sample& sample : sampler.between(host_zero - 0.1, held.end)) {
      samples.row({name, text(1000 * (sample.time - host_zero)), cell(sample.watts), cell(sample.sm_mhz),
                   cell(sample.average_watts), std::to_string(sample.reasons)});
    }
  }
}

void limits(const std::string& folder) {
  Csv csv(folder + "/machine.csv", "key,value");
  const Board board;
  cudaDeviceProp properties;
  MEASURE_CHECK(cudaGetDeviceProperties(&properties, 0));
  char date[16] = {};
  const std::time_t time = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&time));
  csv.row({"device", properties.name});
  csv.row({"driver", board.driver()});
  csv.row({"power_limit_w", cell(board.limit())});
  csv.row({"enforced_limit_w", cell(board.enforced_limit())});
  csv.row({"default_limit_w", cell(board.default_limit())});
  csv.row({"max_sm_mhz", cell(board.max_clock(Board::kSm))});
  csv.row({"max_memory_mhz", cell(board.max_clock(Board::kMemory))});
  csv.row({"memory_mhz", cell(board.clock(Board::kMemory))});
  csv.row({"instant_power", std::isnan(board.instant_watts()) ? "no" : "yes"});
  csv.row({"sms", std::to_string(properties.multiProcessorCount)});
  csv.row({"l2_bytes", std::to_string(properties.l2CacheSize)});
  csv.row({"date", date});
}

}  // namespace

int main(int argc, char** argv) {
  alarm(100);  // Whatever happens, it ends.
  return run_parts(argc, argv, {{"limits", limits}, {"power", power}, {"throttle", throttle}});
}
