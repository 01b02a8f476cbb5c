// Pointer chases through global memory, and what brings L2 to the state they leave.
#include <bit>

#include "schedules/probe_parts.h"

namespace gpusim::schedules {
namespace {

constexpr std::int64_t pointer_bytes = 8;

/// i with its bits below `rows` (a power of two) reversed: neighbours end up far apart.
Layout bit_reversed(Coordinate i, std::int64_t rows) {
  Layout row;
  for (std::int64_t bit = 1; bit < rows; bit *= 2) row += along(i, rows / bit / 2, bit, 2);
  return row;
}

std::vector<Statement> bulk_hop(std::int64_t part, const Layout& row, const BarrierSlot& slot, const Layout& phase) {
  BulkCopy copy;
  copy.buffer = BufferId(part);
  copy.row = row;
  copy.rows = 1;
  copy.columns = 2;
  copy.done = slot;
  copy.rank = 0;
  return {run_of(BarrierArrive{slot, Bytes(2 * pointer_bytes)}), run_of(copy), run_of(BarrierWait{slot, phase})};
}

}  // namespace

Buffer chain(const std::string& name, std::int64_t rows, std::int64_t row_bytes) {
  const std::int64_t pointers = row_bytes / pointer_bytes;
  return {name, rows, pointers, pointers, DType::fp64, Placement::shuffled, 0};
}

Buffer slice_lines(const std::string& name, std::int64_t rows, std::int64_t slice) {
  constexpr std::int64_t pointers = line_bytes / pointer_bytes;
  return {name, rows, pointers, pointers, DType::fp64, Placement::one_slice, slice};
}

Schedule pointer_chase(const PointerChase& choices) {
  Program program;
  const Token pointer = program.token("pointer");
  std::vector<Statement> round;
  std::int64_t hops_before = 0;
  std::int64_t hops_a_round = 0;
  for (const Buffer& part : choices.parts) hops_a_round += choices.hops == 0 ? part.rows : choices.hops;
  for (std::size_t i = 0; i < choices.parts.size(); ++i) {
    const Buffer& part = choices.parts[i];
    const auto id = static_cast<std::int64_t>(i);
    const std::int64_t hops = choices.hops == 0 ? part.rows : choices.hops;
    const Layout row = choices.scattered ? bit_reversed(Coordinate::loop1, part.rows) : along(Coordinate::loop1);
    std::vector<Statement> body;
    if (choices.via == ChaseVia::bulk) {
      const Layout phase = along(Coordinate::loop0, hops_a_round) + along(Coordinate::loop1) + hops_before;
      body = bulk_hop(id, row, {BarrierId(0), 0}, phase);
    } else if (choices.via == ChaseVia::constant) {
      body = {run_of(LoadConstant{pointer, pointer})};
    } else {
      body = {run_of(LoadGlobal{at(id, row, 0, 1, pointer), pointer, choices.via == ChaseVia::load_cg})};
    }
    round.emplace_back(loop(hops, std::move(body)));
    hops_before += hops;
  }
  program.body = {loop(choices.rounds, std::move(round))};

  const bool bulk = choices.via == ChaseVia::bulk;
  Schedule schedule = kernel("pointer chase", 1, bulk ? 1 : choices.warps, std::move(program));
  schedule.buffers = choices.parts;
  if (bulk) {
    schedule.shared_tiles = {{"pointer", 1, 2, DType::fp64, 1, Bytes(2 * pointer_bytes), Swizzle::none}};
    schedule.barriers = {{"arrived", 1, 1}};
  }
  return schedule;
}

Schedule sweep(const std::vector<Buffer>& parts) {
  constexpr int warps = 8;
  constexpr std::int64_t most_run = 16;
  Program program;
  const Token read = program.token("read");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::int64_t rows_a_warp = (parts[i].rows + warps - 1) / warps;
    const std::int64_t run = rows_a_warp < most_run ? rows_a_warp : most_run;
    const Layout row =
        along(Coordinate::loop0, run * warps) + along(Coordinate::repeat, warps) + along(Coordinate::warp);
    const LoadGlobal load{at(static_cast<std::int64_t>(i), row, 0), read, true};
    program.body.emplace_back(loop((rows_a_warp + run - 1) / run, {run_of(load, run)}));
  }
  Schedule schedule = kernel("sweep", 1, warps, std::move(program));
  schedule.buffers = parts;
  return schedule;
}

}  // namespace gpusim::schedules
