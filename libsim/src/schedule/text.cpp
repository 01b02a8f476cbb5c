// The listing of a whole schedule.
#include <string>

#include "gpusim/schedule.h"
#include "schedule/number_text.h"
#include "schedule/program_text.h"

namespace gpusim {
namespace {

std::string plural(std::int64_t count, const std::string& thing) {
  return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

std::string order_text(const Schedule& schedule) {
  switch (schedule.order) {
    case TileOrder::row:
      return "along rows";
    case TileOrder::column:
      return "along columns";
    case TileOrder::grouped:
      return "in bands of " + plural(schedule.group, "row");
    case TileOrder::hilbert:
      break;
  }
  return "along a Hilbert curve";
}

std::string cluster_text(const Schedule& schedule) {
  if (schedule.cluster == 1) return "";
  const int m = schedule.cluster_m;
  return ", in clusters of " + (m == 0 ? std::to_string(schedule.cluster) : extent_text(m, schedule.cluster / m));
}

/// Who works on which tiles, where that is not a CTA on each.
std::string walk_text(const Schedule& schedule) {
  if (schedule.ctas == 0) return "";
  std::string text = "  walk       " + plural(schedule.ctas, "CTA");
  if (schedule.stream_k)
    return text + ", all k tiles dealt to them evenly" + (schedule.restarts_k ? ", counted anew in each item\n" : "\n");
  return text + (schedule.consecutive ? ", neighbouring tiles each\n" : ", each every so many tiles\n");
}

std::string k_text(const Schedule& schedule) {
  if (schedule.k_tiles == 0) return "";
  return "  k          " + plural(schedule.k_tiles, "tile") +
         (schedule.splits == 1 ? "\n" : ", in " + std::to_string(schedule.splits) + " slices\n");
}

std::string header(const Schedule& schedule) {
  std::string text = schedule.name + "\n";
  text += "  grid       " + extent_text(schedule.grid_m, schedule.grid_n) +
          (schedule.grid_z == 1 ? "" : " x " + std::to_string(schedule.grid_z)) +
          (schedule.ctas == 0 ? " CTAs" : " tiles") + ", numbered " + order_text(schedule) + cluster_text(schedule) +
          "\n";
  text += walk_text(schedule) + k_text(schedule);
  text += "  CTA        " + plural(warps_per_cta(schedule), "warp") + ", " +
          plural(schedule.registers_per_thread, "register") + " a thread, " +
          std::to_string(shared_bytes(schedule).count()) + " B of shared memory, " +
          plural(warp_instructions(schedule), "warp instruction") + "\n";
  for (const auto& [key, value] : schedule.choices) {
    text += "  " + key;
    text.append(key.size() < 10 ? 11 - key.size() : 1, ' ');
    text += value + "\n";
  }
  return text;
}

std::string placement_text(const Buffer& buffer) {
  if (buffer.placement == Placement::shuffled) return ", rows shuffled";
  if (buffer.placement == Placement::one_slice) return ", rows in L2 slice " + std::to_string(buffer.slice);
  return "";
}

std::string memory_map(const Schedule& schedule) {
  std::string text = "\nglobal memory\n";
  for (const Buffer& buffer : schedule.buffers)
    text += "  " + buffer.name + ": " + (buffer.layers == 1 ? "" : plural(buffer.layers, "layer") + " of ") +
            extent_text(buffer.rows, buffer.columns) + " " + std::string(name(buffer.dtype)) + ", pitch " +
            std::to_string(buffer.pitch) +
            (buffer.layer_pitch == 0 ? "" : ", layers " + std::to_string(buffer.layer_pitch) + " apart") +
            placement_text(buffer) + "\n";
  if (schedule.shared_tiles.empty() && schedule.barriers.empty()) return text;
  text += "\nshared memory\n";
  for (std::size_t i = 0; i < schedule.shared_tiles.size(); ++i) {
    const SharedTile& tile = schedule.shared_tiles[i];
    text += "  " + tile.name + ": at " +
            std::to_string(tile_offset(schedule, TileId(static_cast<std::int64_t>(i))).count()) + ", " +
            plural(tile.stages, "stage") + " of " + extent_text(tile.rows, tile.columns) + " " +
            std::string(name(tile.dtype)) + ", pitch " + std::to_string(tile.pitch.count()) + " B";
    if (tile.swizzle != Swizzle::none) text += ", swizzle " + std::to_string(static_cast<int>(tile.swizzle)) + " B";
    text += "\n";
  }
  for (const Barrier& barrier : schedule.barriers)
    text += "  " + barrier.name + ": " + plural(barrier.slots, "mbarrier") + " of " +
            plural(barrier.arrivals, "arrival") + "\n";
  return text;
}

}  // namespace

std::string to_string(const Schedule& schedule) {
  std::string text = header(schedule) + memory_map(schedule);
  for (const Role& role : schedule.roles)
    text += "\n" + role.name + ": " + plural(role.warps, "warp") + "\n" + schedule::listing(role.program, &schedule, 2);
  return text;
}

}  // namespace gpusim
