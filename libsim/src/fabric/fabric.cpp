#include "fabric/fabric.h"

#include <algorithm>
#include <array>
#include <span>

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
      sequence_(static_cast<std::size_t>(config.topology.sms)) {}

void Fabric::begin(const Grid& grid, Cycle now) {
  assignments_ = dispatcher_.begin(grid, now);
  grid_barrier_.begin(grid.ctas);
  first_start_ = Cycle::never();
  for (const Assignment& assignment : assignments_) first_start_ = std::min(first_start_, assignment.start);
  last_exit_ = last_store_ = now;
  send_starts();
}

void Fabric::run_until(Cycle end) {
  while (inbox_.next() < end) {
    const Cycle now = inbox_.next();
    batch_.clear();
    while (inbox_.next() == now) {
      batch_.push_back(inbox_.pop());
      look_ahead(batch_.back());
    }
    std::sort(batch_.begin(), batch_.end());
    for (const Pending& pending : batch_) handle(pending, now);
  }
}

void Fabric::handle(const Pending& pending, Cycle now) {
  // A message's place is free again when it has been handled: nothing of its own kind comes of it meanwhile.
  const auto with = [&](auto& waiting, auto&& work) {
    work(waiting.messages[pending.index]);
    waiting.free.push_back(pending.index);
  };
  const auto handled = [&](auto& waiting) { with(waiting, [&](const auto& message) { handle(message, now); }); };
  switch (pending.kind) {
    case Pending::Kind::departure:
      return with(departures_, [&](const Departure& departure) { depart(departure, now); });
    case Pending::Kind::request:
      return handled(requests_);
    case Pending::Kind::arrival:
      return handled(arrivals_);
    case Pending::Kind::peer_arrival:
      return handled(peer_arrivals_);
    case Pending::Kind::exit:
      return handled(exits_);
  }
}

void Fabric::handle(const Request& request, Cycle now) {
  if (request.kind == RequestKind::peer_read || request.kind == RequestKind::peer_write) {
    outbox_.replies.push_back(clusters_.access(request, now));
    return;
  }
  Cycles waited;
  if (ports_out_.limited()) waited = ports_out_.pass(request.sm, now, bytes_of(request, config_.request_bytes)).last;
  if (request.kind == RequestKind::grid_count || request.kind == RequestKind::grid_pass)
    return count_cta(request, now, waited);
  if (!returns_data(request.kind)) return store(request, now, waited);
  // The slices are booked at the message's arrival, and what waited at a port is added: every server sees a time that
  // never goes back.
  const MemorySide::Served served =
      request.kind == RequestKind::atomic_get ? memory_.atomic(request, now) : memory_.read(request, now);
  Departure departure{
      {}, static_cast<std::int32_t>(served.shared_sectors * sector_bytes), request.ranks, request.completes};
  Reply& reply = departure.reply;
  reply.sm = request.sm;
  reply.handle = request.handle;
  reply.arrives = served.first + waited + config_.border.reply;
  reply.last = served.last + waited + config_.border.reply;
  reply.bytes = static_cast<std::int32_t>(served.sectors * sector_bytes);
  reply.l2 = served.l2;
  reply.l2.waiting += waited;
  reply.dram = served.dram;
  reply.crossing.latency = config_.border.reply;
  if (ports_in_.limited() && served.first + waited > now)
    hold(served.first + waited, request.sm, keep(departure, departures_), Pending::Kind::departure);
  else
    depart(departure, now);
}

void Fabric::store(const Request& request, Cycle now, Cycles waited) {
  Reply reply;
  reply.sm = request.sm;
  reply.handle = request.handle;
  const Cycle done =
      request.kind == RequestKind::write ? memory_.write(request, now) : memory_.atomic(request, now).last;
  last_store_ = std::max(last_store_, done + waited);
  reply.arrives = reply.last = done + waited + config_.border.reply;
  outbox_.replies.push_back(reply);
}

/// A CTA has come to the grid barrier. The last one lets go all that wait.
void Fabric::count_cta(const Request& request, Cycle now, Cycles waited) {
  const MemorySide::Served served = memory_.atomic(request, now);
  GridBarrier::Arrival arrival;
  arrival.sm = request.sm;
  arrival.handle = request.handle;
  arrival.counted = served.changed + waited;
  arrival.polls_from = served.last + waited + config_.border.reply;
  arrival.way = memory_.way(request.lines.front().line, request.sm);
  arrival.waits = request.kind == RequestKind::grid_count;
  arrival.round = request.completes.slot;
  if (!arrival.waits) answer({arrival.sm, arrival.handle, arrival.polls_from});
  if (!grid_barrier_.count(arrival)) return;
  for (const GridBarrier::Release& release : grid_barrier_.release()) answer(release);
}

void Fabric::answer(const GridBarrier::Release& release) {
  Reply reply;
  reply.sm = release.sm;
  reply.handle = release.handle;
  reply.arrives = reply.last = release.at;
  reply.bytes = sector_bytes;
  outbox_.replies.push_back(reply);
}

/// The reply's first data leaves L2 and takes the ports its SM shares.
void Fabric::depart(const Departure& departure, Cycle now) {
  if (departure.ranks != 0) return multicast(departure, now);
  Reply sent = departure.reply;
  if (ports_in_.limited()) sent = through_ports(sent, ports_in_.pass(sent.sm, now, sent.bytes, departure.shared_bytes));
  outbox_.replies.push_back(sent);
}

/// The same for all CTAs that the data is for: an answer for the one that asked, a delivery for the others.
void Fabric::multicast(const Departure& departure, Cycle now) {
  const Completion& completes = departure.completes;
  const int ctas = dispatcher_.cluster();
  const std::int64_t first = completes.cta / ctas * ctas;
  const auto& of_rank = clusters_.sms(completes.cta / ctas);
  std::array<std::int16_t, max_cluster> sms{};
  std::size_t count = 0;
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(ctas); ++rank)
    if ((departure.ranks >> rank & 1U) != 0) sms[count++] = of_rank[rank];
  Reply sent = departure.reply;
  if (ports_in_.limited())
    sent = through_ports(sent, ports_in_.pass(std::span(sms.data(), count), now, sent.bytes, departure.shared_bytes));
  for (std::int64_t rank = 0; rank < ctas; ++rank) {
    if ((departure.ranks >> rank & 1U) == 0) continue;
    if (first + rank == completes.cta)
      outbox_.replies.push_back(sent);
    else
      outbox_.deliveries.push_back({sent.arrives, sent.last, first + rank, completes.slot, 0, -completes.bytes,
                                    sent.bytes, of_rank[static_cast<std::size_t>(rank)], completes.overhead});
  }
}

Reply Fabric::through_ports(const Reply& reply, SharedPorts::Passage passage) {
  Reply sent = reply;
  sent.arrives += passage.first;
  sent.last = std::max(reply.last, reply.arrives + passage.last);
  sent.crossing.waiting = sent.last - reply.last;
  return sent;
}

void Fabric::handle(const PeerArrival& arrival, Cycle now) {
  Delivery delivery;
  delivery.arrives = delivery.last = clusters_.arrive(arrival, now);
  delivery.cta = arrival.cta;
  delivery.slot = arrival.slot;
  delivery.arrivals = arrival.arrivals;
  delivery.bytes = arrival.bytes;
  delivery.sm = arrival.peer;
  outbox_.deliveries.push_back(delivery);
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
    outbox_.releases.push_back({released, waiting.first, waiting.second});
    return true;
  });
}

void Fabric::handle(const CtaExit& exit, Cycle now) {
  last_exit_ = std::max(last_exit_, exit.exited);
  if (dispatcher_.cluster() > 1) clusters_.end(exit.cta / dispatcher_.cluster(), dispatcher_.cluster());
  assignments_.clear();
  dispatcher_.ended(exit.sm, now, assignments_);
  send_starts();
}

void Fabric::send_starts() {
  const int ctas = dispatcher_.cluster();
  for (const Assignment& assignment : assignments_) {
    if (ctas > 1 && assignment.cta % ctas == 0) clusters_.start(assignment.cta / ctas, assignment.cluster_sms);
    outbox_.starts.push_back({assignment.start, assignment.cta, assignment.sm, assignment.cluster_sms});
  }
}

}  // namespace gpusim::fabric
