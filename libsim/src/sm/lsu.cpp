#include "sm/lsu.h"

#include <algorithm>

namespace gpusim::sm {
namespace {

/// Cycles one piece of work occupies a server, rounded up; 0 when unlimited.
Cycles unit_of(Rate rate) {
  return rate.is_unlimited() ? Cycles(0) : Cycles((rate.period() + rate.amount() - 1) / rate.amount());
}

}  // namespace

LoadStoreUnit::LoadStoreUnit(const SmConfig& config, Border& border)
    : config_(config),
      border_(border),
      accept_(config.accept_rate),
      data_(config.data_rate),
      tags_(config.tag_rate),
      l1_data_(config.l1_rate),
      address_unit_(unit_of(config.address_rate)),
      accept_unit_(unit_of(config.accept_rate)) {}

void LoadStoreUnit::begin(std::int64_t l1_bytes) {
  l1_on_ = config_.has_l1 && l1_bytes >= line_bytes;
  if (l1_on_) l1_ = L1Tags(l1_bytes, config_.l1_ways);
}

Cycle LoadStoreUnit::access_shared(SubPartition& sub, Cycle now, std::int64_t count, std::int64_t wavefronts) {
  const core::Grant address = sub.address.take(now, count);
  const core::Grant accept = accept_.take(now, count);
  const core::Grant data = data_.take(now, wavefronts);
  const Cycle served = std::max({address.end - address_unit_, accept.end - accept_unit_, data.start + data.spread()});
  for (std::int64_t i = 1; i <= count; ++i) {
    const Cycle by_address = address.start + address_unit_ * i;
    const Cycle by_data = data.start + Cycles((data.end - data.start).count() * i / count);
    sub.shared_queue.enter(std::max(by_address, by_data));
  }
  return served;
}

LoadStoreUnit::Outcome LoadStoreUnit::access_global(SubPartition& sub, std::int32_t sub_index, Cycle now, Cycle issued,
                                                    const GlobalPlan& plan, Footprint& footprint, const Coordinates& at,
                                                    const GlobalAccess& access, Counters& counters) {
  const core::Grant address = sub.address.take(now, 1);
  const core::Grant accept = accept_.take(now, 1);
  Outcome outcome;
  outcome.bytes = coalesce(plan, footprint, at, lines_);
  const core::Grant tags = tags_.take(now, std::max<std::int64_t>(static_cast<std::int64_t>(lines_.size()), 1));
  const core::Grant data = l1_data_.take(now, access.through_l1 || access.write ? outcome.bytes : 0);
  const Cycle served =
      std::max({issued, address.start, accept.start, tags.start + tags.spread(), data.start + data.spread()});
  outcome.ready = served;

  const std::size_t waiting_before = border_.waiting();
  if (!lines_.empty()) {
    const std::int32_t transaction = border_.open(access.owner);
    Border::Terms terms;
    terms.issued = issued;
    terms.at = served;
    terms.write = access.write;
    if (access.through_l1 && l1_on_)
      look_up(transaction, terms, counters);
    else
      request_all(transaction, lines_, terms, false);
    outcome.pending = border_.transaction(transaction).remaining != 0;
    if (!outcome.pending) border_.close(transaction);
  }
  if (border_.waiting() > waiting_before) {
    border_.leave_queue_after_last(sub_index);
    sub.global_queue.enter(Cycle::never());
  } else {
    sub.global_queue.enter(std::max({address.start + address_unit_, accept.end, data.end}));
  }
  return outcome;
}

void LoadStoreUnit::look_up(std::int32_t transaction, const Border::Terms& terms, Counters& counters) {
  misses_.clear();
  for (const LineChunks& line : lines_) {
    const unsigned wanted = sectors_of(static_cast<unsigned>(line.chunks));
    counters.l1_read_sectors += count_bits(wanted);
    L1Line* entry = l1_.find(line.line);
    if (entry != nullptr) {
      const unsigned on_the_way = wanted & entry->pending;
      counters.l1_hit_sectors += count_bits(wanted & (entry->valid | entry->pending));
      if (on_the_way != 0) join(*entry, on_the_way, transaction);
    }
    const unsigned have = entry == nullptr ? 0U : static_cast<unsigned>(entry->valid | entry->pending);
    const unsigned missing = wanted & ~have;
    if (missing == 0) continue;
    unsigned chunks = 0;
    for (unsigned sector = 0; sector < 4; ++sector)
      if ((missing >> sector & 1U) != 0) chunks |= 3U << (2 * sector);
    misses_.push_back({line.line, static_cast<std::uint8_t>(chunks)});
  }
  request_all(transaction, misses_, terms, true);
}

/// `transaction` waits for the requests that bring `sectors`, once for each.
void LoadStoreUnit::join(const L1Line& entry, unsigned sectors, std::int32_t transaction) {
  for (unsigned sector = 0; sector < 4; ++sector) {
    if ((sectors >> sector & 1U) == 0) continue;
    const std::uint32_t handle = entry.handles[sector];
    bool joined = false;
    for (unsigned before = 0; before < sector; ++before)
      joined = joined || ((sectors >> before & 1U) != 0 && entry.handles[before] == handle);
    if (!joined) border_.join(handle, transaction);
  }
}

void LoadStoreUnit::request_all(std::int32_t transaction, const std::vector<LineChunks>& lines,
                                const Border::Terms& terms, bool fills_l1) {
  Border::Terms each = terms;
  each.fills_l1 = fills_l1;
  const auto total = static_cast<std::int32_t>(lines.size());
  for (std::int32_t first = 0; first < total; first += config_.burst) {
    const std::int32_t count = std::min(config_.burst, total - first);
    const LineChunks* const part = lines.data() + first;
    const std::uint32_t handle = border_.request(transaction, part, count, each);
    if (!fills_l1) continue;
    for (std::int32_t i = 0; i < count; ++i) {
      L1Line* entry = l1_.find(part[i].line);
      if (entry == nullptr) entry = l1_.insert(part[i].line);
      if (entry == nullptr) continue;
      L1Tags::expect(*entry, sectors_of(static_cast<unsigned>(part[i].chunks)), handle);
    }
  }
}

Cycle LoadStoreUnit::write_shared(Cycle now, std::int64_t wavefronts) {
  const core::Grant data = data_.take(now, wavefronts);
  return data.start + data.spread();
}

}  // namespace gpusim::sm
