// What the board may draw, as Python says it.
#pragma once

#include <functional>
#include <limits>

#include "given.h"
#include "gpusim/error.h"
#include "watch.h"

namespace bindings {

/// A number of watts, or the user's function of microseconds, which must outlive what is returned.
[[nodiscard]] inline std::function<double(double us)> allowed_watts(const py::object& given, Watch& watch) {
  if (given.is_none()) return {};
  if (PyCallable_Check(given.ptr()) == 0) {
    const auto watts = taken<double>(given, "watts");
    if (!(watts > 0)) throw gpusim::ScheduleError({gpusim::Problem{"watts", "must be a number above 0"}});
    return [watts](double) { return watts; };
  }
  return [&given, &watch](double us) {
    double watts = std::numeric_limits<double>::infinity();
    watch.call([&] { watts = taken<double>(given(us), "watts"); });
    return watts;
  };
}

}  // namespace bindings
