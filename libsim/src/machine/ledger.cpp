#include "machine/ledger.h"

#include <algorithm>

namespace gpusim::machine {
namespace {

/// What the tiles of CTAs ask for, and what of it L1 leaves to L2.
constexpr std::array asked{&Traffic::global_load_bytes, &Traffic::shared_load_bytes,       &Traffic::shared_store_bytes,
                           &Traffic::shared_wavefronts, &Traffic::shared_ideal_wavefronts, &Traffic::l1_read_sectors,
                           &Traffic::l2_read_sectors,   &Traffic::l2_delivered_sectors};
/// What their ends do.
constexpr std::array stored{&Traffic::global_store_bytes, &Traffic::l2_write_sectors};
/// What becomes of it there.
constexpr std::array answered{&Traffic::l2_hit_sectors, &Traffic::l2_coalesced_sectors, &Traffic::l2_far_sectors,
                              &Traffic::dram_read_bytes};

/// Calls visit(a count of `to`, the same of each other kernel) for every count of hops.
template <class Visit, class... Others>
void for_each_hop(Visit&& visit, KernelResult& to, const Others&... others) {
  for (std::size_t hop = 0; hop < hop_count; ++hop) {
    visit(to.hops[hop].receipts, others.hops[hop].receipts...);
    visit(to.hops[hop].latency, others.hops[hop].latency...);
    visit(to.hops[hop].waiting, others.hops[hop].waiting...);
  }
}

/// The same for every count of traffic.
template <class Visit, class... Others>
void for_each_traffic(Visit&& visit, KernelResult& to, const Others&... others) {
  const auto visit_all = [&](const auto& counts) {
    for (const auto count : counts) visit(to.traffic.*count, others.traffic.*count...);
  };
  visit_all(asked);
  visit_all(stored);
  visit_all(answered);
  visit_all(std::array{&Traffic::l1_hit_sectors, &Traffic::dram_write_bytes});
}

/// The same for every count that grows.
template <class Visit, class... Others>
void for_each_growing(Visit&& visit, KernelResult& to, const Others&... others) {
  for_each_hop(visit, to, others...);
  for_each_traffic(visit, to, others...);
}

/// How much of a row a stretch has.
std::array<std::int64_t, 2> share_of_row(const Ledger::Stretch& stretch, const std::string& name) {
  const auto after = stretch.to.rows.find(name);
  if (after == stretch.to.rows.end()) return {};
  const auto before = stretch.from.rows.find(name);
  const Share of = name.starts_with("sm.")     ? stretch.shares.of_sms
                   : name.starts_with("dram.") ? stretch.shares.of_dram
                                               : stretch.shares.of_traffic;
  std::array<std::int64_t, 2> row = after->second;
  for (std::size_t i = 0; i < row.size(); ++i)
    row[i] = of(row[i] - (before == stretch.from.rows.end() ? 0 : before->second[i]));
  return row;
}

/// Work of servers between L2 and the SMs comes in the bursts of what was asked for some time before. (What a GPC's
/// port has depends on what the coalescer answers.)
bool is_on_the_way(const std::string& name) {
  return name.starts_with("sm.") || (name.starts_with("crossbar.") && name != "crossbar.gpc_in");
}

}  // namespace

Counts& Counts::operator+=(const Counts& other) {
  for_each_hop([](std::int64_t& sum, std::int64_t more) { sum += more; }, kernel, other.kernel);
  for (const auto& [name, more] : other.rows)
    for (std::size_t i = 0; i < more.size(); ++i) rows[name][i] += more[i];
  return *this;
}

Counts Counts::operator-(const Counts& other) const {
  Counts difference = *this;
  for_each_hop([](std::int64_t& left, std::int64_t less) { left -= less; }, difference.kernel, other.kernel);
  for (const auto& [name, less] : other.rows)
    for (std::size_t i = 0; i < less.size(); ++i) difference.rows[name][i] -= less[i];
  return difference;
}

Rows count_rows(const Sms& sms, fabric::Fabric& fabric, const Configuration& configuration) {
  Result resources;
  collect_servers(sms, fabric, configuration, resources);
  collect_pools(sms, fabric, resources);
  Rows rows;
  for (const ServerRow& row : resources.servers) rows[row.name] = {row.work, row.waited};
  for (const PoolRow& row : resources.pools) rows[row.name] = {row.taken, row.refused};
  return rows;
}

Counts count(const sm::Kernel& kernel, const Sms& sms, fabric::Fabric& fabric, const Configuration& configuration) {
  Counts counts;
  collect_counts(kernel, sms, fabric, counts.kernel);
  counts.rows = count_rows(sms, fabric, configuration);
  return counts;
}

std::int64_t Share::operator()(std::int64_t count) const {
  // Whole parts first: the product of both may not fit.
  return count / of * times + count % of * times / of;
}

Share proportion(std::int64_t times, std::int64_t of) {
  constexpr std::int64_t most = std::int64_t{1} << 30;
  if (of <= 0) return {1, 1};
  while (times > most || of > most) {
    times /= 2;
    of = std::max<std::int64_t>(of / 2, 1);
  }
  return {times, of};
}

void Ledger::grow(const Stretch& moved, const Stretch& waited) {
  kernel_.roles.resize(moved.to.kernel.roles.size());
  const auto add_as = [](const Stretch& stretch) {
    return [of = stretch.shares.of_traffic](std::int64_t& sum, std::int64_t before, std::int64_t after) {
      sum += of(after - before);
    };
  };
  for_each_traffic(add_as(moved), kernel_, moved.from.kernel, moved.to.kernel);
  for_each_hop(add_as(waited), kernel_, waited.from.kernel, waited.to.kernel);
  for (const auto& [name, ignored] : moved.to.rows) {
    const auto moves = share_of_row(moved, name);
    const auto waits = share_of_row(waited, name);
    std::array<std::int64_t, 2>& sum = rows_[name];
    sum[0] += is_on_the_way(name) ? waits[0] : moves[0];
    sum[1] += std::min(moves[1], waits[1]);  // a burst adds to what waits
  }
}

void Ledger::put_right(const Ledger& grown, const Counts& counted, const Skipped& skipped) {
  const Traffic& stretch = grown.kernel_.traffic;
  const Traffic& all = counted.kernel.traffic;
  Traffic right;
  for (const auto count : asked) right.*count = skipped.tiles(all.*count - stretch.*count);
  for (const auto count : stored) right.*count = skipped.items(all.*count - stretch.*count);
  right.l1_hit_sectors = proportion(right.l1_read_sectors, stretch.l1_read_sectors)(stretch.l1_hit_sectors);
  const Share of_reads = proportion(right.l2_read_sectors, stretch.l2_read_sectors);
  for (const auto count : answered) right.*count = of_reads(stretch.*count);
  // A sector is written back once at most for each time that it is written.
  right.dram_write_bytes =
      std::min(proportion(right.l2_write_sectors, stretch.l2_write_sectors)(stretch.dram_write_bytes),
               right.l2_write_sectors * sector_bytes);
  KernelResult before = grown.kernel_;
  KernelResult after = before;
  after.traffic = right;
  for_each_hop([of_reads](std::int64_t& count) { count = of_reads(count); }, after);
  for_each_growing([](std::int64_t& sum, std::int64_t is, std::int64_t was) { sum += is - was; }, kernel_, after,
                   before);
  put_right_rows(
      grown, counted, skipped,
      proportion(right.dram_read_bytes + right.dram_write_bytes, stretch.dram_read_bytes + stretch.dram_write_bytes));
}

/// All but DRAM's work is asked for.
void Ledger::put_right_rows(const Ledger& grown, const Counts& counted, const Skipped& skipped, Share of_dram) {
  for (const auto& [name, stretch] : grown.rows_) {
    const auto [work, waited] = stretch;
    const std::int64_t simulated = counted.rows.at(name)[0] - work;
    const bool is_of_ctas = name == "dispatcher" || name == "sm.cta_slots";
    const std::int64_t right = name == "dram.channel" ? of_dram(work)
                               : is_of_ctas           ? skipped.ctas(simulated)
                                                      : skipped.instructions(simulated);
    std::array<std::int64_t, 2>& sum = rows_[name];
    sum[0] += right - work;
    sum[1] += proportion(right, work)(waited) - waited;
  }
}

void Ledger::deliver_all(const Traffic& simulated) {
  kernel_.traffic.l2_delivered_sectors =
      proportion(simulated.l2_delivered_sectors, simulated.l2_read_sectors)(kernel_.traffic.l2_read_sectors);
}

void Ledger::grow_stalls(std::size_t role, const Counts& from, const Counts& to, std::int64_t cycles) {
  StallCycles grown = to.kernel.roles[role].stalls;
  std::size_t most = 0;
  for (std::size_t reason = 0; reason < reason_count; ++reason) {
    grown.by_reason[reason] -= from.kernel.roles[role].stalls.by_reason[reason];
    if (grown.by_reason[reason] > grown.by_reason[most]) most = reason;
  }
  const std::int64_t total = grown.total();
  kernel_.roles.resize(to.kernel.roles.size());
  StallCycles& sum = kernel_.roles[role].stalls;
  std::int64_t left = cycles;
  for (std::size_t reason = 0; reason < reason_count && total > 0; ++reason) {
    const std::int64_t part = Share{cycles, total}(grown.by_reason[reason]);
    sum.by_reason[reason] += part;
    left -= part;
  }
  sum.by_reason[most] += left;
}

void Ledger::complete(KernelResult& kernel) const {
  if (kernel_.roles.empty()) return;
  for_each_growing([](std::int64_t& sum, std::int64_t more) { sum += more; }, kernel, kernel_);
  for (std::size_t role = 0; role < kernel.roles.size(); ++role) {
    kernel.roles[role].warps += kernel_.roles[role].warps;
    kernel.roles[role].warp_cycles += kernel_.roles[role].warp_cycles;
    kernel.roles[role].instructions += kernel_.roles[role].instructions;
    kernel.roles[role].stalls += kernel_.roles[role].stalls;
  }
  kernel.steady_tile_cycles += kernel_.steady_tile_cycles;
  kernel.steady_tiles += kernel_.steady_tiles;
  kernel.k_tiles += kernel_.k_tiles;
  kernel.skipped = kernel_.skipped;
}

void Ledger::complete(Counts& counts) const {
  complete(counts.kernel);
  complete(counts.rows);
}

void Ledger::complete(Rows& rows) const {
  for (const auto& [name, more] : rows_)
    for (std::size_t i = 0; i < more.size(); ++i) rows[name][i] += more[i];
}

void Ledger::complete(Result& result) const {
  for (ServerRow& row : result.servers) {
    const auto more = rows_.find(row.name);
    if (more == rows_.end()) continue;
    row.work += more->second[0];
    row.waited += more->second[1];
    if (!row.rate.is_unlimited()) row.busy = static_cast<double>(row.work) / row.rate.per_cycle();
  }
  for (PoolRow& row : result.pools) {
    const auto more = rows_.find(row.name);
    if (more == rows_.end()) continue;
    row.taken += more->second[0];
    row.refused += more->second[1];
  }
}

std::array<std::int64_t, 3> traffic_between(const KernelResult& from, const KernelResult& to) {
  const auto of = [](const Traffic& traffic) {
    return std::array{traffic.l2_read_sectors, traffic.l2_read_sectors - traffic.l2_hit_sectors,
                      traffic.dram_read_bytes / sector_bytes + traffic.dram_write_bytes / sector_bytes};
  };
  std::array<std::int64_t, 3> grown = of(to.traffic);
  const std::array<std::int64_t, 3> before = of(from.traffic);
  for (std::size_t i = 0; i < grown.size(); ++i) grown[i] -= before[i];
  return grown;
}

}  // namespace gpusim::machine
