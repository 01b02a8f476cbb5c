// Which fragments an operation needs, and which it leaves to others.
#pragma once

#include <vector>

#include "gpusim/program.h"

namespace gpusim::estimate {

struct Uses {
  std::vector<Token> reads;
  std::vector<Token> writes;
};
[[nodiscard]] Uses uses_of(const Action& action);

/// Operations that serial issue neither holds back nor waits for.
[[nodiscard]] bool exempt_from_serial(const Action& action);

/// Whether it is mma.sync.
[[nodiscard]] bool is_mma(const Action& action);

}  // namespace gpusim::estimate
