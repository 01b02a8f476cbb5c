#include "watch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "errors.h"

namespace app {

namespace {

constexpr auto first_after = std::chrono::seconds(1);
constexpr auto every = std::chrono::milliseconds(200);

/// The only thing a signal handler may touch.
volatile std::sig_atomic_t stop_requested = 0;

void request_stop(int signal) {
  stop_requested = 1;
  std::signal(signal, SIG_DFL);  // a second one ends the process at once
}

}  // namespace

Watch::Watch() : next_(std::chrono::steady_clock::now() + first_after), terminal_(::isatty(STDERR_FILENO) == 1) {
  stop_requested = 0;
  std::signal(SIGINT, request_stop);
  std::signal(SIGTERM, request_stop);
}

Watch::~Watch() {
  clear();
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
