// What Python has to say while C++ simulates without its lock.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <utility>

#include "casters.h"
#include "gpusim/run_options.h"

namespace bindings {

/// Stops runs, in one thread or several, when Python has a signal to handle (Ctrl-C), when the user's function says so,
/// and when a function of the user's raises. Then it stays so.
class Watch {
 public:
  static constexpr auto between_looks = std::chrono::milliseconds(50);

  explicit Watch(py::object stop) : stop_(std::move(stop)) {}

  /// RunOptions::stop.
  bool operator()(const gpusim::Progress& progress) {
    const bool asks = !stop_.is_none();
    if (!ended_ && (asks || std::chrono::steady_clock::now() >= next_.load())) {
      call([&] {
        handle_signals();
        if (asks && !ended_ && py::bool_(stop_(progress))) ended_ = true;
      });
    }
    return ended_;
  }
  /// Handles signals, which only Python's main thread does.
  void look() {
    call([this] { handle_signals(); });
  }
  /// Calls what may call Python, with its lock; keeps what it throws for raise(), and calls nothing after that.
  template <class Function>
  void call(const Function& function) {
    const py::gil_scoped_acquire lock;
    if (error_) return;
    try {
      function();
    } catch (const std::exception&) {  // not the unwinding of a thread that Python ends
      error_ = std::current_exception();
      ended_ = true;
    }
  }
  /// Raises what was raised in a handler or in a function of the user's. Needs the lock.
  void raise() {
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }

 private:
  void handle_signals() {
    next_ = std::chrono::steady_clock::now() + between_looks;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  }

  py::object stop_;
  std::atomic<std::chrono::steady_clock::time_point> next_{};
  std::atomic<bool> ended_ = false;
  std::exception_ptr error_;  ///< under Python's lock
};

}  // namespace bindings
