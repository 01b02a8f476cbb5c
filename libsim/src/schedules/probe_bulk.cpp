// Bulk copies, one in flight for each CTA.
#include <algorithm>

#include "schedules/probe_parts.h"

namespace gpusim::schedules {
namespace {

constexpr std::int64_t extent = 1024;  ///< least of a tensor of two or three dimensions, along each

/// Where the boxes of a trip lie: side by side along x, then along y; the next trip's below them.
struct Tensor {
  std::int64_t rows = 0, columns = 0, plane_rows = 0;
  Layout row, column;
};

Tensor line(const BulkLoop& choices) {
  return {choices.trips * choices.ctas, choices.x, 0,
          along(Coordinate::loop0, choices.ctas) + along(Coordinate::block_m), 0};
}

Tensor volume(const BulkLoop& choices) {
  const std::int64_t across = std::max<std::int64_t>(1, extent / choices.x);
  const std::int64_t down = (choices.ctas + across - 1) / across;
  Tensor tensor;
  tensor.columns = across * choices.x;
  tensor.column = along(Coordinate::block_m, choices.x, 1, across);
  tensor.row = along(Coordinate::block_m, choices.y, across) + along(Coordinate::loop0, down * choices.y);
  tensor.plane_rows = std::max(extent, choices.trips * down * choices.y);
  tensor.rows = tensor.plane_rows * choices.z;
  return tensor;
}

}  // namespace

Schedule bulk_loop(const BulkLoop& choices) {
  const Tensor tensor = choices.rank < 2 ? line(choices) : volume(choices);
  const BarrierSlot slot{BarrierId(0), 0};
  BulkCopy copy;
  copy.buffer = BufferId(0);
  copy.row = tensor.row;
  copy.column = tensor.column;
  copy.rows = choices.y;
  copy.columns = choices.x;
  copy.planes = choices.z;
  copy.plane_rows = tensor.plane_rows;
  copy.rank = choices.rank;
  copy.done = slot;
  const Bytes bytes(choices.x * choices.y * choices.z * word_bytes);

  Program program;
  program.body = {loop(choices.trips, {run_of(BarrierArrive{slot, bytes}), run_of(copy),
                                       run_of(BarrierWait{slot, along(Coordinate::loop0)}), run_of(CtaBarrier{})})};
  Schedule schedule = kernel("bulk copies", choices.ctas, 1, std::move(program));
  schedule.buffers = {{"tensor", tensor.rows, tensor.columns, tensor.columns, DType::fp32, Placement::linear, 0}};
  schedule.shared_tiles = {{"box", static_cast<int>(choices.y * choices.z), static_cast<int>(choices.x), DType::fp32, 1,
                            Bytes(choices.x * word_bytes), Swizzle::none}};
  schedule.barriers = {{"arrived", 1, 1}};
  return schedule;
}

}  // namespace gpusim::schedules
