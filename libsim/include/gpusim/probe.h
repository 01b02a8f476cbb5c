// Probes: published microbenchmarks, run on a simulated GPU and read as they are read on silicon.
//
//   const auto reading = gpusim::measure(profile, {"latency", {{"footprint", "1MiB"}}});
//   reading.quantities.front().value      // 213, in cycles
//
// A point is a kind of probe with its parameters as text; what is not given has a default. measure() generates the
// schedules (schedules/probes.h), runs them on a Gpu, and reads clocks as the benchmark would: over loops, after a
// warm-up, steady rates without the beginning and end of a grid. docs/probes.md describes each kind. Same point and
// profile, same reading.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpusim/error.h"
#include "gpusim/profile.h"

namespace gpusim {

struct ProbePoint {
  std::string kind;                               ///< "latency"
  std::map<std::string, std::string> parameters;  ///< {"footprint", "1MiB"}
  std::optional<std::int64_t> clock_mhz;          ///< SM clock; none: the profile's boost clock
};

struct ProbeQuantity {
  std::string name;
  double value = 0;
  std::string unit;
};

struct ProbeReading {
  ProbePoint point;  ///< resolved: every parameter with its value, and the clock
  std::vector<ProbeQuantity> quantities;

  /// Throws std::logic_error when there is none of that name.
  [[nodiscard]] double operator[](std::string_view name) const;
};

/// Runs one point. Throws ScheduleError: an unknown kind or parameter (with the nearest), a value that is none, or a
/// GPU that cannot, naming built-in ones that can.
[[nodiscard]] ProbeReading measure(const Profile& profile, const ProbePoint& point);
/// The same; nothing when `stop`, asked now and then, gave up.
[[nodiscard]] std::optional<ProbeReading> measure(const Profile& profile, const ProbePoint& point,
                                                  const std::function<bool()>& stop);

struct ProbeParameter {
  std::string name;
  std::string help;
  std::string otherwise;             ///< value when not given; "auto": the help says how it follows from the others
  std::vector<std::string> choices;  ///< words it may be; empty: a number, a size, or as the help says
  bool is_size = false;              ///< bytes, as "38MiB"
};

struct ProbeUnit {
  std::string name;
  std::string unit;
};

struct ProbeKind {
  std::string name;
  std::string title;
  std::string mirrors;  ///< the published benchmark it is like
  std::vector<ProbeParameter> parameters;
  std::vector<ProbeUnit> quantities;  ///< what a reading may hold; some have no value for some parameters
};

[[nodiscard]] const std::vector<ProbeKind>& probe_kinds();

/// The points of a curve: the kind's own, or over `overrides`, each parameter with the values it takes; all
/// combinations, the last parameter changing fastest. Throws ScheduleError for unknown names.
[[nodiscard]] std::vector<ProbePoint> sweep(const Profile& profile, std::string_view kind,
                                            const std::map<std::string, std::vector<std::string>>& overrides = {});

/// Bytes that a size stands for: "16KiB", "1.5MiB", "4096"; none when it is no size.
[[nodiscard]] std::optional<std::int64_t> probe_bytes(std::string_view size);

}  // namespace gpusim
