// Where the CTAs of a kernel begin to have less of its arrays than those before them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gpusim/schedule.h"

namespace gpusim::machine {

/// CTAs from each of which on some access leaves its buffer, in a loop a trip earlier, or, in the next row of CTAs,
/// later: what of it lies outside is not asked for, though the instructions are run. None where a row of CTAs is at
/// most a `wave`: each has its share of those with less.
class StridedBorders {
 public:
  StridedBorders() = default;
  StridedBorders(const Schedule& schedule, std::int64_t wave);

  /// The next one's number, beyond `cta`; beyond the grid's last rows of CTAs there are more.
  [[nodiscard]] std::optional<std::int64_t> after(std::int64_t cta) const;

 private:
  std::int64_t row_ctas_ = 1;
  std::vector<std::int64_t> of_row_;  ///< ascending; where there are any, a row's first CTA is one, too
};

}  // namespace gpusim::machine
