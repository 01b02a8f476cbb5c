#include "estimate/step_latency.h"

#include <algorithm>

#include "estimate/cta_walk.h"
#include "gpusim/error.h"

namespace gpusim::estimate {
namespace {

/// Rounds through the stages between the two walks whose difference is taken.
constexpr std::int64_t rounds_between = 2;

std::int64_t most_stages(const Schedule& schedule) {
  std::int64_t stages = 1;
  for (const SharedTile& tile : schedule.shared_tiles) stages = std::max<std::int64_t>(stages, tile.stages);
  return stages;
}

/// In so many turns roles take a CTA's items: the first to begin again with an item is who had the first one.
std::int64_t most_turns(const Schedule& schedule) {
  std::int64_t turns = 1;
  for (const Role& role : schedule.roles)
    for (const Statement& statement : role.program.body)
      if (const auto* loop = std::get_if<Loop>(&statement)) turns = std::max(turns, loop->turns);
  return turns;
}

class Walker {
 public:
  Walker(const Schedule& schedule, const Profile& profile, Costs& costs, Ledger& ledger)
      : schedule_(schedule), profile_(profile), costs_(costs), ledger_(ledger), steps_(schedule) {}

  /// Cycles of the CTA's first items, with so many k tiles each.
  [[nodiscard]] double cycles(std::int64_t items, std::int64_t k_tiles) {
    const Extent extent{items, k_tiles, steps_};
    try {
      return static_cast<double>(walk(extent, CtaWalk::Walked::one));
    } catch (const DeadlockError&) {
      // The first warp of a role does not do what others wait for.
      return static_cast<double>(walk(extent, CtaWalk::Walked::all));
    }
  }

 private:
  [[nodiscard]] std::int64_t walk(const Extent& extent, CtaWalk::Walked walked) {
    return CtaWalk(schedule_, profile_, costs_, ledger_, extent, walked).run().time();
  }

  const Schedule& schedule_;
  const Profile& profile_;
  Costs& costs_;
  Ledger& ledger_;
  StepLoops steps_;
};

}  // namespace

PartLatencies part_latencies(const Schedule& schedule, const Profile& profile, Costs& costs, Ledger& ledger,
                             std::int64_t items, std::int64_t steps_per_item, const Pace& bulk_pace) {
  Walker walker(schedule, profile, costs, ledger);
  const std::int64_t stages = most_stages(schedule);
  const std::int64_t few = std::min(stages, std::max<std::int64_t>(steps_per_item / 2, 1));
  const std::int64_t more = std::min(few + rounds_between * stages, std::max<std::int64_t>(steps_per_item, 1));
  const auto step = [&](double of_few, double of_more) {
    return more > few ? (of_more - of_few) / static_cast<double>(more - few) : 0;
  };
  const double of_more = walker.cycles(1, more);
  PartLatencies latencies;
  latencies.step = step(walker.cycles(1, few), of_more);
  latencies.fixed = of_more - static_cast<double>(more) * latencies.step;
  if (items > 1) {
    const std::int64_t further = std::min(most_turns(schedule), items - 1);
    const double of_further = (walker.cycles(1 + further, more) - of_more) / static_cast<double>(further);
    latencies.item = std::max(0.0, of_further - static_cast<double>(more) * latencies.step);
  }
  latencies.delivered = latencies.step;
  if (bulk_pace.cycles > 0) {
    costs.deliver_bulk_copies_at(bulk_pace);
    latencies.delivered = std::max(latencies.step, step(walker.cycles(1, few), walker.cycles(1, more)));
    costs.deliver_bulk_copies_at({});
  }
  costs.forget_global_latency();
  const double without = step(walker.cycles(1, few), walker.cycles(1, more));
  latencies.exposed = std::max(0.0, latencies.step - without);
  return latencies;
}

}  // namespace gpusim::estimate
