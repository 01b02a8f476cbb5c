#include "sm/tile_lines.h"

namespace gpusim::sm {

std::size_t TileLines::Hash::operator()(const Place& place) const {
  std::uint64_t hash = 0;
  for (const std::int64_t part : {place.plan, place.warp, place.group, place.row, place.column, place.layer})
    hash = (hash ^ static_cast<std::uint64_t>(part)) * 0x9E3779B97F4A7C15U + (hash >> 29);
  return static_cast<std::size_t>(hash ^ (hash >> 32));
}

const std::vector<LineChunks>& TileLines::collect(int warp, const Code& code, const TileLoop& loop,
                                                  const Coordinates& at, std::int64_t group) {
  lines_.clear();
  for_each_operation(kernel_, code, loop, at,
                     [&](const Step& step, const Coordinates& here) { collect(step, warp, here, group); });
  return lines_;
}

void TileLines::add(int warp, const Code& code, const TileLoop& loop, const Coordinates& at, Asked& asked) {
  const auto add_part = [&] {
    for (const LineChunks& line : part_) asked.sectors += count_bits(sectors_of(static_cast<unsigned>(line.chunks)));
  };
  for_each_operation(kernel_, code, loop, at, [&](const Step& step, const Coordinates& here) {
    const auto index = static_cast<std::size_t>(step.global);
    if (step.kind == StepKind::bulk_copy) {
      asked.bytes += box_bytes(kernel_.boxes[index], here);
      box_lines(kernel_.boxes[index], here, part_);
      add_part();
    }
    if (step.kind != StepKind::load_global && step.kind != StepKind::copy_async) return;
    GlobalPlan& plan = kernel_.globals[index];
    asked.through_l1 = asked.through_l1 || step.through_l1;
    for (std::int64_t repeat = 0; repeat < plan.repeats; ++repeat) {
      asked.bytes += coalesce(plan, plan.footprint(warp, repeat), here, part_);
      add_part();
    }
  });
}

void TileLines::collect(const Step& step, int warp, const Coordinates& at, std::int64_t group) {
  const auto index = static_cast<std::size_t>(step.global);
  if (step.kind == StepKind::bulk_copy) {
    BoxPlan& box = kernel_.boxes[index];
    if (!known_.insert({-1 - step.global, 0, group, box.row(at), box.column(at), box.matrix.layer(at)}).second) return;
    box_lines(box, at, part_);
    lines_.insert(lines_.end(), part_.begin(), part_.end());
    return;
  }
  if (step.kind != StepKind::load_global && step.kind != StepKind::copy_async) return;
  GlobalPlan& plan = kernel_.globals[index];
  if (!known_.insert({step.global, warp, group, plan.row(at), plan.column(at), plan.matrix.layer(at)}).second) return;
  for (std::int64_t repeat = 0; repeat < plan.repeats; ++repeat) {
    coalesce(plan, plan.footprint(warp, repeat), at, part_);
    if (step.whole_lines)
      for (LineChunks& line : part_) line.chunks = whole_line;
    lines_.insert(lines_.end(), part_.begin(), part_.end());
  }
}

}  // namespace gpusim::sm
