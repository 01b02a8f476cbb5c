// Keeps an eye on a long run: Ctrl-C stops it, and a terminal shows how far it is.
#pragma once

#include <chrono>
#include <functional>

#include "gpusim/run_options.h"

namespace app {

/// Takes SIGINT and SIGTERM while it lives. One at a time.
class Watch {
 public:
  Watch();
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  /// For RunOptions::stop; must not outlive the Watch.
  [[nodiscard]] std::function<bool(const gpusim::Progress&)> callback();

  /// Whether a signal asked to stop.
  [[nodiscard]] bool interrupted() const;
  /// Throws Interrupted when a signal asked to stop.
  void throw_if_interrupted() const;

 private:
  void show(const gpusim::Progress& progress);
  void clear() const;

  std::chrono::steady_clock::time_point next_;
  bool terminal_ = false;
  bool shown_ = false;
};

}  // namespace app
