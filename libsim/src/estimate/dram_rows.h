// How DRAM's rows hold parts of a matrix' rows.
#pragma once

#include <cstdint>

#include "gpusim/profile.h"

namespace gpusim::estimate {

/// Rows of a matrix, `pitch` bytes apart, whose parts at one column are together in a row of DRAM, by the dealing of
/// stripes to slices and of lines to channels and banks that the fabric has; 1 where each is in a row of its own.
[[nodiscard]] double rows_together(std::int64_t pitch, const Profile& profile);

}  // namespace gpusim::estimate
