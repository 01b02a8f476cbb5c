// Tensor cores: mma.sync and wgmma in loops.
#include "schedules/probe_parts.h"

#include "sizes.h"

namespace gpusim::schedules {
namespace {

SharedTile operand(const char* name, int rows, int columns, DType dtype) {
  const std::int64_t pitch = std::int64_t{columns} * size_of(dtype);
  // Chunks of a row spread over the banks, as tensor maps store operands.
  const Swizzle swizzle = pitch % 128 == 0  ? Swizzle::bytes128
                          : pitch % 64 == 0 ? Swizzle::bytes64
                          : pitch % 32 == 0 ? Swizzle::bytes32
                                            : Swizzle::none;
  return {name, rows, columns, dtype, 1, Bytes(pitch), swizzle};
}

/// Rows from `first`, shared out among the lanes.
SharedAccess rows_of(std::int64_t tile, const Layout& first, int rows, int columns) {
  const int vector = columns * rows / lanes_per_warp;
  return in_tile(tile, first + along(Coordinate::lane, 1, 1, rows), along(Coordinate::lane, vector, rows), vector);
}

}  // namespace

Schedule multiply_loop(const MultiplyLoop& choices) {
  Program program;
  const Token a = program.token("a");
  const Token b = program.token("b");
  std::vector<Statement> body;
  for (int i = 0; i < choices.ilp; ++i) {
    Multiply multiply;
    multiply.a = a;
    multiply.b = b;
    multiply.c = program.token("c" + std::to_string(i));
    multiply.input = choices.input;
    multiply.accumulate = choices.accumulate;
    multiply.shape = choices.shape;
    multiply.sparse = choices.sparse;
    body.emplace_back(run_of(multiply));
  }
  program.body = {loop(choices.trips, std::move(body))};
  Schedule schedule = kernel("multiplies", 1, choices.warps, std::move(program));
  schedule.registers_per_thread = 64;
  return schedule;
}

Schedule warpgroup_loop(const WarpgroupLoop& choices) {
  constexpr int rows_a_warp = wgmma_rows / warps_per_group;
  const int k = wgmma_k_bytes / size_of(choices.input);
  Program program;
  const Token a = program.token("a");
  WarpgroupMultiply multiply;
  multiply.c = program.token("c");
  multiply.input = choices.input;
  multiply.accumulate = choices.accumulate;
  multiply.shape = {wgmma_rows, choices.n, k};
  multiply.b = rows_of(0, 0, k, choices.n);
  if (choices.a_shared)
    multiply.a = rows_of(1, along(Coordinate::warp, rows_a_warp, 1, warps_per_group), rows_a_warp, k);
  else
    multiply.a = a;
  program.body = {loop(choices.trips, {run_of(multiply, choices.batch), run_of(WarpgroupCommit{}),
                                       run_of(WarpgroupWait{choices.pending})}),
                  run_of(WarpgroupWait{0})};
  Schedule schedule = kernel("wgmma", 1, warps_per_group, std::move(program));
  schedule.shared_tiles = {operand("B", k, choices.n, choices.input), operand("A", wgmma_rows, k, choices.input)};
  schedule.registers_per_thread = 168;
  return schedule;
}

}  // namespace gpusim::schedules
