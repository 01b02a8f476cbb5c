#include "gpusim/estimate/quick.h"

#include <algorithm>
#include <cmath>

#include "estimate/census.h"
#include "estimate/cta_load.h"
#include "estimate/step_latency.h"
#include "estimate/tile_reuse.h"

namespace gpusim::estimate {
namespace {

/// Times of CTAs on one SM.
class SmModel {
 public:
  SmModel(const CtaLoad& load, const PartLatencies& latencies, const Census& census, const Profile& profile)
      : load_(load), latencies_(latencies), census_(census), sub_partitions_(profile.sm.sub_partitions) {}

  /// Cycles that `ctas` CTAs keep a resource busy.
  [[nodiscard]] double busy(Resource resource, double ctas) const {
    const double cta = of(Part::once, resource) + census_.items() * of(Part::item, resource) +
                       census_.steps() * of(Part::step, resource);
    return cta * ctas * (of_sub_partition(resource) ? unevenness(ctas) : 1);
  }
  /// Cycles of a k tile in a CTA that has the SM for itself.
  [[nodiscard]] double step() const {
    if (!load_.meets_in_steps) return std::max(latencies_.delivered, busiest(Part::step));
    // Warps that begin together: the last one has its turn at the busiest resource after the others, and then its own
    // chain.
    const double chain = latencies_.step - latencies_.exposed;
    return latencies_.exposed + std::max(chain + others_turns(), busiest(Part::step));
  }
  /// Cycles of a CTA that has the SM for itself.
  [[nodiscard]] double alone() const {
    const double fixed = std::max(latencies_.fixed, busiest(Part::once));
    const double items = (census_.items() - 1) * std::max(latencies_.item, busiest(Part::item));
    return fixed + items + census_.steps() * step();
  }
  /// Cycles of `ctas` CTAs side by side.
  [[nodiscard]] double together(double ctas) const {
    double cycles = alone();
    for (std::size_t i = 0; i < resource_count; ++i) cycles = std::max(cycles, busy(static_cast<Resource>(i), ctas));
    return cycles;
  }

 private:
  [[nodiscard]] double of(Part part, Resource resource) const {
    return load_.parts[static_cast<std::size_t>(part)][static_cast<std::size_t>(resource)];
  }
  [[nodiscard]] double busiest(Part part) const {
    double cycles = 0;
    for (std::size_t i = 0; i < resource_count; ++i) {
      const auto resource = static_cast<Resource>(i);
      cycles = std::max(cycles, of(part, resource) * (of_sub_partition(resource) ? unevenness(1) : 1));
    }
    return cycles;
  }
  /// What all warps but one ask of the busiest resource in a step.
  [[nodiscard]] double others_turns() const {
    double cycles = 0;
    for (std::size_t i = 0; i < resource_count; ++i) {
      const auto resource = static_cast<Resource>(i);
      const bool own = of_sub_partition(resource);
      const double warps = own ? std::ceil(load_.warps / static_cast<double>(sub_partitions_)) : load_.warps;
      cycles = std::max(cycles, of(Part::step, resource) * (own ? unevenness(1) : 1) * (1 - 1 / warps));
    }
    return cycles;
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
  for (const Resource way : {Resource::tma_bytes, Resource::tma_rows, Resource::port_in, Resource::tpc_in,
                             Resource::cpc_in, Resource::gpc_in, Resource::l2_slice})
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

/// What two limits take that each would alone keep the kernel so long. The nearer they are to each other, the more
/// often one waits for the other: near the longer where the other is short, a fifth more where they are equal.
double beside_each_other(double a, double b) {
  constexpr double exponent = 4;
  return std::pow(std::pow(a, exponent) + std::pow(b, exponent), 1 / exponent);
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
  const CtaLoad load = cta_load(schedule, profile, census, costs, sms);
  const auto items = static_cast<std::int64_t>(census.items());
  const PartLatencies latencies =
      part_latencies(schedule, profile, costs, ledger, items,
                     static_cast<std::int64_t>(census.steps() / census.items()), bulk_delivery(load));
  const SmModel sm(load, latencies, census, profile);
  const std::int64_t of_busiest = (ctas + sms - 1) / sms;
  estimate.ctas_per_sm = static_cast<int>(std::min<std::int64_t>(fit, of_busiest));
  estimate.rounds = static_cast<double>(of_busiest) / estimate.ctas_per_sm;
  estimate.steps = census.steps();
  estimate.step_latency = latencies.step;
  estimate.fixed_latency = latencies.fixed;
  estimate.step_cycles = sm.step();
  estimate.l2_bytes = load.l2_read_bytes * static_cast<double>(ctas);

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
  add("latency", rounds * sm.alone());

  const MemoryBytes memory =
      memory_bytes(schedule, profile, options, load.read, load.stored, sms * estimate.ctas_per_sm, items);
  estimate.dram_bytes = profile.l2 ? memory.read + memory.written : estimate.l2_bytes;
  const double rate = dram_rate(profile, clock_mhz);
  const double dram = rate > 0 ? estimate.dram_bytes / rate : 0;
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
