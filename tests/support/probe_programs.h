// Schedules written by hand, one operation after another.
//
//   Probe probe;
//   const Token x = probe.token("x");
//   probe.add(LoadGlobal{one_line(0), x}).add(Arithmetic{.reads = {x}});
//   gpu.run(probe.schedule());
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gpusim/schedule.h"

namespace gpusim::testing {

inline constexpr std::int64_t floats_a_line = 32;

/// Row `row` of the probe's buffer is one line: its 32 lanes read or write 4 bytes each.
inline GlobalAccess one_line(const Layout& row) { return {BufferId(0), row, along(Coordinate::lane), 1, std::nullopt}; }

/// One lane's 16 bytes at the beginning of line `row`: one sector.
inline GlobalAccess one_sector(const Layout& row) {
  return {BufferId(0), row, along(Coordinate::lane, 4), 4, Bound{along(Coordinate::lane), 1}};
}

/// Row `row` of the probe's tile, one word a lane: one wavefront without conflicts.
inline SharedAccess one_wavefront(const Layout& row = 0) {
  return {TileId(0), 0, row, along(Coordinate::lane), 1, std::nullopt};
}

/// All lanes at one bank of the probe's tile: 32 wavefronts.
inline SharedAccess one_bank() { return {TileId(0), 0, along(Coordinate::lane), 0, 1, std::nullopt}; }

/// One bulk copy of `rows` lines of the buffer into the probe's tile.
inline BulkCopy bulk_lines(const Layout& row, std::int64_t rows, BarrierSlot done) {
  return {BufferId(0), row, 0, rows, floats_a_line, TileId(0), 0, std::move(done)};
}

/// An instruction that waits for `what` and writes nothing.
inline Arithmetic needs(Token what, Pipe pipe = Pipe::alu) { return {pipe, {what}, std::nullopt, false}; }

/// An instruction that waits for `what` and makes it anew: a link of a dependent chain.
inline Arithmetic changes(Token what, Pipe pipe = Pipe::fma) { return {pipe, {what}, what, false}; }

/// A role's program as it grows.
class Probe {
 public:
  Probe() = default;
  explicit Probe(std::string role) : role_(std::move(role)) {}

  Token token(const std::string& name) { return program_.token(name); }
  Probe& add(Action action, std::int64_t count = 1, std::optional<Bound> guard = std::nullopt) {
    program_.body.emplace_back(Operation{std::move(action), count, std::move(guard)});
    return *this;
  }
  /// `body`'s operations, `trips` times.
  Probe& loop(std::int64_t trips, Probe body) {
    program_.body.emplace_back(Loop{trips, std::move(body.program_.body), false});
    return *this;
  }
  [[nodiscard]] Role role(int warps = 1) const { return {role_, warps, program_}; }

  /// This program alone, on `warps` warps of each of `ctas` CTAs.
  [[nodiscard]] Schedule schedule(int warps = 1, std::int64_t ctas = 1) const;

 private:
  std::string role_ = "worker";
  Program program_;
};

/// A schedule of these roles with one buffer of 65536 lines, one shared tile of 32 lines and two mbarrier slots.
inline Schedule probe_schedule(std::vector<Role> roles, std::int64_t ctas = 1) {
  Schedule schedule;
  schedule.name = "probe";
  schedule.buffers = {{"data", 65536, floats_a_line, floats_a_line, DType::fp32}};
  schedule.shared_tiles = {{"tile", 32, 32, DType::fp32, 1, Bytes(128), Swizzle::none}};
  schedule.barriers = {{"full", 2, 1}};
  schedule.grid_m = ctas;
  schedule.roles = std::move(roles);
  return schedule;
}

inline Schedule Probe::schedule(int warps, std::int64_t ctas) const { return probe_schedule({role(warps)}, ctas); }

/// Slot `slot` of the probe's mbarriers.
inline BarrierSlot full(const Layout& slot = 0) { return {BarrierId(0), slot}; }

}  // namespace gpusim::testing
