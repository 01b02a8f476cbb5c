#pragma once

#include <cstdint>

#include "gpusim/spec/field.h"
#include "gpusim/units.h"

namespace gpusim {

/// Shared memory of an SM: 32 banks of 4 bytes, served in wavefronts of up to 128 bytes.
struct SharedSpec {
  Limited<Bytes> capacity;
  Limited<Bytes> per_cta;
  Bytes reserved_per_cta;
  Bytes carveout{1};
  Rate bytes_per_clk;
  Cycles latency;
  Cycles store_latency;
  Cycles conflict_latency{1};
  bool ldmatrix = true;

  template <class Visitor>
  static void fields(Visitor&& visit) {
    visit(Field{"capacity", "Most shared memory of an SM.", "bytes", 1}, &SharedSpec::capacity);
    visit(Field{"per_cta", "Most shared memory a CTA may ask for.", "bytes", 1}, &SharedSpec::per_cta);
    visit(Field{"reserved_per_cta", "Shared memory the system takes from each CTA's share.", "bytes"},
          &SharedSpec::reserved_per_cta);
    visit(Field{"carveout", "L1 gives shared memory up in multiples of this, and one at least.", "bytes", 1},
          &SharedSpec::carveout);
    visit(Field{"bytes_per_clk", "Bandwidth of an SM; a wavefront is 128 bytes.", "B/clk"}, &SharedSpec::bytes_per_clk);
    visit(Field{"latency", "Load to use, one wavefront or two without conflicts.", "cycles", 0, 100'000},
          &SharedSpec::latency);
    visit(Field{"store_latency", "Store until a barrier may pass it.", "cycles", 0, 100'000},
          &SharedSpec::store_latency);
    visit(Field{"conflict_latency",
                "What each wavefront beyond the fewest possible adds to a load's latency; its bandwidth cost is one "
                "wavefront.",
                "cycles", 0, 1000},
          &SharedSpec::conflict_latency);
    visit(Field{"ldmatrix", "A warp may load 8x8 matrices and deal them out as mma wants them."},
          &SharedSpec::ldmatrix);
  }
};

}  // namespace gpusim
