#pragma once

#include "gpusim/spec/field.h"
#include "gpusim/units.h"

namespace gpusim {

/// How instructions come to an SM that has none of a kernel's: its instruction caches are empty when a kernel begins.
/// Code is fetched in the order it lies in memory, ahead of the warps; after a loop, and for another warp role, anew.
struct CodeSpec {
  Cycles fetch_latency;
  Rate bytes_per_clk;

  template <class Visitor>
  static void fields(Visitor&& visit) {
    visit(Field{"fetch_latency", "To the first instruction of a run of code that the SM has not run yet.", "cycles", 0,
                1'000'000},
          &CodeSpec::fetch_latency);
    visit(Field{"bytes_per_clk", "New code that reaches an SM; an instruction has 16 bytes.", "B/clk"},
          &CodeSpec::bytes_per_clk);
  }
};

}  // namespace gpusim
