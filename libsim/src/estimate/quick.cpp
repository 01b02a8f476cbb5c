#include "gpusim/estimate/quick.h"

#include <algorithm>
#include <cmath>

#include "estimate/census.h"
#include "estimate/cta_load.h"
#include "estimate/step_latency.h"
#include "estimate/tile_reuse.h"

namespace gpusim::estimate {
namespace {

/// What limits take together that each would alone keep the kernel so long. The nearer they are to each other, the more
/// often one waits for the other: near the longest where the others are short, a fifth more where two are equal.
class BesideEachOther {
 public:
  void add(double cycles) { sum_ += std::pow(cycles, exponent); }
  [[nodiscard]] double together() const { return std::pow(sum_, 1 / exponent); }

 private:
  static constexpr double exponent = 4;
  double sum_ = 0;
};

double beside_each_other(double a, double b) {
  BesideEachOther both;
  both.add(a);
  both.add(b);
  return both.together();
}

/// Times of CTAs that begin together on one SM: all are in the same part of their work at a time.
class SmModel {
 public:
  SmModel(const CtaLoad& load, const PartLatencies& latencies, const Census& census, const Profile& profile)
      : load_(load), latencies_(latencies), census_(census), sub_partitions_(profile.sm.sub_partitions) {}

  /// Cycles that `ctas` CTAs keep a resource busy.
  [[nodiscard]] double busy(Resource resource, double ctas) const {
    return busy(Part::once, resource, ctas) + census_.items() * busy(Part::item, resource, ctas) +
           census_.steps() * busy(Part::step, resource, ctas);
  }
  /// Cycles of a k tile of a CTA that has the SM for itself.
  [[nodiscard]] double step() const {
    if (!load_.meets_in_steps) return std::max(latencies_.delivered, busiest(Part::step, 1));
    const double chain = beside_sm(latencies_.step - latencies_.exposed);
    return std::max(latencies_.exposed + chain, busiest(Part::step, 1));
  }
  /// Cycles in which each of `ctas` CTAs has done a k tile.
  [[nodiscard]] double step(double ctas) const { return std::max(step(), busiest(Part::step, ctas)); }
  /// Cycles of `ctas` CTAs side by side. What is done once is the way to the first k tile and that from the last one,
  /// and both wait for all that is asked for at a time.
  [[nodiscard]] double together(double ctas) const {
    const double fixed = latencies_.fixed + busiest(Part::once, ctas);
    const double items = (census_.items() - 1) * std::max(latencies_.item, busiest(Part::item, ctas));
    double cycles = fixed + items + census_.steps() * step(ctas);
    for (std::size_t i = 0; i < resource_count; ++i) cycles = std::max(cycles, busy(static_cast<Resource>(i), ctas));
    return cycles;
  }

 private:
  /// Each time the part happens.
  [[nodiscard]] double busy(Part part, Resource resource, double ctas) const {
    const double one = load_.parts[static_cast<std::size_t>(part)][static_cast<std::size_t>(resource)];
    return one * ctas * (of_sub_partition(resource) ? unevenness(ctas) : 1);
  }
  [[nodiscard]] double busiest(Part part, double ctas) const {
    double cycles = 0;
    for (std::size_t i = 0; i < resource_count; ++i)
      cycles = std::max(cycles, busy(part, static_cast<Resource>(i), ctas));
    return cycles;
  }
  /// What so many cycles of a step become where warps stand in each other's way at what the SM has. What is beyond the
  /// SM was asked for in steps before.
  [[nodiscard]] double beside_sm(double chain) const {
    if (load_.warps <= 1) return chain;
    BesideEachOther cycles;
    cycles.add(chain);
    for (std::size_t i = 0; i < resource_count; ++i)
      if (warps_meet_at(static_cast<Resource>(i))) cycles.add(busy(Part::step, static_cast<Resource>(i), 1));
    return cycles.together();
  }
  /// What the sub-partition with the most warps has, by the average.
  [[nodiscard]] double unevenness(double ctas) const {
    const double average = ctas * load_.warps / static_cast<double>(sub_partitions_);
    return std::ceil(average) / average;
  }

  const CtaLoad& load_;
  const PartLatencies& latencies_;
  const Census& census_;
  std::int64_t sub_partitions_;
};

/// At what pace bytes of a step's bulk copies come, which is all of a step's traffic on the slowest part of their way
/// to shared memory: a stage is there when its last byte is. Of no cycles where there are none, or where warps meet in
/// steps: what waits for memory then stands beside the rest as it is.
Pace bulk_delivery(const CtaLoad& load) {
  const Load& step = load.parts[static_cast<std::size_t>(Part::step)];
  double cycles = 0;
  for (const Resource way : {Resource::tma_bytes, Resource::tma_rows, Resource::tma_write, Resource::port_in,
                             Resource::tpc_in, Resource::cpc_in, Resource::gpc_in, Resource::l2_slice})
    cycles = std::max(cycles, step[static_cast<std::size_t>(way)]);
  Pace pace;
  if (load.bulk_step_bytes <= 0 || load.meets_in_steps) return pace;
  pace.cycles = std::llround(cycles);
  pace.instructions = std::llround(load.bulk_step_bytes);
  return pace;
}

/// Bytes DRAM moves in a cycle.
double dram_rate(const Profile& profile, double clock_mhz) {
  const DramSpec& dram = profile.dram;
  if (dram.bandwidth_gb_per_s.is_unlimited()) return 0;
  double rate = dram.bandwidth_gb_per_s.per_cycle() * 1e3 / clock_mhz;
  rate *= 100.0 / static_cast<double>(100 + dram.ecc_percent);
  if (profile.l2) rate = std::min(rate, profile.l2->miss_bytes_per_clk.per_cycle());
  if (dram.refresh_interval_ns != 0)
    rate *= 1 - static_cast<double>(dram.refresh_ns) / static_cast<double>(dram.refresh_interval_ns);
  return rate;
}

/// Cycles in which DRAM's channels open so many rows.
double opening_cycles(const DramSpec& dram, double rows, double clock_mhz) {
  constexpr double ps_a_us = 1e6;
  return rows / static_cast<double>(dram.channels) * static_cast<double>(dram.activate_ps) / ps_a_us * clock_mhz;
}

/// Such a share of what L2 does not hold before comes from DRAM, and is on its way longer than the rest.
void wait_for_dram(CtaLoad& load, double share) {
  for (std::size_t part = 0; part < part_count; ++part)
    load.parts[part][static_cast<std::size_t>(Resource::miss_lines)] += share * load.longer_from_dram[part];
}

}  // namespace

QuickEstimate quick_estimate(const Schedule& schedule, const Profile& profile, const RunOptions& options) {
  const auto clock_mhz = static_cast<double>(options.clock_mhz.value_or(profile.clock.boost_mhz));
  Ledger ledger(false);
  Costs costs(schedule, profile, options, ledger);
  const Census census(schedule);
  const std::int64_t ctas = cta_count(schedule);
  const std::int64_t sms = std::min(profile.sm.count, ctas);
  const int fit = std::max(1, occupancy(schedule, profile).ctas);

  QuickEstimate estimate;
  CtaLoad load = cta_load(schedule, profile, census, costs, sms);
  const auto items = static_cast<std::int64_t>(census.items());
  const std::int64_t of_busiest = (ctas + sms - 1) / sms;
  estimate.ctas_per_sm = static_cast<int>(std::min<std::int64_t>(fit, of_busiest));
  estimate.l2_bytes = load.l2_read_bytes * static_cast<double>(ctas);
  const MemoryBytes memory =
      memory_bytes(schedule, profile, options, load.read, load.stored, sms * estimate.ctas_per_sm, items);
  const double cold = load.cold_read_bytes * static_cast<double>(ctas);
  wait_for_dram(load, cold > 0 ? std::min(memory.read / cold, 1.0) : 0);
  const PartLatencies latencies =
      part_latencies(schedule, profile, costs, ledger, items,
                     static_cast<std::int64_t>(census.steps() / census.items()), bulk_delivery(load));
  const SmModel sm(load, latencies, census, profile);
  estimate.rounds = static_cast<double>(of_busiest) / estimate.ctas_per_sm;
  estimate.steps = census.steps();
  estimate.step_latency = latencies.step;
  estimate.fixed_latency = latencies.fixed;
  estimate.step_cycles = sm.step();

  const std::int64_t full_rounds = of_busiest / estimate.ctas_per_sm;
  const auto full = static_cast<double>(full_rounds);
  const auto last = static_cast<double>(of_busiest % estimate.ctas_per_sm);
  const auto hand_over = static_cast<double>((profile.launch.cta_exit + profile.launch.cta_start).count());
  const double rounds = std::ceil(estimate.rounds);
  estimate.cycles =
      full * sm.together(estimate.ctas_per_sm) + (last > 0 ? sm.together(last) : 0) + (rounds - 1) * hand_over;

  const auto add = [&estimate](std::string_view resource, double cycles) {
    if (cycles > 0) estimate.resources.push_back({std::string(resource), cycles});
  };
  for (std::size_t i = 0; i < resource_count; ++i) {
    const auto resource = static_cast<Resource>(i);
    const double of_rest = last > 0 ? sm.busy(resource, last) : 0;
    add(name(resource), full * sm.busy(resource, estimate.ctas_per_sm) + of_rest);
  }
  add("latency", rounds * sm.together(1));

  estimate.dram_bytes = profile.l2 ? memory.read + memory.written : estimate.l2_bytes;
  const double rate = dram_rate(profile, clock_mhz);
  const double dram =
      std::max(rate > 0 ? estimate.dram_bytes / rate : 0, opening_cycles(profile.dram, memory.rows_opened, clock_mhz));
  add("dram.channel", dram);
  double link = 0;
  // What both halves of L2 use crosses once, half of it each way.
  if (profile.l2 && profile.l2->partitions > 1 && !profile.l2->partition_bytes_per_clk.is_unlimited())
    link = memory.distinct / 2 / profile.l2->partition_bytes_per_clk.per_cycle();
  add("l2.partition_link", link);
  // SMs with more CTAs than the average have DRAM to themselves when the others are done. CTAs that walk tiles are
  // taken to have as many each.
  const double even = estimate.cycles * static_cast<double>(ctas) / static_cast<double>(sms * of_busiest);
  if (const double beyond = std::max(dram, link); beyond > 0)
    estimate.cycles += beside_each_other(even, beyond + latencies.fixed) - even;
  estimate.us = estimate.cycles / clock_mhz;
  std::stable_sort(estimate.resources.begin(), estimate.resources.end(),
                   [](const QuickResource& a, const QuickResource& b) { return a.cycles > b.cycles; });
  return estimate;
}

}  // namespace gpusim::estimate
