#include "fabric/fabric.h"

#include <algorithm>
#include <tuple>

namespace gpusim::fabric {
namespace {

std::int64_t bytes_of(const Request& request, Bytes request_bytes) {
  std::int64_t bytes = request.count * request_bytes.count();
  if (!carries_data(request.kind)) return bytes;
  for (std::int32_t i = 0; i < request.count; ++i)
    bytes +=
        count_bits(sectors_of(static_cast<unsigned>(request.lines[static_cast<std::size_t>(i)].chunks))) * sector_bytes;
  return bytes;
}

}  // namespace

Fabric::Fabric(const FabricConfig& config)
    : config_(config),
      dispatcher_(config),
      memory_(config),
      clusters_(config),
      ports_in_(config.topology, config.tpc.read, config.cpc.read, config.gpc.read),
      ports_out_(config.topology, config.tpc.write, config.cpc.write, config.gpc.write),
      sequence_(static_cast<std::size_t>(config.topology.sms)),
      outboxes_(static_cast<std::size_t>(config.topology.sms)) {}

void Fabric::begin(const Grid& grid, BlockOf block_of, Cycle now) {
  block_of_ = std::move(block_of);
  assignments_ = dispatcher_.begin(grid, now);
  first_start_ = Cycle::never();
  for (const Assignment& assignment : assignments_) first_start_ = std::min(first_start_, assignment.start);
  last_exit_ = last_store_ = now;
  send_starts();
}

void Fabric::run_until(Cycle end) {
  while (inbox_.next() < end) {
    const Cycle now = inbox_.next();
    batch_.clear();
    while (inbox_.next() == now) batch_.push_back(inbox_.pop());
    // Kinds are collected apart, so an exit comes after the requests of its SM in the same cycle.
    std::sort(batch_.begin(), batch_.end(), [](const Pending& a, const Pending& b) {
      return std::tie(a.sm, a.kind, a.sequence) < std::tie(b.sm, b.kind, b.sequence);
    });
    for (const Pending& pending : batch_) handle(pending, now);
  }
}

void Fabric::handle(const Pending& pending, Cycle now) {
  const auto take = [&](auto& waiting) {
    waiting.free.push_back(pending.index);
    return waiting.messages[pending.index];
  };
  switch (pending.kind) {
    case Pending::Kind::departure:
      return depart(take(departures_), pending.sm, now);
    case Pending::Kind::request:
      return handle(take(requests_), now);
    case Pending::Kind::arrival:
      return handle(take(arrivals_), now);
    case Pending::Kind::exit:
      return handle(take(exits_), now);
  }
}

void Fabric::handle(const Request& request, Cycle now) {
  if (request.kind == RequestKind::peer_read || request.kind == RequestKind::peer_write) {
    address(request.sm).replies.push_back(clusters_.access(request, now));
    return;
  }
  Cycles waited;
  if (ports_out_.limited()) waited = ports_out_.pass(request.sm, now, bytes_of(request, config_.request_bytes)).last;
  Reply reply;
  reply.handle = request.handle;
  if (!returns_data(request.kind)) {
    const Cycle done =
        request.kind == RequestKind::write ? memory_.write(request, now) : memory_.atomic(request, now).last;
    last_store_ = std::max(last_store_, done + waited);
    reply.arrives = reply.last = done + waited + config_.border.reply;
    address(request.sm).replies.push_back(reply);
    return;
  }
  // The slices are booked at the message's arrival, and what waited at a port is added: every server sees a time that
  // never goes back.
  const MemorySide::Served served =
      request.kind == RequestKind::read ? memory_.read(request, now) : memory_.atomic(request, now);
  reply.arrives = served.first + waited + config_.border.reply;
  reply.last = served.last + waited + config_.border.reply;
  reply.bytes = static_cast<std::int32_t>(served.sectors * sector_bytes);
  reply.l2 = served.l2;
  reply.l2.waiting += waited;
  reply.dram = served.dram;
  reply.crossing.latency = config_.border.reply;
  if (ports_in_.limited() && served.first + waited > now)
    hold(served.first + waited, request.sm, keep(reply, departures_), Pending::Kind::departure);
  else
    depart(reply, request.sm, now);
}

/// The reply's first data leaves L2 and takes the ports its SM shares.
void Fabric::depart(const Reply& reply, std::int32_t sm, Cycle now) {
  Reply sent = reply;
  if (ports_in_.limited()) {
    const SharedPorts::Passage passage = ports_in_.pass(sm, now, reply.bytes);
    const Cycle crossed = reply.arrives + passage.last;
    sent.arrives += passage.first;
    sent.last = std::max(reply.last, crossed);
    sent.crossing.waiting = sent.last - reply.last;
  }
  address(sm).replies.push_back(sent);
}

void Fabric::handle(const ClusterArrival& arrival, Cycle now) {
  waiting_ctas_.emplace_back(arrival.cta, arrival.sm);
  const int ctas = dispatcher_.cluster();
  const std::int64_t cluster = arrival.cta / ctas;
  const std::optional<bool> relaxed = clusters_.arrive(cluster, ctas, arrival.relaxed);
  if (!relaxed) return;
  const Cycle released = now + clusters_.release(*relaxed);
  std::erase_if(waiting_ctas_, [&](const auto& waiting) {
    if (waiting.first / ctas != cluster) return false;
    address(waiting.second).releases.push_back({released, waiting.first});
    return true;
  });
}

void Fabric::handle(const CtaExit& exit, Cycle now) {
  last_exit_ = std::max(last_exit_, exit.exited);
  assignments_.clear();
  dispatcher_.ended(exit.sm, now, assignments_);
  send_starts();
}

void Fabric::send_starts() {
  for (const Assignment& assignment : assignments_) {
    const auto [m, n] = block_of_(assignment.cta);
    address(assignment.sm).starts.push_back({assignment.start, assignment.cta, m, n, assignment.cluster_sms});
  }
}

Fabric::Outbox& Fabric::address(std::int32_t sm) {
  Outbox& outbox = outboxes_[static_cast<std::size_t>(sm)];
  if (outbox.empty()) addressed_.push_back(static_cast<std::size_t>(sm));
  return outbox;
}

}  // namespace gpusim::fabric
