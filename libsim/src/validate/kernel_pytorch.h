// How PyTorch's eager mode shares rows and arrays out to threads, and what its code has beside the arithmetic.
// Structure is from its sources (aten/src/ATen/native/cuda); instructions are counted along a warp's way in what the
// libraries of PyTorch 2.11 have for sm_90.
#pragma once

#include <cstdint>

#include "gpusim/dtype.h"
#include "gpusim/profile.h"
#include "gpusim/schedules/copy.h"
#include "gpusim/schedules/layernorm.h"
#include "gpusim/schedules/reduce.h"
#include "gpusim/schedules/softmax.h"
#include "gpusim/schedules/transpose.h"

namespace gpusim::validate {

/// Four elements a thread, in one access each (CUDALoops.cuh).
[[nodiscard]] schedules::StreamTiling pytorch_stream(std::int64_t elements);
/// The same since 2.7 (pytorch@002a567): eight elements a thread, 16 bytes at a time at most.
[[nodiscard]] schedules::StreamTiling pytorch_stream_of_eight(DType widest, std::int64_t elements);
/// Copies between tensors of any strides: an element of four bytes or more a thread twice, of fewer four times.
[[nodiscard]] schedules::TransposeTiling pytorch_transpose(DType dtype);

/// `rows` numbers, each of `columns` neighbours (Reduce.cuh).
[[nodiscard]] schedules::ReduceTiling pytorch_reduce(const Profile& profile, DType dtype, std::int64_t rows,
                                                     std::int64_t columns);

/// Which of its softmax kernels there are.
enum class PytorchSoftmax : std::uint8_t {
  blocks,     ///< before 2.4: rows of more than 1024 elements go three times through the caches
  shared,     ///< from 2.4 on: or into shared memory
  registers,  ///< from 2.7 on (pull request 144679): or into a CTA's registers; a warp has up to 2048
};
[[nodiscard]] schedules::SoftmaxTiling pytorch_softmax(PytorchSoftmax kernels, const Profile& profile, DType dtype,
                                                       std::int64_t columns);

/// Layer norm (layer_norm_kernel.cu): four warps a row, four elements a thread at a time, Welford's running mean, and
/// the row read again; rows that are no multiple of four by another kernel, an element at a time.
[[nodiscard]] schedules::NormTiling pytorch_norm(const Profile& profile, DType dtype, std::int64_t columns);

}  // namespace gpusim::validate
