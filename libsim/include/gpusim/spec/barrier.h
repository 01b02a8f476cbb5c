#pragma once

#include "gpusim/spec/field.h"
#include "gpusim/units.h"

namespace gpusim {

/// Barriers within a CTA.
struct BarrierSpec {
  Cycles latency;
  Cycles per_warp;
  Cycles mbarrier_latency;

  template <class Visitor>
  static void fields(Visitor&& visit) {
    visit(Field{"latency", "bar.sync: last arrival counted to the next instruction of the waiting warps.", "cycles", 0,
                100'000},
          &BarrierSpec::latency);
    visit(Field{"per_warp", "bar.sync: counting one warp's arrival; W that arrive together take W times that.",
                "cycles", 0, 10'000},
          &BarrierSpec::per_warp);
    visit(Field{"mbarrier_latency", "Completion of an mbarrier phase to the waiting warp's next instruction.", "cycles",
                0, 100'000},
          &BarrierSpec::mbarrier_latency);
  }
};

}  // namespace gpusim
