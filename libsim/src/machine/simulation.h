// The kernel at hand, for those who skip parts of it.
#pragma once

#include <optional>
#include <span>

#include "gpusim/observer.h"
#include "gpusim/schedule.h"
#include "machine/ledger.h"

namespace gpusim::machine {

struct Simulation {
  const Profile& profile;
  const Schedule& schedule;
  KernelId id;
  sm::Kernel& kernel;
  const Sms& sms;
  fabric::Fabric& fabric;
  const Configuration& configuration;
  std::span<Observer* const> observers;
  Ledger& ledger;
  Cycles& skipped;  ///< of the run: what is reported is so much later than what is simulated
  Rows earlier;     ///< what servers and pools had counted when the kernel began

  /// With what was skipped before.
  [[nodiscard]] Counts counts() const {
    Counts counts = count(kernel, sms, fabric, configuration);
    ledger.complete(counts);
    return counts;
  }
  /// With those that were skipped.
  [[nodiscard]] std::int64_t k_tiles_done() const {
    std::int64_t done = ledger.kernel().k_tiles;
    for (const auto& sm : sms) done += sm->counters().k_tiles;
    return done;
  }
  /// Time passes without being simulated, of which `spread` says how sure that is.
  void pass(Cycles cycles, Cycle now, std::int64_t spread_ppm) {
    for (Observer* const observer : observers) observer->skipped(id, now + skipped, now + skipped + cycles);
    skipped += cycles;
    Skipped& told = ledger.kernel().skipped;
    told.cycles += cycles;
    ++told.times;
    told.spread_ppm = std::max(told.spread_ppm, spread_ppm);
  }
};

}  // namespace gpusim::machine
