#include "machine/lower.h"

#include <algorithm>

#include "machine/lowering.h"
#include "sizes.h"

namespace gpusim::machine {
namespace {

/// The kernel may outlive the schedule: it keeps the grid, without programs and buffers.
sm::Items items_of(const Schedule& schedule) {
  Schedule grid = schedule;
  grid.roles.clear();
  grid.buffers.clear();
  grid.choices.clear();
  return {[grid](std::int64_t cta) { return work_items(grid, CtaId(cta)); },
          [grid](std::int64_t cta, std::int64_t index) {
            const WorkItem item = work_item(grid, CtaId(cta), index);
            return sm::Item{item.block_m, item.block_n, item.block_z, item.k_first, item.k_tiles, item.partial};
          }};
}

/// Registers a thread is given: those it asks for, rounded up to what a warp is given at a time.
int registers_given(const Schedule& schedule, const Profile& profile) {
  const std::int64_t granule = profile.sm.register_granule;
  const std::int64_t warp =
      (std::int64_t{lanes_per_warp} * schedule.registers_per_thread + granule - 1) / granule * granule;
  return static_cast<int>(warp / lanes_per_warp);
}

/// What shared memory leaves. It is carved out for as many CTAs as could be resident, however few the grid has, in
/// whole steps of which L1 never has the first.
std::int64_t l1_bytes(const Schedule& schedule, const Profile& profile, std::int64_t resident_ctas,
                      const MemoryMap& memory) {
  if (!profile.l1) return 0;
  const Limited<Bytes> capacity = profile.l1->capacity;
  if (capacity.is_unlimited()) return memory.bytes();
  const std::int64_t asked = resident_ctas * (shared_bytes(schedule) + profile.shared.reserved_per_cta).count();
  const std::int64_t step = profile.shared.carveout.count();
  const std::int64_t least = step == 1 ? 0 : step;
  const std::int64_t carved = std::max((asked + step - 1) / step * step, least);
  return std::min(capacity.value().count() - carved, memory.bytes());
}

}  // namespace

sm::Kernel lower(const Schedule& schedule, const Profile& profile, const MemoryMap& memory) {
  sm::Kernel kernel = Lowering(schedule, profile, memory).run();
  kernel.items = items_of(schedule);
  kernel.restarts_k = schedule.restarts_k;
  const std::int64_t ctas = std::max<std::int64_t>(occupancy(schedule, profile).ctas, 1);
  kernel.cta_slots = static_cast<int>(std::min(ctas, cta_count(schedule)));
  kernel.cluster = schedule.cluster;
  for (int rank = 0; rank < schedule.cluster; ++rank) kernel.cluster_places.push_back(place_in_cluster(schedule, rank));
  kernel.registers = registers_given(schedule, profile);
  kernel.grid_line = static_cast<std::uint64_t>((memory.bytes() + line_bytes - 1) / line_bytes);
  kernel.l1_bytes = l1_bytes(schedule, profile, ctas, memory);
  return kernel;
}

}  // namespace gpusim::machine
