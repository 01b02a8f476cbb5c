// Names under which tables have kernels.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gpusim/schedules/copy.h"
#include "gpusim/schedules/elementwise.h"

namespace gpusim::validate {

enum class KernelKind : std::uint8_t {
  copy,
  elementwise,
  reduce,
  transpose,
  softmax,
  layernorm,
  rmsnorm,
  attention,
  decode,
  none,  ///< known, and no schedule does it
};

/// What a name stands for.
struct KernelName {
  std::string_view name;
  KernelKind kind = KernelKind::none;
  schedules::StreamKind stream = schedules::StreamKind::copy;
  schedules::ElementwiseOperation operation = schedules::ElementwiseOperation::add;
  bool scalar = false;    ///< binary: the second operand is a constant
  bool gated = false;     ///< the function of one half of a row times the other
  bool squared = false;   ///< then the square of it
  bool residual = false;  ///< norms: X + R first
  bool causal = false;    ///< attention
  bool whole = false;     ///< reductions: of all elements, where the library is one that has both
};

/// Null when nobody knows it. Letters may be of either case.
[[nodiscard]] const KernelName* kernel_named(std::string_view name);

/// "; did you mean 'softmax'?", or what there is.
[[nodiscard]] std::string nearest_kernel(std::string_view name);

/// "elementwise"; of a kernel without a schedule its name.
[[nodiscard]] std::string kind_text(const KernelName& name);

/// `op` as tables have it, taken apart: "rms_norm fwd (liger)" is "rms_norm" of "liger", "relu(fwd,torch2.1)" is "relu"
/// of "torch2.1". A name that contains its brackets, as "mlp_act(SiluAndMul)", stays whole.
struct WrittenName {
  std::string name;
  std::string library;
};
[[nodiscard]] WrittenName take_apart(std::string_view op);

}  // namespace gpusim::validate
