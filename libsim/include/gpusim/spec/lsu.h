#pragma once

#include <cstdint>

#include "gpusim/spec/field.h"
#include "gpusim/units.h"

namespace gpusim {

/// The way from a sub-partition to the memory pipeline.
struct LsuSpec {
  Limited<std::int64_t> queue;
  Rate issue_per_clk;
  Rate accept_per_clk;

  template <class Visitor>
  static void fields(Visitor&& visit) {
    visit(Field{"queue", "Memory instructions a sub-partition may have waiting for the SM's load-store unit.", "", 1,
                4096},
          &LsuSpec::queue);
    visit(Field{"issue_per_clk", "Address generation of a sub-partition.", "instructions/clk"},
          &LsuSpec::issue_per_clk);
    visit(Field{"accept_per_clk", "Instructions the SM's load-store unit accepts.", "instructions/clk"},
          &LsuSpec::accept_per_clk);
  }
};

}  // namespace gpusim
