// What the libraries' ways to share rows out have in common.
#pragma once

#include <cstdint>
#include <numeric>

#include "gpusim/dtype.h"
#include "sizes.h"

namespace gpusim::validate {

/// Elements of a lane's widest access that divide a row.
[[nodiscard]] inline int access_of(DType dtype, std::int64_t columns) {
  return static_cast<int>(std::gcd(columns, chunk_bytes / size_of(dtype)));
}

}  // namespace gpusim::validate
