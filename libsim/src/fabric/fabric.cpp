#include "fabric/fabric.h"

#include <algorithm>
#include <tuple>

namespace gpusim::fabric {
namespace {

template <class Message>
std::uint32_t keep(const Message& message, std::vector<Message>& messages, std::vector<std::uint32_t>& free) {
  if (free.empty()) {
    messages.push_back(message);
    return static_cast<std::uint32_t>(messages.size() - 1);
  }
  const std::uint32_t index = free.back();
  free.pop_back();
  messages[index] = message;
  return index;
}

}  // namespace

Fabric::Fabric(const FabricConfig& config)
    : config_(config),
      dispatcher_(config),
      memory_(config),
      sequence_(static_cast<std::size_t>(config.sms)),
      replies_(static_cast<std::size_t>(config.sms)),
      starts_(static_cast<std::size_t>(config.sms)) {}

void Fabric::begin(std::int64_t ctas, std::int64_t slots, BlockOf block_of, Cycle now) {
  block_of_ = std::move(block_of);
  assignments_ = dispatcher_.begin(ctas, slots, now);
  first_start_ = Cycle::never();
  for (const Assignment& assignment : assignments_) first_start_ = std::min(first_start_, assignment.start);
  last_exit_ = last_store_ = now;
  send_starts();
}

void Fabric::receive(const Request& request) {
  const std::uint32_t index = keep(request, requests_, free_requests_);
  inbox_.push(request.arrives, {request.sm, sequence_[static_cast<std::size_t>(request.sm)]++, false, index});
}

void Fabric::receive(const CtaExit& exit) {
  const std::uint32_t index = keep(exit, exits_, free_exits_);
  inbox_.push(exit.arrives, {exit.sm, sequence_[static_cast<std::size_t>(exit.sm)]++, true, index});
}

void Fabric::run_until(Cycle end) {
  while (inbox_.next() < end) {
    const Cycle now = inbox_.next();
    batch_.clear();
    while (inbox_.next() == now) batch_.push_back(inbox_.pop());
    // Exits and requests are collected apart, so an exit comes after the requests of its SM in the same cycle.
    std::sort(batch_.begin(), batch_.end(), [](const Pending& a, const Pending& b) {
      return std::tie(a.sm, a.exit, a.sequence) < std::tie(b.sm, b.exit, b.sequence);
    });
    for (const Pending& pending : batch_) {
      if (pending.exit) {
        handle(exits_[pending.index], now);
        free_exits_.push_back(pending.index);
      } else {
        handle(requests_[pending.index], now);
        free_requests_.push_back(pending.index);
      }
    }
  }
}

void Fabric::handle(const Request& request, Cycle now) {
  Reply reply;
  reply.handle = request.handle;
  if (request.write) {
    const Cycle written = memory_.write(request, now);
    last_store_ = std::max(last_store_, written);
    reply.arrives = reply.last = written + config_.border.reply;
  } else {
    const MemorySide::Served served = memory_.read(request, now);
    reply.arrives = served.first + config_.border.reply;
    reply.last = served.last + config_.border.reply;
    reply.bytes = static_cast<std::int32_t>(served.sectors * sector_bytes);
    reply.l2 = served.l2;
    reply.dram = served.dram;
  }
  const auto sm = static_cast<std::size_t>(request.sm);
  address(sm);
  replies_[sm].push_back(reply);
}

void Fabric::handle(const CtaExit& exit, Cycle now) {
  last_exit_ = std::max(last_exit_, exit.exited);
  assignments_.clear();
  dispatcher_.ended(exit.sm, now, assignments_);
  send_starts();
}

void Fabric::send_starts() {
  for (const Assignment& assignment : assignments_) {
    const auto sm = static_cast<std::size_t>(assignment.sm);
    address(sm);
    const auto [m, n] = block_of_(assignment.cta);
    starts_[sm].push_back({assignment.start, assignment.cta, m, n});
  }
}

void Fabric::address(std::size_t sm) {
  if (replies_[sm].empty() && starts_[sm].empty()) addressed_.push_back(sm);
}

}  // namespace gpusim::fabric
