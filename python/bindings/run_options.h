// Run options as Python's keyword arguments.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "casters.h"
#include "gpusim/run_options.h"
#include "gpusim/schedule.h"

namespace bindings {

/// One, or several one after another.
using Schedules = std::variant<gpusim::Schedule, std::vector<gpusim::Schedule>>;

/// "warm", or {"A": "warm"}: buffers not named are cold.
using L2Before = std::variant<gpusim::L2State, std::map<std::string, gpusim::L2State>>;

[[nodiscard]] inline gpusim::RunOptions run_options(const L2Before& l2) {
  gpusim::RunOptions options;
  if (const auto* all = std::get_if<gpusim::L2State>(&l2)) options.l2 = *all;
  if (const auto* by_buffer = std::get_if<1>(&l2)) options.l2_by_buffer = *by_buffer;
  return options;
}

}  // namespace bindings
