#include "sm/border.h"

#include <algorithm>

namespace gpusim::sm {

Extent extent_of(std::span<const LineChunks> lines) {
  const std::int64_t count = std::ssize(lines);
  if (are_whole(lines)) return {count * line_bytes, count * (line_bytes / sector_bytes)};
  Extent extent;
  for (const LineChunks& line : lines) {
    const auto chunks = static_cast<unsigned>(line.chunks);
    extent.bytes += count_bits(chunks) * chunk_bytes;
    extent.sectors += count_bits(sectors_of(chunks));
  }
  return extent;
}

Border::Border(const SmConfig& config, std::int32_t sm)
    : latency_(config.border),
      request_bytes_(config.request_bytes),
      sm_(sm),
      miss_registers_(config.miss_lines),
      port_in_(config.port_in_rate),
      port_out_(config.port_out_rate) {}

std::int32_t Border::open(const Owner& owner) {
  std::int32_t id = 0;
  if (free_transactions_.empty()) {
    id = static_cast<std::int32_t>(transactions_.size());
    transactions_.emplace_back();
  } else {
    id = free_transactions_.back();
    free_transactions_.pop_back();
  }
  transactions_[static_cast<std::size_t>(id)] = {owner, 0};
  return id;
}

/// A request without lines, not yet sent.
std::uint32_t Border::make(std::int32_t transaction, const Terms& terms) {
  std::uint32_t handle = 0;
  if (free_handles_.empty()) {
    handle = static_cast<std::uint32_t>(in_flight_.size());
    in_flight_.emplace_back();
  } else {
    handle = free_handles_.back();
    free_handles_.pop_back();
  }
  InFlight& flight = in_flight_[handle];
  flight.request.sm = sm_;
  flight.request.handle = handle;
  flight.request.kind = terms.kind;
  flight.request.count = 0;
  flight.request.peer_bytes = 0;
  flight.request.ranks = terms.ranks;
  flight.request.completes = terms.completes;
  flight.bytes = 0;
  flight.sectors = 0;
  flight.places = 0;
  flight.sub_partition = -1;
  flight.holds_stored_lines = false;
  flight.fills_l1 = terms.fills_l1;
  flight.brings_data = returns_data(terms.kind);
  flight.ready_to_send = terms.at;
  // The other hops are told when they are known, before anyone looks at them.
  flight.receipt.start = terms.issued;
  flight.receipt[Hop::sm] = {Cycles(0), terms.at - terms.issued};
  flight.receipt[Hop::l1] = {};
  flight.transaction = transaction;
  flight.joined.clear();
  Transaction& told = transactions_[static_cast<std::size_t>(transaction)];
  flight.is_bulk_copy = told.owner.kind == Owner::Kind::bulk;
  ++told.remaining;
  return handle;
}

std::uint32_t Border::request(std::int32_t transaction, std::span<const LineChunks> lines, const Extent& extent,
                              const Terms& terms) {
  const std::uint32_t handle = make(transaction, terms);
  InFlight& flight = in_flight_[handle];
  flight.request.count = static_cast<std::int16_t>(lines.size());
  std::copy(lines.begin(), lines.end(), flight.request.lines.begin());
  flight.bytes = static_cast<std::int32_t>(extent.bytes);
  flight.sectors = static_cast<std::int32_t>(extent.sectors);
  if (terms.waits) return handle;
  flight.places = flight.request.count;
  if (waiting_.empty() && miss_registers_.ask(flight.places)) {
    miss_registers_.take(flight.places);
    send(handle, terms.at);
  } else {
    waiting_.push_back(handle);
  }
  return handle;
}

void Border::request_peer(std::int32_t transaction, std::int32_t peer, std::int64_t bytes, const Terms& terms) {
  const std::uint32_t handle = make(transaction, terms);
  InFlight& flight = in_flight_[handle];
  flight.request.peer = peer;
  flight.request.peer_bytes = static_cast<std::int32_t>(bytes);
  send(handle, terms.at);
}

Cycle Border::send_to_peer(Cycle at) {
  const core::Grant port = port_out_.take(at, request_bytes_.count());
  return port.start + port.spread() + latency_.peer;
}

void Border::join(std::uint32_t handle, std::int32_t transaction) {
  in_flight_[handle].joined.push_back(transaction);
  ++transactions_[static_cast<std::size_t>(transaction)].remaining;
}

void Border::send(std::uint32_t handle, Cycle at) {
  InFlight& flight = in_flight_[handle];
  Request& request = flight.request;
  flight.receipt[Hop::l1].waiting = at - flight.ready_to_send;
  std::int64_t data = carries_data(request.kind) ? flight.sectors * sector_bytes + request.peer_bytes : 0;
  data += std::max<std::int64_t>(request.count, 1) * request_bytes_.count();
  const bool to_peer = request.kind == RequestKind::peer_read || request.kind == RequestKind::peer_write;
  const Cycles crossing = to_peer ? latency_.peer : latency_.request;
  const core::Grant port = port_out_.take(at, data);
  request.arrives = port.start + port.spread() + crossing;
  flight.receipt[Hop::request] = {crossing, request.arrives - crossing - at};
  outbox_.push_back(&request);
}

void Border::expect(const Reply& reply) {
  InFlight& flight = in_flight_[reply.handle];
  flight.arrives = reply.arrives;
  flight.last = reply.last;
  flight.reply_bytes = reply.bytes;
  __builtin_prefetch(flight.request.lines.data());
  flight.receipt[Hop::l2] = reply.l2;
  flight.receipt[Hop::dram] = reply.dram;
  flight.receipt[Hop::reply] = reply.crossing;
}

Cycle Border::take_port(std::uint32_t handle) {
  InFlight& flight = in_flight_[handle];
  const core::Grant port = port_in_.take(flight.arrives, flight.reply_bytes);
  const Cycle through = std::max(flight.last, port.start + port.spread());
  flight.receipt[Hop::reply].waiting += through - flight.last;
  flight.receipt.end = through;
  return through;
}

Cycle Border::take_port(const Delivery& delivery) {
  const core::Grant port = port_in_.take(delivery.arrives, delivery.port_bytes);
  return std::max(delivery.last, port.start + port.spread());
}

void Border::complete(std::uint32_t handle, Cycle now, Counters& counters, std::vector<std::int32_t>& moved) {
  const InFlight& flight = in_flight_[handle];
  if (flight.brings_data) {
    ++counters.receipts;
    counters.received_sectors += flight.sectors;
    for (std::size_t hop = 0; hop < hop_count; ++hop) {
      counters.hop_latency[hop] += flight.receipt.hops[hop].latency.count();
      counters.hop_waiting[hop] += flight.receipt.hops[hop].waiting.count();
    }
  }
  if (flight.places == 0) return;
  miss_registers_.release(flight.places);
  while (!waiting_.empty()) {
    const std::uint32_t next = waiting_.front();
    if (!miss_registers_.ask(in_flight_[next].places)) break;
    miss_registers_.take(in_flight_[next].places);
    send(next, std::max(now, in_flight_[next].ready_to_send));
    if (in_flight_[next].sub_partition >= 0) moved.push_back(in_flight_[next].sub_partition);
    waiting_.pop_front();
  }
}

}  // namespace gpusim::sm
