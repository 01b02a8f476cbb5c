#include "machine/ledger.h"

#include <algorithm>

namespace gpusim::machine {
namespace {

/// What CTAs ask of SMs and of L2.
constexpr std::array asked{
    &Traffic::global_load_bytes,  &Traffic::global_store_bytes,  &Traffic::shared_load_bytes,
    &Traffic::shared_store_bytes, &Traffic::shared_wavefronts,   &Traffic::shared_ideal_wavefronts,
    &Traffic::l1_read_sectors,    &Traffic::l1_hit_sectors,      &Traffic::l2_read_sectors,
    &Traffic::l2_write_sectors,   &Traffic::l2_delivered_sectors};
/// What comes of reads, which depends on all CTAs.
constexpr std::array answered{&Traffic::l2_hit_sectors, &Traffic::dram_read_bytes};

/// Calls visit(a count of `to`, the same of each other kernel) for every count of hops.
template <class Visit, class... Others>
void for_each_hop(Visit&& visit, KernelResult& to, const Others&... others) {
  for (std::size_t hop = 0; hop < hop_count; ++hop) {
    visit(to.hops[hop].receipts, others.hops[hop].receipts...);
    visit(to.hops[hop].latency, others.hops[hop].latency...);
    visit(to.hops[hop].waiting, others.hops[hop].waiting...);
  }
}

/// The same for every count that grows.
template <class Visit, class... Others>
void for_each_growing(Visit&& visit, KernelResult& to, const Others&... others) {
  for_each_hop(visit, to, others...);
  for (const auto count : asked) visit(to.traffic.*count, others.traffic.*count...);
  for (const auto count : answered) visit(to.traffic.*count, others.traffic.*count...);
  visit(to.traffic.dram_write_bytes, others.traffic.dram_write_bytes...);
}

/// So many of so many, to a billionth, in numbers whose products fit.
Share proportion(std::int64_t times, std::int64_t of) {
  constexpr std::int64_t most = std::int64_t{1} << 30;
  while (times > most || of > most) {
    times /= 2;
    of /= 2;
  }
  return of > 0 ? Share{times, of} : Share{1, 1};
}

}  // namespace

Counts count(const sm::Kernel& kernel, const Sms& sms, fabric::Fabric& fabric, const Configuration& configuration) {
  Counts counts;
  collect_counts(kernel, sms, fabric, counts.kernel);
  Result resources;
  collect_servers(sms, fabric, configuration, resources);
  collect_pools(sms, fabric, resources);
  for (const ServerRow& row : resources.servers) counts.rows[row.name] = {row.work, row.waited};
  for (const PoolRow& row : resources.pools) counts.rows[row.name] = {row.taken, row.refused};
  return counts;
}

std::int64_t Share::operator()(std::int64_t count) const {
  // Whole parts first: the product of both may not fit.
  return count / of * times + count % of * times / of;
}

void Ledger::grow(const Counts& from, const Counts& to, Share share, Share of_traffic) {
  kernel_.roles.resize(to.kernel.roles.size());
  const auto add = [of_traffic](std::int64_t& sum, std::int64_t before, std::int64_t after) {
    sum += of_traffic(after - before);
  };
  for_each_growing(add, kernel_, from.kernel, to.kernel);
  for (const auto& [name, after] : to.rows) {
    const auto found = from.rows.find(name);
    const std::array<std::int64_t, 2> before = found == from.rows.end() ? std::array<std::int64_t, 2>{} : found->second;
    const Share of = name.starts_with("sm.") ? share : of_traffic;
    for (std::size_t i = 0; i < after.size(); ++i) rows_[name][i] += of(after[i] - before[i]);
  }
}

void Ledger::put_right(const Ledger& skipped, const Counts& counted, Share share) {
  const Traffic& grown = skipped.kernel_.traffic;
  const Traffic& whole = counted.kernel.traffic;
  const Traffic before = kernel_.traffic;
  const auto known = [&](auto count) { return share(whole.*count - grown.*count); };
  const std::int64_t reads = known(&Traffic::l2_read_sectors);
  const std::int64_t writes = known(&Traffic::l2_write_sectors);
  const Share of_reads = proportion(reads, grown.l2_read_sectors);
  const auto follow = [of_reads](std::int64_t& sum, std::int64_t grew) { sum += of_reads(grew) - grew; };
  for (const auto count : asked) kernel_.traffic.*count += known(count) - grown.*count;
  for (const auto count : answered) follow(kernel_.traffic.*count, grown.*count);
  for_each_hop(follow, kernel_, skipped.kernel_);
  // A sector is written back once at most for each time that it is written.
  const std::int64_t written = proportion(writes, grown.l2_write_sectors)(grown.dram_write_bytes);
  kernel_.traffic.dram_write_bytes += std::min(written, writes * sector_bytes) - grown.dram_write_bytes;
  const std::int64_t dram = grown.dram_read_bytes + grown.dram_write_bytes;
  put_right_rows(skipped, counted, share,
                 proportion(dram + (kernel_.traffic.dram_read_bytes - before.dram_read_bytes) +
                                (kernel_.traffic.dram_write_bytes - before.dram_write_bytes),
                            dram));
}

/// All but what misses make work for is asked for.
void Ledger::put_right_rows(const Ledger& skipped, const Counts& counted, Share share, Share of_dram) {
  for (const auto& [name, grown] : skipped.rows_) {
    std::array<std::int64_t, 2>& sum = rows_[name];
    const std::array<std::int64_t, 2>& whole = counted.rows.at(name);
    const bool is_answer = name == "dram.channel" || name == "l2.partition_link";
    const std::int64_t work = is_answer ? of_dram(grown[0]) : share(whole[0] - grown[0]);
    sum[0] += work - grown[0];
    sum[1] += proportion(work, grown[0])(grown[1]) - grown[1];
  }
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
  for (const auto& [name, more] : rows_)
    for (std::size_t i = 0; i < more.size(); ++i) counts.rows[name][i] += more[i];
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
