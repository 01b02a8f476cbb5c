// What is wrong with a schedule, and what a GPU cannot hold of it.
#include <algorithm>
#include <string>

#include "gpu_features.h"
#include "gpusim/schedule.h"
#include "schedule/hardware.h"
#include "schedule/number_text.h"
#include "schedule/register_problems.h"
#include "schedule/structure.h"

namespace gpusim {
namespace {

/// The most stages, of tiles that all have equally many, that fit `available` bytes. 0: not even one, or it differs.
std::int64_t fitting_stages(const Schedule& schedule, Bytes available) {
  std::int64_t stage = 0;
  int stages = 0;
  for (const SharedTile& tile : schedule.shared_tiles) {
    if (stages != 0 && tile.stages != stages) return 0;
    stages = tile.stages;
    stage += stage_bytes(tile).count();
  }
  if (stage == 0) return 0;
  const Bytes beside = shared_bytes(schedule) - Bytes(stage * stages);
  return std::min<std::int64_t>(stages, std::max(std::int64_t{0}, (available - beside).count() / stage));
}

void check_shared(const Schedule& schedule, const Profile& profile, std::vector<Problem>& problems) {
  const Bytes needed = shared_bytes(schedule);
  Limited<Bytes> most = profile.shared.per_cta;
  if (!profile.shared.capacity.is_unlimited()) {
    const Bytes left = profile.shared.capacity.value() - profile.shared.reserved_per_cta;
    if (most.is_unlimited() || left < most.value()) most = left;
  }
  if (most.admits(needed)) return;
  std::string what =
      "a CTA needs " + text(needed.count()) + " bytes of shared memory; there are " + text(most.value().count());
  const std::int64_t fit = fitting_stages(schedule, most.value());
  if (fit > 1) what += "; " + text(fit) + " stages would fit";
  problems.push_back({"schedule.shared", what});
}

void check_memory(const Schedule& schedule, const Profile& profile, std::vector<Problem>& problems) {
  Bytes needed;
  for (const Buffer& buffer : schedule.buffers) needed += span_of(buffer);
  if (!profile.dram.capacity.admits(needed))
    problems.push_back({"schedule.buffers", "the buffers take " + text(needed.count()) + " bytes; the GPU has " +
                                                text(profile.dram.capacity.value().count())});
}

/// SMs of the largest GPC: TPCs go to GPCs in turn.
std::int64_t sms_of_gpc(const SmSpec& sm) {
  const std::int64_t tpcs = (sm.count + sm.sms_per_tpc - 1) / sm.sms_per_tpc;
  return std::min(sm.count, (tpcs + sm.gpcs - 1) / sm.gpcs * sm.sms_per_tpc);
}

void check_cluster(const Schedule& schedule, const Profile& profile, std::vector<Problem>& problems) {
  if (schedule.cluster == 1) return;
  if (!profile.cluster) {
    problems.push_back({"schedule.cluster", missing(cluster_feature)});
    return;
  }
  if (schedule.cluster > profile.cluster->ctas)
    problems.push_back({"schedule.cluster", "a cluster has " + text(schedule.cluster) + " CTAs; it may have " +
                                                text(profile.cluster->ctas)});
  const std::int64_t room = sms_of_gpc(profile.sm) * occupancy(schedule, profile).ctas;
  if (problems.empty() && schedule.cluster > room)
    problems.push_back({"schedule.cluster", "the " + text(schedule.cluster) +
                                                " CTAs of a cluster run at a time on one GPC, which holds " +
                                                text(room) + " of them"});
}

}  // namespace

std::vector<Problem> check(const Schedule& schedule) {
  std::vector<Problem> problems = schedule::resource_problems(schedule);
  return problems.empty() ? schedule::program_problems(schedule) : problems;
}

std::vector<Problem> check(const Schedule& schedule, const Profile& profile) {
  std::vector<Problem> problems = check(schedule);
  if (!problems.empty()) return problems;
  check_shared(schedule, profile, problems);
  schedule::register_problems(schedule, profile, problems);
  if (!profile.sm.warps.admits(warps_per_cta(schedule)))
    problems.push_back({"schedule.warps", "a CTA has " + text(warps_per_cta(schedule)) + " warps; an SM holds " +
                                              text(profile.sm.warps.value())});
  check_memory(schedule, profile, problems);
  check_cluster(schedule, profile, problems);
  schedule::hardware_problems(schedule, profile, problems);
  return problems;
}

}  // namespace gpusim
