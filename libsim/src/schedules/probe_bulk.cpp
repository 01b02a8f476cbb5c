// Bulk copies, one in flight for each CTA, and bulk stores.
#include <algorithm>
#include <utility>
#include <vector>

#include "schedules/probe_parts.h"

namespace gpusim::schedules {
namespace {

constexpr int stored_tiles = 2;        ///< by turns
constexpr std::int64_t extent = 1024;  ///< least of a tensor of two or three dimensions, along each

/// Where the boxes of a trip lie: side by side along x, then along y; the next trip's below them, or after the last
/// place at the first again.
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
  const std::int64_t places = choices.stored_boxes > 0 ? choices.stored_boxes : choices.trips;
  Tensor tensor;
  tensor.columns = across * choices.x;
  tensor.column = along(Coordinate::block_m, choices.x, 1, across);
  tensor.row = along(Coordinate::block_m, choices.y, across) + along(Coordinate::loop0, down * choices.y, 1, places);
  tensor.plane_rows = std::max(extent, places * down * choices.y);
  tensor.rows = tensor.plane_rows * choices.z;
  return tensor;
}

/// Where a trip's box lies in the tensor, and its extents: of a copy or a store.
template <class Bulk>
Bulk box_of(const BulkLoop& choices, const Tensor& tensor) {
  Bulk bulk;
  bulk.buffer = BufferId(0);
  bulk.row = tensor.row;
  bulk.column = tensor.column;
  bulk.rows = choices.y;
  bulk.columns = choices.x;
  return bulk;
}

std::vector<Statement> copying(const BulkLoop& choices, const Tensor& tensor) {
  const BarrierSlot slot{BarrierId(0), 0};
  auto copy = box_of<BulkCopy>(choices, tensor);
  copy.planes = choices.z;
  copy.plane_rows = tensor.plane_rows;
  copy.rank = choices.rank;
  copy.done = slot;
  const Bytes bytes(choices.x * choices.y * choices.z * word_bytes);
  return {run_of(BarrierArrive{slot, bytes}), run_of(copy), run_of(BarrierWait{slot, along(Coordinate::loop0)}),
          run_of(CtaBarrier{})};
}

std::vector<Statement> storing(const BulkLoop& choices, const Tensor& tensor) {
  auto store = box_of<BulkStore>(choices, tensor);
  store.stage = along(Coordinate::loop0, 1, 1, stored_tiles);
  return {run_of(BulkWait{stored_tiles - 1}), run_of(store), run_of(BulkCommit{})};
}

}  // namespace

Schedule bulk_loop(const BulkLoop& choices) {
  const bool stores = choices.stored_boxes > 0;
  const Tensor tensor = choices.rank < 2 && !stores ? line(choices) : volume(choices);
  Program program;
  program.body = {loop(choices.trips, stores ? storing(choices, tensor) : copying(choices, tensor))};
  Schedule schedule = kernel(stores ? "bulk stores" : "bulk copies", choices.ctas, 1, std::move(program));
  schedule.buffers = {{"tensor", tensor.rows, tensor.columns, tensor.columns, DType::fp32, Placement::linear, 0}};
  schedule.shared_tiles = {{"box", static_cast<int>(choices.y * choices.z), static_cast<int>(choices.x), DType::fp32,
                            stores ? stored_tiles : 1, Bytes(choices.x * word_bytes), Swizzle::none}};
  if (!stores) schedule.barriers = {{"arrived", 1, 1}};
  return schedule;
}

}  // namespace gpusim::schedules
