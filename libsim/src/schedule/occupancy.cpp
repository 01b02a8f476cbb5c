// How many CTAs of a schedule an SM holds.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

#include "gpusim/schedule.h"
#include "schedule/needs.h"

namespace gpusim {

Occupancy occupancy(const Schedule& schedule, const Profile& profile) {
  struct Resource {
    std::string_view name;
    Limited<std::int64_t> there;
    std::int64_t needed;  ///< by one CTA
  };
  const Limited<Bytes>& shared = profile.shared.capacity;
  const std::array resources{
      Resource{"registers", schedule::ctas_by_registers(schedule, profile), 1},
      Resource{"shared memory", shared.is_unlimited() ? Limited<std::int64_t>() : shared.value().count(),
               (shared_bytes(schedule) + profile.shared.reserved_per_cta).count()},
      Resource{"warps", profile.sm.warps, warps_per_cta(schedule)},
      Resource{"CTA slots", profile.sm.ctas, 1},
  };
  std::int64_t most = std::numeric_limits<int>::max();
  Occupancy occupancy{0, "nothing"};
  for (const Resource& resource : resources) {
    if (resource.there.is_unlimited() || resource.needed == 0) continue;
    const std::int64_t fit = resource.there.value() / resource.needed;
    if (fit >= most) continue;
    most = fit;
    occupancy.limiter = resource.name;
  }
  occupancy.ctas = static_cast<int>(most);
  return occupancy;
}

}  // namespace gpusim
