#include "counter.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

namespace app {

Counter::Counter(std::string things) : things_(std::move(things)), terminal_(::isatty(STDERR_FILENO) == 1) {}

Counter::~Counter() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void Counter::show(std::size_t done, std::size_t of) {
  if (!terminal_) return;
  shown_ = true;
  std::fputs(fmt::format("\rgpusim: {} of {} {}\033[K", done, of, things_).c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace app
