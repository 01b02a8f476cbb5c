// What CTA 0 asks of each resource, in cycles that the resource is busy for it.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "estimate/census.h"
#include "estimate/costs.h"
#include "estimate/footprint.h"
#include "estimate/neighbours.h"
#include "estimate/wavefronts.h"

namespace gpusim::estimate {

/// What an SM has of its own, or shares with others.
enum class Resource : std::uint8_t {
  issue,
  fma,
  alu,
  sfu,
  tensor,
  address,  ///< the last that each sub-partition has of its own
  lsu,
  shared,
  l1_tags,
  l1_data,
  lsu_writeback,  ///< the last that warps stand in a row at
  miss_lines,
  tma_begin,
  tma_bytes,
  tma_rows,
  tma_write,
  port_in,
  port_out,
  tpc_in,
  tpc_out,
  cpc_in,
  cpc_out,
  gpc_in,
  gpc_out,
  l2_slice,
  l2_slice_write,
  l2_atomics,
};
inline constexpr std::size_t resource_count = 27;
/// As the Result calls it.
[[nodiscard]] std::string_view name(Resource resource);
[[nodiscard]] constexpr bool of_sub_partition(Resource resource) { return resource <= Resource::address; }
/// Whether warps stand in a row there before they go on; beyond it loads and copies are on their way without them.
[[nodiscard]] constexpr bool warps_meet_at(Resource resource) { return resource <= Resource::lsu_writeback; }

/// Cycles by resource.
using Load = std::array<double, resource_count>;

struct CtaLoad {
  std::array<Load, part_count> parts{};  ///< each time the part happens
  std::vector<Panel> read;
  std::vector<Panel> stored;
  std::array<double, part_count> longer_from_dram{};  ///< miss_lines, if DRAM gave all that is read and not L2
  double l2_read_bytes = 0;                           ///< of all parts
  double cold_read_bytes = 0;                         ///< of them, of what L2 does not hold before
  double bulk_step_bytes = 0;                         ///< that bulk copies bring in a step, the cluster's with them
  double warps = 0;                                   ///< that multiply; all when none does
  bool meets_in_steps = false;                        ///< its warps wait for each other in a step
};

/// `busy_sms` of the GPU's SMs have CTAs.
[[nodiscard]] CtaLoad cta_load(const Schedule& schedule, const Profile& profile, const Census& census, Costs& costs,
                               std::int64_t busy_sms);

}  // namespace gpusim::estimate
