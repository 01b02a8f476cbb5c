// What a generator refuses.
#pragma once

#include <string>
#include <vector>

#include "gpusim/error.h"

namespace gpusim::testing {

/// Where the problems are that `generate` throws; none when it does not.
template <class Generate>
[[nodiscard]] std::vector<std::string> refused(Generate generate) {
  try {
    static_cast<void>(generate());
  } catch (const ScheduleError& error) {
    std::vector<std::string> where;
    for (const Problem& problem : error.problems()) where.push_back(problem.where);
    return where;
  }
  return {};
}

}  // namespace gpusim::testing
