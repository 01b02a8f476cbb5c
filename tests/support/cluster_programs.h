// Schedules with every kind of operation beyond a GEMM's, for tests of reading, checking and counting.
#pragma once

#include "support/probe_programs.h"

namespace gpusim::testing {

/// Operands of a wgmma of fp16 m64n64k16 in two tiles: A 64 x 16 (16 rows a warp), B 16 x 64.
inline std::vector<SharedTile> wgmma_tiles() {
  return {{"A", 64, 16, DType::fp16, 1, Bytes(32), Swizzle::bytes32},
          {"B", 16, 64, DType::fp16, 1, Bytes(128), Swizzle::bytes128}};
}
inline WarpgroupMultiply wgmma(Token c) {
  WarpgroupMultiply multiply;
  multiply.c = c;
  multiply.shape = {64, 64, 16};
  multiply.a = SharedAccess{.tile = TileId(0),
                            .row = along(Coordinate::warp, 16, 1, 4) + along(Coordinate::lane, 1, 2),
                            .column = along(Coordinate::lane, 8, 1, 2),
                            .vector = 8};
  multiply.b = {.tile = TileId(1),
                .row = along(Coordinate::lane, 1, 2),
                .column = along(Coordinate::lane, 32, 1, 2),
                .vector = 32};
  return multiply;
}
/// Four warps multiply, commit and wait.
inline Schedule wgmma_schedule() {
  Probe probe;
  const Token c = probe.token("c");
  probe.add(wgmma(c)).add(WarpgroupCommit{}).add(WarpgroupWait{});
  Schedule schedule = probe.schedule(4);
  schedule.shared_tiles = wgmma_tiles();
  return schedule;
}

/// Two CTAs that read and write each other's tile.
inline Schedule cluster_schedule() {
  Probe probe;
  const Token x = probe.token("x");
  SharedAccess other = one_wavefront();
  other.peer = along(Coordinate::block_m) + 1;
  probe.add(ClusterBarrier{true}).add(StoreShared{other, x}).add(LoadShared{other, x}).add(ClusterBarrier{});
  Schedule schedule = probe.schedule(1, 2);
  schedule.cluster = 2;
  return schedule;
}

}  // namespace gpusim::testing
