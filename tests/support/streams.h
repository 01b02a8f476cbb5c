// Programs that only move memory, by every SM of a built-in GPU.
#pragma once

#include <string>

#include "support/mixed_runs.h"

namespace gpusim::testing {

/// Each warp loads 16 consecutive bytes a lane, four lines an instruction, or each CTA copies boxes of 16 lines; every
/// CTA a part of its own of 8 MiB, `sweeps` times over.
inline MixedRun stream(std::string_view gpu, bool in_bulk, std::int64_t sweeps, L2State l2) {
  constexpr std::int64_t ctas = 256, lines_a_cta = 65536 / ctas;
  MixedRun run{std::string(gpu) + (in_bulk ? " bulk stream" : " stream"), load_profile(gpu), {}, {}};
  run.options.l2 = l2;
  const Layout first = along(Coordinate::block_m, lines_a_cta);
  Probe probe, body;
  if (in_bulk) {
    constexpr std::int64_t lines_a_box = 16, boxes = 4;
    const Layout row = first + along(Coordinate::loop0, boxes * lines_a_box, 1, lines_a_cta / (boxes * lines_a_box));
    body.add(BarrierArrive{full(), Bytes(boxes * lines_a_box * 128)});
    for (std::int64_t box = 0; box < boxes; ++box) body.add(bulk_lines(row + box * lines_a_box, lines_a_box, full()));
    body.add(BarrierWait{full(), along(Coordinate::loop0)});
    probe.loop(sweeps * lines_a_cta / (boxes * lines_a_box), body);
    run.schedules = {probe.schedule(1, ctas)};
    return run;
  }
  constexpr std::int64_t warps = 8, lines_a_load = 4, loads = 4, lines_a_trip = warps * loads * lines_a_load;
  const Token x = probe.token("x");
  const Layout row = first + along(Coordinate::lane, 1, 8) + along(Coordinate::repeat, lines_a_load) +
                     along(Coordinate::warp, loads * lines_a_load) +
                     along(Coordinate::loop0, lines_a_trip, 1, lines_a_cta / lines_a_trip);
  body.add(LoadGlobal{{BufferId(0), row, along(Coordinate::lane, 4, 1, 8), 4, std::nullopt}, x}, loads).add(needs(x));
  probe.loop(sweeps * lines_a_cta / lines_a_trip, body);
  run.schedules = {probe.schedule(warps, ctas)};
  return run;
}

}  // namespace gpusim::testing
