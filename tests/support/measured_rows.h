// Rows of measured products, for tests of what validate makes of them.
#pragma once

#include <cstdint>
#include <string>

#include "gpusim/dtype.h"
#include "gpusim/measured.h"
#include "gpusim/validate.h"

namespace gpusim::testing {

inline validate::MeasuredGemm measured_gemm(std::int64_t m, std::int64_t n, std::int64_t k, DType input,
                                            const std::string& source, const std::string& library = {}) {
  validate::MeasuredGemm row;
  row.m = m;
  row.n = n;
  row.k = k;
  row.input = input;
  row.source = source;
  row.library = library;
  return row;
}

}  // namespace gpusim::testing
