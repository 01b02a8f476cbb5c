// Independent pieces of work, shared out over threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace gpusim::tune {

struct Sharing {
  int jobs = 0;                ///< threads; 0: one for each core. Never more than pieces
  std::function<bool()> stop;  ///< asked after each piece: no more are begun once it says so
  std::function<void(std::size_t done, std::size_t of)> progress;  ///< after each piece, by one thread at a time
};

/// Calls work(i) for every i below `count`. Whether all were done and none was asked to stop: work may look at the same
/// `stop` and end early. When some throw no more are begun, and the exception of the first comes out, whichever thread
/// came upon one first.
template <class Work>
bool in_parallel(const Sharing& sharing, std::size_t count, const Work& work) {
  std::vector<std::exception_ptr> failures(count);
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> ended = false;
  std::mutex mutex;
  std::size_t done = 0;
  const auto run = [&] {
    for (std::size_t i = next++; i < count && !ended; i = next++) {
      try {
        work(i);
      } catch (...) {
        failures[i] = std::current_exception();
        ended = true;
      }
      if (sharing.stop && sharing.stop()) ended = true;
      const std::lock_guard lock(mutex);
      ++done;
      if (sharing.progress) sharing.progress(done, count);
    }
  };
  {
    const std::size_t wanted =
        sharing.jobs > 0 ? static_cast<std::size_t>(sharing.jobs) : std::thread::hardware_concurrency();
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < std::min(wanted, count); ++i) others.emplace_back(run);
    run();
  }
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
  return !ended;
}

}  // namespace gpusim::tune
