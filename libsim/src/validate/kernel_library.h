// How libraries share rows and arrays out to threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "gpusim/dtype.h"
#include "gpusim/profile.h"
#include "gpusim/schedules/copy.h"
#include "gpusim/schedules/layernorm.h"
#include "gpusim/schedules/reduce.h"
#include "gpusim/schedules/softmax.h"

namespace gpusim::validate {

/// Whose kernels they are.
enum class KernelLibrary : std::uint8_t {
  pytorch,      ///< its eager mode, from 2.4 on
  pytorch_2_7,  ///< from 2.7 on: eight elements a thread, not four; softmax has rows in registers
  pytorch_2_3,  ///< and before: softmax of long rows is another kernel
  triton,       ///< kernels of a program a row or block, as Liger's and torch.compile's
  vllm,         ///< norms and gated activations by a CTA a token, an element a thread at a time; else as PyTorch
  tensorrt,     ///< TensorRT-LLM's: attention after a kernel that prepares queries, keys and values
  flash2,       ///< FlashAttention-2 where there is a newer one, too; else as PyTorch
  unfused,      ///< PyTorch's eager mode, one kernel for each operation of a formula
  trees,        ///< the steps of M. Harris' "Optimizing Parallel Reduction in CUDA": a tree in shared memory
};

/// By what the table says of who wrote it, and where it was measured.
[[nodiscard]] KernelLibrary kernel_library(std::string_view written_by, std::string_view source);

/// Whether the sum in front of a norm has a kernel of its own, PyTorch's, although whose norm it is has one that adds.
[[nodiscard]] bool adds_apart(std::string_view written_by);

/// "PyTorch"
[[nodiscard]] std::string_view name(KernelLibrary library);

/// One of those steps, "reduce0" to "reduce3": elements of a CTA's part, and how its threads bring them together.
struct TreeReduction {
  std::int64_t columns = 0;
  schedules::ReduceTiling tiling;
};
[[nodiscard]] TreeReduction tree_reduction(std::string_view written_by);

/// What clears a number that kernels after it add to: a memset, taken for a kernel of one warp.
[[nodiscard]] Schedule cleared_number(std::string_view buffer);

/// `widest` is the wider of the types of operands and result.
[[nodiscard]] schedules::StreamTiling stream_tiling(KernelLibrary library, DType widest, std::int64_t elements,
                                                    std::int64_t columns);
[[nodiscard]] schedules::SoftmaxTiling softmax_tiling(KernelLibrary library, const Profile& profile, DType dtype,
                                                      std::int64_t columns);
[[nodiscard]] schedules::NormTiling norm_tiling(KernelLibrary library, const Profile& profile, schedules::NormKind norm,
                                                DType dtype, std::int64_t columns);

}  // namespace gpusim::validate
