#include "machine/lower_access.h"

#include <algorithm>
#include <array>
#include <optional>

#include "sizes.h"

namespace gpusim::machine {
namespace {

std::int64_t floor_divided(std::int64_t value, std::int64_t divisor) {
  return value >= 0 ? value / divisor : -((-value + divisor - 1) / divisor);
}

Coordinates place(int warp, std::int64_t repeat, std::int64_t lane) {
  Coordinates at{};
  at[static_cast<std::size_t>(Coordinate::warp)] = warp;
  at[static_cast<std::size_t>(Coordinate::repeat)] = repeat;
  at[static_cast<std::size_t>(Coordinate::lane)] = lane;
  return at;
}

/// The lane, warp and repeat part; the rest is the base's.
std::int64_t lane_part(const Layout& layout, const Coordinates& at) {
  std::int64_t sum = 0;
  for (const Term& term : layout.terms())
    if (sm::is_within_warp(term.source)) sum += value_of(term, at);
  return sum;
}

bool active(const std::optional<Bound>& lanes, const Coordinates& at) {
  return !lanes || lanes->value(at) < lanes->limit;
}

/// Adds `elements` at (row, column), joined to the last segment where they continue it; repeated elements count once.
void add(sm::Footprint& footprint, std::int64_t row, std::int64_t column, std::int64_t elements) {
  for (const sm::Segment& segment : footprint.segments)
    if (segment.row == row && column >= segment.column && column + elements <= segment.column + segment.elements)
      return;
  footprint.elements += elements;
  if (!footprint.segments.empty()) {
    sm::Segment& last = footprint.segments.back();
    if (last.row == row && last.column + last.elements == column) {
      last.elements += elements;
      return;
    }
  }
  footprint.segments.push_back({row, column, elements});
}

struct LanePlace {
  std::int64_t row = 0;
  std::int64_t column = 0;
};

/// Passes over L1's data banks: of each group of lanes that fills 128 bytes of registers, the most distinct words one
/// bank is asked for. All addresses moved alike, the count is the same.
std::int64_t data_wavefronts(const std::vector<LanePlace>& lanes, std::int64_t vector, const Buffer& buffer) {
  const std::int64_t element = size_of(buffer.dtype);
  const std::int64_t bytes = vector * element;
  const std::int64_t group =
      std::clamp(bank_count * word_bytes / std::max(bytes, word_bytes), std::int64_t{1}, std::int64_t{32});
  std::int64_t wavefronts = 0;
  std::vector<std::int64_t> words;
  for (std::size_t first = 0; first < lanes.size(); first += static_cast<std::size_t>(group)) {
    words.clear();
    const std::size_t end = std::min(lanes.size(), first + static_cast<std::size_t>(group));
    for (std::size_t lane = first; lane < end; ++lane) {
      const std::int64_t begin = (lanes[lane].row * buffer.pitch + lanes[lane].column) * element;
      for (std::int64_t byte = 0; byte < bytes; byte += word_bytes)
        words.push_back(floor_divided(begin + byte, word_bytes));
    }
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    std::array<std::int64_t, bank_count> wanted{};
    for (const std::int64_t word : words)
      ++wanted[static_cast<std::size_t>((word % bank_count + bank_count) % bank_count)];
    wavefronts += *std::max_element(wanted.begin(), wanted.end());
  }
  return wavefronts;
}

sm::Footprint footprint_of(const GlobalAccess& access, const Buffer& buffer, int warp, std::int64_t repeat) {
  sm::Footprint footprint;
  std::vector<LanePlace> lanes;
  for (std::int64_t lane = 0; lane < lanes_per_warp; ++lane) {
    const Coordinates at = place(warp, repeat, lane);
    if (!active(access.lanes, at)) continue;
    lanes.push_back({lane_part(access.row, at), lane_part(access.column, at)});
    add(footprint, lanes.back().row, lanes.back().column, access.vector);
  }
  footprint.data_wavefronts = data_wavefronts(lanes, access.vector, buffer);
  for (const sm::Segment& segment : footprint.segments) {
    footprint.rows_begin = std::min(footprint.rows_begin, segment.row);
    footprint.rows_end = std::max(footprint.rows_end, segment.row + 1);
    footprint.columns_begin = std::min(footprint.columns_begin, segment.column);
    footprint.columns_end = std::max(footprint.columns_end, segment.column + segment.elements);
  }
  return footprint;
}

/// The buffer as plans know it.
sm::Matrix matrix_of(const Buffer& buffer, const Layout& layer, const MemoryMap& memory) {
  sm::Matrix matrix;
  matrix.layer = layer;
  matrix.layers = buffer.layers;
  matrix.rows = buffer.rows;
  matrix.columns = buffer.columns;
  matrix.element_bytes = size_of(buffer.dtype);
  matrix.pitch = buffer.pitch * matrix.element_bytes;
  matrix.layer_step = layer_step(buffer) * matrix.element_bytes;
  matrix.address = memory.address_of(buffer.name);
  matrix.row_address = memory.row_address(buffer.name);
  return matrix;
}

/// What copies and stores of a box have in common.
template <class Bulk>
sm::BoxPlan box_of(const Bulk& bulk, const Schedule& schedule, const MemoryMap& memory) {
  sm::BoxPlan box;
  box.row = sm::Base::of_warp(bulk.row);
  box.column = sm::Base::of_warp(bulk.column);
  box.matrix = matrix_of(schedule.buffers[static_cast<std::size_t>(bulk.buffer.index())], bulk.layer, memory);
  box.rows = bulk.rows;
  box.columns = bulk.columns;
  return box;
}

}  // namespace

sm::GlobalPlan lower_global(const GlobalAccess& access, std::int64_t repeats, WarpRange warps, const Schedule& schedule,
                            const MemoryMap& memory) {
  const Buffer& buffer = schedule.buffers[static_cast<std::size_t>(access.buffer.index())];
  sm::GlobalPlan plan;
  plan.row = sm::Base(access.row);
  plan.column = sm::Base(access.column);
  plan.matrix = matrix_of(buffer, access.layer, memory);
  plan.vector = access.vector;
  plan.first_warp = warps.first;
  plan.repeats = repeats;
  for (int warp = warps.first; warp < warps.first + warps.count; ++warp)
    for (std::int64_t repeat = 0; repeat < repeats; ++repeat)
      plan.footprints.push_back(footprint_of(access, buffer, warp, repeat));
  return plan;
}

sm::SharedPlan lower_shared(const SharedAccess& access, std::int64_t repeats, WarpRange warps,
                            const Schedule& schedule) {
  const SharedTile& tile = schedule.shared_tiles[static_cast<std::size_t>(access.tile.index())];
  sm::SharedPlan plan;
  plan.row = sm::Base(access.row);
  plan.column = sm::Base(access.column);
  plan.pitch = tile.pitch.count();
  plan.swizzle = static_cast<std::int64_t>(tile.swizzle);
  plan.element_bytes = size_of(tile.dtype);
  plan.vector = access.vector;
  plan.first_warp = warps.first;
  plan.known.resize(static_cast<std::size_t>(warps.count));
  for (int warp = warps.first; warp < warps.first + warps.count; ++warp) {
    std::vector<sm::LanePlaces>& by_repeat = plan.places.emplace_back();
    for (std::int64_t repeat = 0; repeat < repeats; ++repeat) {
      sm::LanePlaces& lanes = by_repeat.emplace_back();
      for (std::int64_t lane = 0; lane < lanes_per_warp; ++lane) {
        const Coordinates at = place(warp, repeat, lane);
        if (!active(access.lanes, at)) continue;
        lanes.rows.push_back(static_cast<std::int32_t>(lane_part(access.row, at)));
        lanes.columns.push_back(static_cast<std::int32_t>(lane_part(access.column, at)));
      }
    }
  }
  return plan;
}

sm::BoxPlan lower_box(const BulkCopy& copy, const Schedule& schedule, const MemoryMap& memory) {
  sm::BoxPlan box = box_of(copy, schedule, memory);
  box.planes = copy.planes;
  box.plane_rows = copy.plane_rows;
  box.rank = copy.rank;
  return box;
}

sm::BoxPlan lower_box(const BulkStore& stored, const Schedule& schedule, const MemoryMap& memory) {
  return box_of(stored, schedule, memory);
}

}  // namespace gpusim::machine
