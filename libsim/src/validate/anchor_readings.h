// What the simulated GPUs' probes read, each point measured once.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <tuple>

#include "gpusim/probe.h"
#include "gpusim/profile.h"

namespace gpusim::validate {

using Measure = std::function<ProbeReading(const Profile&, const ProbePoint&)>;

class Readings {
 public:
  explicit Readings(Measure measure) : measure_(std::move(measure)) {}

  /// The quantity `name` at a point. Throws what the probe throws, and InputError naming what the probe does read.
  double read(const Profile& profile, const ProbePoint& point, const std::string& name);

 private:
  using Key = std::tuple<std::string, std::string, std::map<std::string, std::string>, std::int64_t>;

  Measure measure_;
  std::map<Key, ProbeReading> known_;
};

}  // namespace gpusim::validate
