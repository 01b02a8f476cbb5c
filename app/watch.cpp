#include "watch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <ctime>

#include "errors.h"

namespace app {

namespace {

constexpr auto first_after = std::chrono::seconds(1);
constexpr auto every = std::chrono::milliseconds(200);

/// `timeout` sends its signal to the process and then to its group: what follows this closely is the same wish.
constexpr std::int64_t one_wish_ns = 500'000'000;

/// The only things a signal handler may touch.
volatile std::sig_atomic_t stop_requested = 0;
std::atomic<std::int64_t> requested_at_ns = 0;
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

std::int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

/// The first asks the run to stop; another one, later, ends the process at once.
void request_stop(int signal) {
  const std::int64_t now = now_ns();
  if (stop_requested == 0) {
    requested_at_ns = now;
    stop_requested = 1;
  } else if (now - requested_at_ns >= one_wish_ns) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

}  // namespace

Watch::Watch() : next_(std::chrono::steady_clock::now() + first_after), terminal_(::isatty(STDERR_FILENO) == 1) {
  stop_requested = 0;
  std::signal(SIGINT, request_stop);
  std::signal(SIGTERM, request_stop);
}

Watch::~Watch() {
  clear();
  if (interrupted()) return;  // what is half written is being cleared away
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

std::function<bool(const gpusim::Progress&)> Watch::callback() {
  return [this](const gpusim::Progress& progress) {
    if (terminal_) show(progress);
    return stop_requested != 0;
  };
}

bool Watch::interrupted() const { return stop_requested != 0; }

void Watch::throw_if_interrupted() const {
  if (interrupted()) throw Interrupted("interrupted; nothing was written");
}

void Watch::show(const gpusim::Progress& progress) {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + every;
  shown_ = true;
  const std::int64_t percent = progress.ctas > 0 ? 100 * progress.ctas_done / progress.ctas : 0;
  std::fputs(fmt::format("\rgpusim: cycle {}, {} of {} CTAs done ({} %)\033[K", progress.now.count(),
                         progress.ctas_done, progress.ctas, percent)
                 .c_str(),
             stderr);
  std::fflush(stderr);
}

void Watch::clear() const {
  if (!shown_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
}

}  // namespace app
