// A GPU that reads whatever a test says, and anchors about it.
#pragma once

#include <map>
#include <string>

#include "gpusim/profile_io.h"
#include "validate/anchor_check.h"
#include "validate/anchors.h"

namespace anchor_probe {

using namespace gpusim;
using namespace gpusim::validate;

/// A check of quantity "latency" that expects 100 cycles within 5 %.
inline CheckSpec check_of_100() {
  CheckSpec check;
  check.gpu = "rtx4090";
  check.quantity = "latency";
  check.unit = "cycles";
  check.source = "nobody";
  check.probe = "latency";
  check.read = "latency";
  check.expected = {100, 100};
  check.tolerance = {0.05, true, "5%"};
  return check;
}

/// Reads `function(point)` as quantity "latency".
template <class Function>
Measure reads(Function function) {
  return [function](const Profile&, const ProbePoint& point) {
    return ProbeReading{point, {{"latency", static_cast<double>(function(point)), "cycles"}}};
  };
}

/// The check on a GPU that reads so.
inline AnchorCheck run(const CheckSpec& check, Measure measure) {
  Readings readings(std::move(measure));
  return run_check(check, load_profile(check.gpu), readings);
}

}  // namespace anchor_probe
