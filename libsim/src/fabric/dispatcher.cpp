#include "fabric/dispatcher.h"

namespace gpusim::fabric {

Dispatcher::Dispatcher(const FabricConfig& config)
    : sms_(config.sms),
      descending_(config.descending),
      cta_start_(config.border.cta_start),
      server_(config.dispatch_rate) {}

std::vector<Assignment> Dispatcher::begin(std::int64_t ctas, std::int64_t slots, Cycle now) {
  ctas_ = ctas;
  next_ = 0;
  done_ = 0;
  slots_.resize(static_cast<std::size_t>(sms_));
  for (core::Pool& pool : slots_) pool.set_capacity(slots);
  std::vector<Assignment> assignments;
  for (std::int64_t round = 0; round < slots && next_ < ctas_; ++round)
    for (std::int64_t i = 0; i < sms_ && next_ < ctas_; ++i)
      assign(static_cast<std::int32_t>(descending_ ? sms_ - 1 - i : i), now, assignments);
  return assignments;
}

void Dispatcher::ended(std::int32_t sm, Cycle now, std::vector<Assignment>& assignments) {
  ++done_;
  slots_[static_cast<std::size_t>(sm)].release(1);
  if (next_ < ctas_) assign(sm, now, assignments);
}

void Dispatcher::assign(std::int32_t sm, Cycle now, std::vector<Assignment>& assignments) {
  core::Pool& slots = slots_[static_cast<std::size_t>(sm)];
  if (!slots.ask(1)) return;
  slots.take(1);
  assignments.push_back({sm, next_++, server_.take(now, 1).start + cta_start_});
}

}  // namespace gpusim::fabric
