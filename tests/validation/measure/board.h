// What the board says of itself: power, clocks, energy, temperature, through NVML. Reads only, never sets anything.
// A board or driver that does not answer gives NaN.
#pragma once

#include <dlfcn.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "common.h"

namespace measure {

/// Seconds of the host's clock.
inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

inline void sleep_for(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

/// NVML's functions, by name, of the library that comes with the driver.
class Board {
 public:
  Board() {
    library_ = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    const auto init = function<int (*)()>("nvmlInit_v2");
    if (!init || init() != 0) return;
    char bus[32] = {};
    MEASURE_CHECK(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
    const auto by_bus = function<int (*)(const char*, void**)>("nvmlDeviceGetHandleByPciBusId_v2");
    const auto by_index = function<int (*)(unsigned, void**)>("nvmlDeviceGetHandleByIndex_v2");
    if (by_bus && by_bus(bus, &device_) == 0) return;
    if (!by_index || by_index(0, &device_) != 0) device_ = nullptr;
  }

  /// Clocks as NVML numbers them.
  static constexpr int kSm = 1, kMemory = 2;

  /// W, of about the last second on Hopper.
  double average_watts() const { return number<unsigned>("nvmlDeviceGetPowerUsage") / 1000; }
  /// W, of a short time before now.
  double instant_watts() const { return field(186) / 1000; }
  /// mJ since the driver was loaded.
  double energy() const { return number<unsigned long long>("nvmlDeviceGetTotalEnergyConsumption"); }
  double limit() const { return number<unsigned>("nvmlDeviceGetPowerManagementLimit") / 1000; }
  double enforced_limit() const { return number<unsigned>("nvmlDeviceGetEnforcedPowerLimit") / 1000; }
  double default_limit() const { return number<unsigned>("nvmlDeviceGetPowerManagementDefaultLimit") / 1000; }
  double clock(int which) const { return number<unsigned>("nvmlDeviceGetClockInfo", which); }
  double max_clock(int which) const { return number<unsigned>("nvmlDeviceGetMaxClockInfo", which); }
  double temperature() const { return number<unsigned>("nvmlDeviceGetTemperature", 0); }
  /// Why the clock is not the highest: bits of NVML (1 idle, 4 power cap, 8 hardware, 0x20 software thermal, ...).
  double reasons() const {
    const double value = number<unsigned long long>("nvmlDeviceGetCurrentClocksEventReasons");
    return std::isnan(value) ? number<unsigned long long>("nvmlDeviceGetCurrentClocksThrottleReasons") : value;
  }
  std::string driver() const {
    char buffer[96] = {};
    const auto call = function<int (*)(char*, unsigned)>("nvmlSystemGetDriverVersion");
    return call && call(buffer, sizeof buffer - 1) == 0 ? buffer : "";
  }

 private:
  template <class F>
  F function(const char* name) const {
    return library_ ? reinterpret_cast<F>(dlsym(library_, name)) : nullptr;
  }

  /// The value of a getter that takes the device, perhaps a choice, and a pointer.
  template <class T, class... Choice>
  double number(const char* name, Choice... choice) const {
    const auto call = function<int (*)(void*, Choice..., T*)>(name);
    T value = 0;
    return call && device_ && call(device_, choice..., &value) == 0 ? double(value) : std::nan("");
  }

  /// A field of NVML whose value is an unsigned int.
  double field(unsigned id) const {
    struct Field {
      unsigned id, scope;
      long long timestamp, latency;
      int type, result;
      union {
        unsigned number;
        unsigned long long bits;
      } value;
    };
    static_assert(sizeof(Field) == 40);
    Field asked[2] = {};  // One is asked for; the other is room to spare.
    asked[0].id = id;
    const auto call = function<int (*)(void*, int, Field*)>("nvmlDeviceGetFieldValues");
    if (!call || !device_ || call(device_, 1, asked) != 0 || asked[0].result != 0) return std::nan("");
    return asked[0].value.number;
  }

  void* library_ = nullptr;
  void* device_ = nullptr;
};

struct Sample {
  double time;                                              // s
  double watts, average_watts, sm_mhz, memory_mhz, energy;  // energy: mJ
  double temperature;
  unsigned reasons;
};

/// Samples of a window: means, the last temperature, all reasons. `watts_energy` is of the energy counter.
struct Mean {
  double watts, average_watts, watts_energy, sm_mhz, memory_mhz, temperature;
  unsigned reasons;
};

/// Reads the board every 5 ms in a thread of its own.
class Sampler {
 public:
  explicit Sampler(const Board& board) : board_(board), thread_([this] { run(); }) {}
  ~Sampler() {
    stop_ = true;
    thread_.join();
  }
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  std::vector<Sample> between(double begin, double end) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<Sample> found;
    for (const Sample& sample : samples_) {
      if (sample.time >= begin && sample.time <= end) found.push_back(sample);
    }
    return found;
  }

  Mean mean(double begin, double end) const {
    const std::vector<Sample> samples = between(begin, end);
    const double none = std::nan("");
    Mean mean{none, none, none, none, none, none, 0};
    if (samples.empty()) return mean;
    mean.watts = mean.average_watts = mean.sm_mhz = mean.memory_mhz = 0;
    const double share = 1.0 / double(samples.size());
    for (const Sample& sample : samples) {
      mean.watts += share * sample.watts;
      mean.average_watts += share * sample.average_watts;
      mean.sm_mhz += share * sample.sm_mhz;
      mean.memory_mhz += share * sample.memory_mhz;
      mean.reasons |= sample.reasons;
    }
    mean.temperature = samples.back().temperature;
    mean.watts_energy = watts_of_energy(samples);
    return mean;
  }

 private:
  /// The counter moves in steps: from the first step of the window to the last.
  static double watts_of_energy(const std::vector<Sample>& samples) {
    const Sample *first = nullptr, *last = nullptr;
    for (std::size_t i = 1; i < samples.size(); ++i) {
      if (!(samples[i].energy > samples[i - 1].energy)) continue;
      if (!first) first = &samples[i];
      last = &samples[i];
    }
    if (first == last) return std::nan("");
    return (last->energy - first->energy) / 1000 / (last->time - first->time);
  }

  void run() {
    while (!stop_) {
      Sample sample{};
      const double begin = now();
      sample.energy = board_.energy();
      sample.average_watts = board_.average_watts();
      sample.watts = board_.instant_watts();
      if (std::isnan(sample.watts)) sample.watts = sample.average_watts;
      sample.time = 0.5 * (begin + now());
      sample.sm_mhz = board_.clock(Board::kSm);
      sample.memory_mhz = board_.clock(Board::kMemory);
      sample.temperature = board_.temperature();
      const double reasons = board_.reasons();
      sample.reasons = std::isnan(reasons) ? 0 : unsigned(reasons);
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        samples_.push_back(sample);
      }
      sleep_for(std::max(0.0005, begin + 0.005 - now()));
    }
  }

  const Board& board_;
  mutable std::mutex mutex_;
  std::vector<Sample> samples_;
  std::atomic<bool> stop_{false};
  std::thread thread_;  // Last: it uses the others.
};

}  // namespace measure
