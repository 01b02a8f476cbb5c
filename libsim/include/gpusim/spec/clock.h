#pragma once

#include <cstdint>

#include "gpusim/spec/field.h"
#include "gpusim/units.h"

namespace gpusim {

/// Clocks. The engine counts SM cycles; these turn cycles into time and other domains into cycles.
struct ClockSpec {
  std::int64_t boost_mhz = 1000;
  std::int64_t base_mhz = 1000;
  std::int64_t sustained_mhz = 1000;

  template <class Visitor>
  static void fields(Visitor&& visit) {
    visit(Field{"boost_mhz", "SM clock that peak rates are quoted at; --clock boost.", "MHz", 1, fastest_mhz},
          &ClockSpec::boost_mhz);
    visit(Field{"base_mhz", "SM clock the vendor guarantees; --clock base.", "MHz", 1, fastest_mhz},
          &ClockSpec::base_mhz);
    visit(Field{"sustained_mhz", "SM clock a long GEMM settles at under the board's power limit; --clock sustained.",
                "MHz", 1, fastest_mhz},
          &ClockSpec::sustained_mhz);
  }
};

}  // namespace gpusim
