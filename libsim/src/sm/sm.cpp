#include "sm/sm.h"

#include <algorithm>

namespace gpusim::sm {

Sm::Sm(const SmConfig& config, SmId id, std::span<Observer* const> observers)
    : config_(config),
      id_(id),
      observers_(observers),
      border_(config, static_cast<std::int32_t>(id.index())),
      lsu_(config, border_),
      bulk_(config, border_),
      fetch_(config),
      subs_(static_cast<std::size_t>(config.sub_partitions)),
      issue_unit_(
          config.issue_rate.is_unlimited()
              ? Cycles(0)
              : Cycles((config.issue_rate.period() + config.issue_rate.amount() - 1) / config.issue_rate.amount())) {
  for (SubPartition& sub : subs_) {
    sub.port = core::Server(config.issue_rate);
    for (std::size_t pipe = 0; pipe < pipe_count; ++pipe) sub.pipes[pipe] = core::Server(config.pipes[pipe]);
    sub.address = core::Server(config.address_rate);
    sub.register_banks = core::Server(config.register_bank_rate);
    sub.shared_queue = MemoryQueue(config.queue);
    sub.global_queue = MemoryQueue(config.queue);
  }
}

void Sm::begin(Kernel& kernel, KernelId id, bool code_is_cold) {
  kernel_ = &kernel;
  kernel_id_ = id;
  counters_ = Counters{};
  counters_.roles.assign(kernel.roles.size(), RoleCounters{});
  began_.reset();
  for (SubPartition& sub : subs_) sub.last = -1;
  lsu_.begin(kernel.l1_bytes);
  fetch_.begin(kernel, code_is_cold);
  ctas_.assign(static_cast<std::size_t>(kernel.cta_slots), Cta{});
  warps_.assign(ctas_.size() * static_cast<std::size_t>(kernel.warps_per_cta), Warp{});
  for (std::size_t slot = 0; slot < warps_.size(); ++slot) {
    const auto index = slot % static_cast<std::size_t>(kernel.warps_per_cta);
    const auto role = static_cast<std::size_t>(kernel.role_of_warp[index]);
    warps_[slot].tokens.resize(static_cast<std::size_t>(kernel.roles[role].tokens));
  }
  for (Cta& cta : ctas_) cta.slots.resize(static_cast<std::size_t>(kernel.barrier_slots));
}

void Sm::receive(const CtaStart& start) {
  starts_.push_back(start);
  next_message_ = std::min(next_message_, start.arrives);
}

void Sm::receive(const ClusterRelease& release) {
  releases_.push(release.arrives, release);
  next_message_ = std::min(next_message_, release.arrives);
}

void Sm::receive(const Delivery& delivery) {
  deliveries_.push(delivery.arrives, delivery);
  next_message_ = std::min(next_message_, delivery.arrives);
}

void Sm::receive(const Reply& reply) {
  border_.expect(reply);
  replies_.push(reply.arrives, reply.handle);
  next_message_ = std::min(next_message_, reply.arrives);
}

/// Messages of a cycle come before its events: whether one came in this window or the last must make no difference.
void Sm::run_until(Cycle end) {
  while (true) {
    const Cycle event_at = events_.next();
    const Cycle now = std::min(next_message_, event_at);
    if (now >= end) return;
    if (next_message_ == now) {
      handle_message(now);
      next_message_ = std::min({replies_.next(), deliveries_.next(), releases_.next(), next_start()});
    } else {
      const Event event = events_.pop();
      look_ahead();
      handle(event, now);
    }
  }
}

/// The first of the messages that arrive now: replies before deliveries before releases before CTAs.
void Sm::handle_message(Cycle now) {
  if (replies_.next() == now) {
    const std::uint32_t handle = replies_.pop();
    if (const std::uint32_t* const next = replies_.peek()) border_.prefetch_for_reply(*next);
    arriving(handle, now);
    const Cycle through = border_.take_port(handle);
    if (through > now)
      events_.push(through, {Event::Kind::delivered, static_cast<std::int32_t>(handle)});
    else
      delivered(handle, now);
  } else if (deliveries_.next() == now) {
    deliver(deliveries_.pop(), now);
  } else if (releases_.next() == now) {
    release_cluster(releases_.pop());
  } else {
    const CtaStart start = starts_.front();
    starts_.pop_front();
    start_cta(start, now);
  }
}

void Sm::handle(const Event& event, Cycle now) {
  switch (event.kind) {
    case Event::Kind::warp: {
      Warp& warp = warps_[static_cast<std::size_t>(event.index)];
      charge(warp, warp.reason, now);
      if (warp.step().kind == StepKind::exit)
        exit_warp(event.index, now);
      else
        make_ready(event.index, now);
      return;
    }
    case Event::Kind::evaluate:
      if (subs_[static_cast<std::size_t>(event.index)].evaluates_at == now) evaluate(event.index, now);
      return;
    case Event::Kind::departs:
      return depart(static_cast<std::uint32_t>(event.index), now);
    case Event::Kind::delivered:
      return delivered(static_cast<std::uint32_t>(event.index), now);
    case Event::Kind::written:
      return written(event.index, now);
    case Event::Kind::read:
      return read(event.index, now);
    case Event::Kind::lands: {
      const Delivery delivery = landings_[static_cast<std::size_t>(event.index)];
      free_landings_.push_back(event.index);
      return land(delivery, now);
    }
  }
}

}  // namespace gpusim::sm
