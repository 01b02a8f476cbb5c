// Lists of pairs, which Python sees as dict in the same order.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "casters.h"

namespace bindings {

[[nodiscard]] inline py::dict dict_of(const std::vector<std::pair<std::string, std::string>>& pairs) {
  py::dict dict;
  for (const auto& [key, value] : pairs) dict[py::str(key)] = value;
  return dict;
}

}  // namespace bindings
