#include "sm/lsu.h"

#include <algorithm>
#include <span>

#include "sm/l1_tag_banks.h"
#include "sm/shares.h"

namespace gpusim::sm {
namespace {

/// Cycles one piece of work occupies a server, rounded up; 0 when unlimited.
Cycles unit_of(Rate rate) {
  return rate.is_unlimited() ? Cycles(0) : Cycles((rate.period() + rate.amount() - 1) / rate.amount());
}

/// Cycles `work` takes, rounded up.
std::int64_t cycles_of(Rate rate, std::int64_t work) {
  if (rate.amount() == 1) return work * rate.period();  // 0 when unlimited
  return (work * rate.period() + rate.amount() - 1) / rate.amount();
}

/// A latency holds for one 32-bit register a lane; wider ones come in so many cycles more.
constexpr std::int64_t narrow_bytes = std::int64_t{32} * 4;
/// Served when both are.
core::Grant joined(const core::Grant& a, const core::Grant& b) {
  return {std::max(a.start, b.start), std::max(a.end, b.end)};
}
/// Shared memory returns two wavefronts in the time of one.
constexpr std::int64_t free_wavefronts = 2;
std::int64_t beyond_free(std::int64_t wavefronts) { return std::max(wavefronts - free_wavefronts, std::int64_t{0}); }

}  // namespace

LoadStoreUnit::LoadStoreUnit(const SmConfig& config, Border& border)
    : config_(config),
      border_(border),
      accept_(config.accept_rate),
      data_(config.data_rate),
      bulk_writes_(config.bulk_write_rate),
      tags_(config.tag_banks == 0 ? Rate::unlimited() : Rate::per_cycle(1)),
      l1_data_(config.l1_rate.is_unlimited() ? Rate::unlimited() : Rate::per_cycle(1)),
      writeback_(config.writeback_rate),
      address_unit_(unit_of(config.address_rate)),
      accept_unit_(unit_of(config.accept_rate)) {}

/// Cycles so many bytes take between registers and the pipeline.
Cycles LoadStoreUnit::register_cycles(std::int64_t bytes) const {
  return Cycles(cycles_of(config_.register_rate, bytes));
}

Cycles LoadStoreUnit::read_latency(const GlobalAccess& access) const {
  const ReadLatency& read = config_.read;
  if (access.copy) return read.copy;
  if (!carries_data(access.kind)) return read.load + (access.uniform ? Cycles(0) : read.global_address);
  return read.store + (access.uniform ? Cycles(0) : read.global_store_address) + register_cycles(access.wide_bytes);
}

void LoadStoreUnit::begin(std::int64_t l1_bytes) {
  l1_on_ = config_.has_l1 && l1_bytes >= line_bytes;
  if (l1_on_) l1_ = L1Tags(l1_bytes, config_.l1_ways);
}

LoadStoreUnit::SharedOutcome LoadStoreUnit::access_shared(SubPartition& sub, Cycle now, const SharedAccess& access) {
  const std::int64_t count = access.count;
  const core::Grant address = sub.address.take(now, count);
  const core::Grant accept = accept_.take(now, count);
  const core::Grant banks = data_.take(now, access.wavefronts);
  // Registers fill at the width of a wavefront, however few the words they are filled from. Stores go another way.
  const std::int64_t registers = access.write ? 0 : wavefronts_of(access.wide_bytes);
  const core::Grant back = access.write ? core::Grant{now, now} : writeback_.take(now, count * registers);
  const ReadLatency& latency = config_.read;
  Cycles read = latency.load;
  if (access.write) {
    read = latency.store + (access.uniform ? Cycles(0) : latency.shared_store_address) +
           register_cycles(access.wide_bytes);
  }
  SharedOutcome outcome;
  const Cycle last_turn = std::max(address.end - address_unit_, accept.end - accept_unit_);
  outcome.served = std::max({last_turn, banks.start + banks.spread(), back.start + back.spread()});
  // The last instruction of the run begins its wavefronts when those before are over.
  const Parts parts(count);
  const std::int64_t own = parts.of(access.wavefronts);
  const std::int64_t ideal = parts.of(access.ideal);
  const Cycle begins = std::max({last_turn, banks.end - Cycles(cycles_of(config_.data_rate, own)),
                                 back.end - Cycles(cycles_of(config_.writeback_rate, registers))});
  const std::int64_t wide = std::max(cycles_of(config_.data_rate, beyond_free(ideal)),
                                     cycles_of(config_.writeback_rate, beyond_free(registers)));
  outcome.complete = begins + config_.shared_latency + config_.conflict_latency * (own - ideal) + Cycles(wide) -
                     (access.uniform ? latency.shared_uniform : Cycles(0));
  outcome.read = begins + read;
  Shares of_banks(banks, parts);
  Shares of_back(back, parts);
  Cycle by_address = address.start;
  Cycle by_read = accept.start + read - accept_unit_;
  sub.shared_queue.enter(count, [&] {
    by_address += address_unit_;
    by_read += accept_unit_;
    return std::max({by_address, of_banks.next(), of_back.next(), by_read});
  });
  return outcome;
}

LoadStoreUnit::Outcome LoadStoreUnit::access_global(SubPartition& sub, std::int32_t sub_index, Cycle now, Cycle issued,
                                                    const GlobalPlan& plan, Footprint& footprint, const Coordinates& at,
                                                    const GlobalAccess& access, Counters& counters) {
  const core::Grant address = sub.address.take(now, 1);
  const core::Grant accept = accept_.take(now, 1);
  Outcome outcome;
  outcome.bytes = coalesce(plan, footprint, at, lines_);
  const core::Grant tags = tags_.take(now, config_.tag_banks == 0 ? 0 : tag_wavefronts(lines_, config_.tag_banks));
  std::int64_t data_cycles = 0;
  if (carries_data(access.kind)) data_cycles = cycles_of(config_.l1_rate, outcome.bytes);
  if (access.through_l1 && outcome.bytes != 0 && !config_.l1_rate.is_unlimited())
    // L1's data lies in the banks that shared memory has: a pass takes as long.
    data_cycles =
        std::max(cycles_of(config_.data_rate, footprint.data_wavefronts), cycles_of(config_.l1_rate, outcome.bytes));
  core::Grant data = l1_data_.take(now, data_cycles);
  if (access.through_l1 && outcome.bytes != 0 && !config_.data_rate.is_unlimited()) {
    // These banks serve shared memory too: what reads the one waits for the other.
    const core::Grant banks = data_.take(now, footprint.data_wavefronts);
    data = joined(data, banks);
  }
  if (access.owner.kind == Owner::Kind::token && !carries_data(access.kind))
    data = joined(data, writeback_.take(now, wavefronts_of(access.wide_bytes)));
  const Cycle turn = std::max({issued, address.start, accept.start});
  Cycle served = std::max(turn, tags.start + tags.spread());
  if (carries_data(access.kind)) served = std::max(served, data.start + data.spread());
  // What has been looked up passes the data banks and goes on to the registers: the slowest of the three counts.
  const Cycles wide = std::max({register_cycles(access.wide_bytes) - register_cycles(narrow_bytes),
                                Cycles(data_cycles - cycles_of(config_.l1_rate, narrow_bytes)), tags.spread()});
  outcome.ready = served;
  outcome.complete = std::max({turn, tags.start, data.start}) + config_.l1_latency + wide -
                     (access.uniform ? config_.read.global_uniform : Cycles(0));
  outcome.read = std::max({turn, tags.start, data.start}) + read_latency(access);

  const std::size_t waiting_before = border_.waiting();
  if (!lines_.empty()) {
    const std::int32_t transaction = border_.open(access.owner);
    Border::Terms terms;
    terms.issued = issued;
    terms.at = served;
    terms.kind = access.kind;
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
    sub.global_queue.enter(std::max({address.start + address_unit_, accept.end, data.end, outcome.read}));
  }
  return outcome;
}

Cycle LoadStoreUnit::access_constant(SubPartition& sub, Cycle now) {
  const core::Grant address = sub.address.take(now, 1);
  sub.shared_queue.enter(std::max(address.start + address_unit_, address.start + config_.read.constant));
  return address.start;
}

Cycle LoadStoreUnit::pass(SubPartition& sub, Cycle now) {
  const core::Grant address = sub.address.take(now, 1);
  const core::Grant accept = accept_.take(now, 1);
  const Cycle served = std::max(address.start, accept.start);
  sub.shared_queue.enter(std::max({address.start + address_unit_, accept.end, served + config_.read.load}));
  return served;
}

void LoadStoreUnit::look_up(std::int32_t transaction, const Border::Terms& terms, Counters& counters) {
  misses_.clear();
  l1_.prefetch(lines_);
  l1_.prefetch_entries(lines_);
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
  const auto burst = static_cast<std::size_t>(config_.burst);
  for (std::span<const LineChunks> rest(lines); !rest.empty();) {
    const auto part = rest.first(std::min(burst, rest.size()));
    rest = rest.subspan(part.size());
    const std::uint32_t handle = border_.request(transaction, part, extent_of(part), each);
    if (!fills_l1) continue;
    for (const LineChunks& line : part) {
      L1Line* entry = l1_.find(line.line);
      if (entry == nullptr) entry = l1_.insert(line.line);
      if (entry == nullptr) continue;
      L1Tags::expect(*entry, sectors_of(static_cast<unsigned>(line.chunks)), handle);
    }
  }
}

Cycle LoadStoreUnit::use_banks(Cycle now, std::int64_t wavefronts) {
  const core::Grant data = data_.take(now, wavefronts);
  return data.start + data.spread();
}

Cycle LoadStoreUnit::take_in(Cycle now, std::int64_t wavefronts) {
  const core::Grant written = bulk_writes_.take(now, wavefronts);
  return written.start + written.spread();
}

}  // namespace gpusim::sm
