// The second half of a skip along k, which passes at the pace found behind it; and what is counted of tiles that pass.
#include <algorithm>

#include "machine/agreement.h"
#include "machine/tile_skipper.h"

namespace gpusim::machine {
namespace {

/// By which the pace behind a skip may differ from that before it and be no surprise.
constexpr std::int64_t surprise_ppm = 30'000;
constexpr int most_surprises = 3;            ///< after which skips are not made shorter any more
constexpr std::int64_t burst_percent = 150;  ///< of the waiting there was before, by which a loop's first tiles are one

/// Of requests on their way, as much as the stretch stands for.
std::int64_t waiting(const Ledger::Stretch& stretch) {
  std::int64_t sum = 0;
  for (std::size_t hop = 0; hop < hop_count; ++hop)
    sum += stretch.to.kernel.hops[hop].waiting - stretch.from.kernel.hops[hop].waiting;
  return stretch.shares.of_traffic(sum);
}

}  // namespace

void TileSkipper::finish(Cycle now) { let_late_pass(now, Cycle::never()); }

/// What is late passes at the pace found since. How long that is.
Cycles TileSkipper::let_late_pass(Cycle now, Cycle limit) {
  if (late_.tiles == 0) return Cycles(0);
  const auto from_all = [&](auto&& of_sm) {
    for (const auto& sm : run_.sms) of_sm(*sm);
  };
  sm::Progress since;
  from_all([&](const sm::Sm& sm) { since += sm.progress(settling_tiles, late_.window); });
  Cycles cycles = late_.expected;
  if (since.tiles > 0) {
    const Cycles mean(Share{pace_behind_ppm(), million}(late_.mean.count()));
    std::int64_t slowest = 0;
    if (late_.slowest_ppm > 0)
      from_all([&](const sm::Sm& sm) {
        slowest = std::max(slowest, sm.still_slowest_ppm(since, settling_tiles, late_.window));
      });
    cycles = mean + Cycles(Share{slowest, million}((mean + late_.passed).count()));
  }
  const std::int64_t spread_ppm = difference_ppm(cycles.count(), late_.expected.count());
  if (spread_ppm > surprise_ppm) surprises_ = std::min(surprises_ + 1, most_surprises);
  if (limit != Cycle::never()) cycles = std::min(cycles, std::max(limit - now - Cycles(1), Cycles(0)));
  for (const auto& sm : run_.sms) sm->skip({*loops_, {}, cycles, cycles - late_.expected}, now);
  const bool is_known = moments_.size() == 3;
  account(is_known ? moments_[0] : late_.from, is_known ? moments_[2] : late_.to, cycles, late_.instructions,
          late_.asked, late_.written);
  run_.pass(cycles, now, spread_ppm);
  late_ = {};
  return cycles;
}

/// How long the tiles since a skip have taken, of as long as they would at the paces before it.
std::int64_t TileSkipper::pace_behind_ppm() const {
  constexpr std::int64_t precision = 1000;
  std::int64_t took = 0;
  std::int64_t expected = 0;
  for (std::size_t i = 0; i < run_.sms.size(); ++i) {
    const sm::Progress since = run_.sms[i]->progress(settling_tiles, late_.window);
    const sm::Progress& before = late_.before[i];
    if (since.tiles == 0 || before.tiles == 0) continue;
    took += since.cycles * precision;
    expected += since.tiles * Share{precision, before.tiles}(before.cycles);
  }
  return expected > 0 ? Share{million, expected}(took) : million;
}

/// What was skipped moves as much as what lies between two moments.
void TileSkipper::account(const Moment& from, const Moment& to, Cycles cycles, std::int64_t instructions,
                          const sm::TileLines::Asked& asked, std::int64_t written) {
  // By what is issued: bursts of it are then neither lost nor counted twice.
  const auto share_of = [](std::int64_t skipped, std::int64_t counted) {
    return counted > 0 ? Share{skipped, counted} : Share{};
  };
  const KernelResult& before = from.counts.kernel;
  const KernelResult& after = to.counts.kernel;
  Ledger& ledger = run_.ledger;
  const Traffic told = ledger.kernel().traffic;
  const bool all_beyond = !asked.through_l1 || run_.kernel.l1_bytes == 0;
  const std::int64_t asks = all_beyond ? asked.sectors : asked.bytes;
  if (passed_.in_sectors != all_beyond) passed_ = {.in_sectors = all_beyond};
  const Share of_traffic =
      share_of(asks, all_beyond ? after.traffic.l2_read_sectors - before.traffic.l2_read_sectors
                                : after.traffic.global_load_bytes - before.traffic.global_load_bytes);
  // Lines that had to make room are no share of those between the moments: an earlier CTA's result goes out when it
  // does.
  const std::int64_t read = after.traffic.dram_read_bytes - before.traffic.dram_read_bytes;
  const std::int64_t moved = read + after.traffic.dram_write_bytes - before.traffic.dram_write_bytes;
  const std::int64_t to_dram = of_traffic(read) + written;
  const Ledger::Stretch windows{from.counts,
                                to.counts,
                                {.of_sms = share_of(instructions, instructions_of(after) - instructions_of(before)),
                                 .of_traffic = of_traffic,
                                 .of_dram = proportion(to_dram, moved)}};
  // Where all of a loop passes at once its windows are its first tiles. CTAs that have begun together ask for these
  // together, and wait as they will not later: what waits, and what comes when, is then as in all that passed before.
  const Counts nothing;
  const Ledger::Stretch all{nothing,
                            passed_.counts,
                            {.of_sms = proportion(instructions, passed_.instructions),
                             .of_traffic = proportion(asks, passed_.asked),
                             .of_dram = proportion(to_dram, passed_.dram)}};
  const Counts grown = ledger.grown();
  const bool is_burst = passes_at_once_ && passed_.asked > 0 && waiting(windows) > waiting(all) / 100 * burst_percent;
  ledger.grow(windows, is_burst ? all : windows);
  passed_.counts += ledger.grown() - grown;
  passed_.instructions += instructions;
  passed_.asked += asks;
  passed_.dram += to_dram;
  ledger.kernel().traffic.global_load_bytes = told.global_load_bytes + asked.bytes;
  // They were counted as they went.
  if (run_.configuration.fabric.has_l2) ledger.kernel().traffic.dram_write_bytes = told.dram_write_bytes;
  std::vector<std::int64_t> warps(run_.kernel.roles.size());
  for (const auto& sm : run_.sms) sm->count_resident(warps);
  for (std::size_t role = 0; role < warps.size(); ++role)
    ledger.grow_stalls(role, from.counts, to.counts, warps[role] * cycles.count());
}

}  // namespace gpusim::machine
