// What the probes' generators share.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpusim/schedules/probes.h"
#include "sizes.h"

namespace gpusim::schedules {

/// One operation, optionally guarded.
[[nodiscard]] inline Operation run_of(Action action, std::int64_t count = 1, std::optional<Bound> guard = {}) {
  return {std::move(action), count, std::move(guard)};
}

[[nodiscard]] inline Loop loop(std::int64_t trips, std::vector<Statement> body) {
  Loop result;
  result.trips = trips;
  result.body = std::move(body);
  return result;
}

/// An access without a bound on lanes.
[[nodiscard]] inline GlobalAccess at(std::int64_t buffer, Layout row, Layout column, int vector = 1,
                                     std::optional<Token> address = {}) {
  GlobalAccess access;
  access.buffer = BufferId(buffer);
  access.row = std::move(row);
  access.column = std::move(column);
  access.vector = vector;
  access.address = address;
  return access;
}
[[nodiscard]] inline SharedAccess in_tile(std::int64_t tile, Layout row, Layout column, int vector = 1,
                                          std::optional<Token> address = {}) {
  SharedAccess access;
  access.tile = TileId(tile);
  access.row = std::move(row);
  access.column = std::move(column);
  access.vector = vector;
  access.address = address;
  return access;
}

[[nodiscard]] inline Arithmetic alu(std::vector<Token> reads, std::optional<Token> writes = {}) {
  return {Pipe::alu, std::move(reads), writes, false};
}

/// A tile of 128-byte rows that takes `bytes` of a CTA's shared memory and is never touched: it holds occupancy down.
[[nodiscard]] inline SharedTile ballast(std::int64_t bytes) {
  return {"ballast", static_cast<int>(bytes / 128), 32, DType::fp32, 1, Bytes(128), Swizzle::none};
}

/// A schedule of CTAs in one line, all warps of one role.
[[nodiscard]] inline Schedule kernel(std::string name, std::int64_t ctas, int warps, Program program) {
  Schedule schedule;
  schedule.name = std::move(name);
  schedule.grid_m = ctas;
  schedule.roles.push_back({"probe", warps, std::move(program)});
  return schedule;
}

}  // namespace gpusim::schedules
