// GEMMs that several tests build.
#pragma once

#include <vector>

#include "gpusim/schedules/gemm.h"

namespace gpusim::testing {

/// A pair of types and the shape of the instruction that multiplies them.
struct TensorTypes {
  DType input;
  DType accumulate;
  MmaShape instruction;
};

/// Those of the built-in profiles, each with an instruction some GPU has.
inline std::vector<TensorTypes> tensor_types() {
  return {{DType::fp16, DType::fp32, {16, 8, 16}}, {DType::fp16, DType::fp16, {16, 8, 8}},
          {DType::bf16, DType::fp32, {16, 8, 16}}, {DType::tf32, DType::fp32, {16, 8, 8}},
          {DType::fp16, DType::fp32, {16, 16, 4}}, {DType::fp32, DType::fp32, {4, 4, 4}}};
}

}  // namespace gpusim::testing
