// A line on a terminal that says how far it is; gone when it ends.
#pragma once

#include <cstddef>
#include <string>

namespace app {

class Counter {
 public:
  /// `things` are what is counted.
  explicit Counter(std::string things);
  ~Counter();
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;

  void show(std::size_t done, std::size_t of);

 private:
  std::string things_;
  bool terminal_ = false;
  bool shown_ = false;
};

}  // namespace app
