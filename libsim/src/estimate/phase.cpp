#include "estimate/phase.h"

namespace gpusim::estimate {

std::vector<int> PhaseCounter::arrive(std::int64_t arrivals, std::int64_t bytes, const Path& at) {
  missing_ -= arrivals;
  bytes_ += bytes;
  return finish(at);
}

std::vector<int> PhaseCounter::deliver(std::int64_t bytes, const Path& at) {
  bytes_ -= bytes;
  return finish(at);
}

std::vector<int> PhaseCounter::finish(const Path& at) {
  std::vector<int> woken;
  if (missing_ > 0 || bytes_ != 0) return woken;
  missing_ = arrivals_;
  ++phase_;
  completion_ = at;
  std::vector<Waiter> still;
  for (const Waiter& waiter : waiting_) {
    if (complete(waiter.phase)) {
      woken.push_back(waiter.warp);
    } else {
      still.push_back(waiter);
    }
  }
  waiting_ = std::move(still);
  return woken;
}

}  // namespace gpusim::estimate
