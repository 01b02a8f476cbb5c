#include "validate/kernel_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "gpusim/error.h"
#include "validate/measured_table.h"

namespace gpusim::validate {
namespace {

using Operation = schedules::ElementwiseOperation;
using schedules::StreamKind;

constexpr KernelName stream_name(std::string_view name, StreamKind kind) {
  return {.name = name, .kind = KernelKind::copy, .stream = kind};
}
constexpr KernelName element_name(std::string_view name, Operation operation, bool scalar = false, bool gated = false) {
  return {.name = name, .kind = KernelKind::elementwise, .operation = operation, .scalar = scalar, .gated = gated};
}
constexpr KernelName row_name(std::string_view name, KernelKind kind, bool residual = false) {
  return {.name = name, .kind = kind, .residual = residual};
}

constexpr KernelName whole_name(std::string_view name) {
  KernelName named = row_name(name, KernelKind::reduce);
  named.whole = true;
  return named;
}
constexpr KernelName attention_name(std::string_view name, bool causal) {
  return {.name = name, .kind = KernelKind::attention, .causal = causal};
}
constexpr KernelName no_schedule(std::string_view name) { return {.name = name}; }

constexpr std::array kernel_names{
    stream_name("read", StreamKind::read),
    stream_name("write", StreamKind::write),
    stream_name("copy", StreamKind::copy),
    stream_name("scale", StreamKind::scale),
    stream_name("triad", StreamKind::triad),
    element_name("add", Operation::add),
    element_name("elementwise_add", Operation::add),
    element_name("sub", Operation::subtract),
    element_name("subtract", Operation::subtract),
    element_name("mul", Operation::multiply),
    element_name("multiply", Operation::multiply),
    element_name("div", Operation::divide),
    element_name("divide", Operation::divide),
    element_name("pow", Operation::power),
    element_name("power", Operation::power),
    element_name("addu", Operation::add, true),
    element_name("subu", Operation::subtract, true),
    element_name("mulu", Operation::multiply, true),
    element_name("divu", Operation::divide, true),
    element_name("powu", Operation::power, true),
    element_name("relu", Operation::relu),
    KernelName{.name = "relu_squared", .kind = KernelKind::elementwise, .operation = Operation::relu, .squared = true},
    element_name("gelu", Operation::gelu),
    element_name("silu", Operation::silu),
    element_name("tanh", Operation::tanh),
    element_name("exp", Operation::exp),
    element_name("cast", Operation::cast),
    element_name("quantize_bf16_to_fp8_static", Operation::cast),
    element_name("mlp_act", Operation::gelu),
    element_name("mlp_act(siluandmul)", Operation::silu, false, true),
    element_name("silu_and_mul", Operation::silu, false, true),
    element_name("gelu_and_mul", Operation::gelu, false, true),
    element_name("megatron_swiglu", Operation::silu, false, true),
    row_name("reduce", KernelKind::reduce),
    row_name("reduce_sum", KernelKind::reduce),
    row_name("rowsum", KernelKind::reduce),
    whole_name("sum"),
    row_name("transpose", KernelKind::transpose),
    row_name("softmax", KernelKind::softmax),
    row_name("ln", KernelKind::layernorm),
    row_name("layernorm", KernelKind::layernorm),
    row_name("layer_norm", KernelKind::layernorm),
    row_name("rmsnorm", KernelKind::rmsnorm),
    row_name("rms_norm", KernelKind::rmsnorm),
    row_name("megatron_rms_norm", KernelKind::rmsnorm),
    row_name("input_layernorm", KernelKind::rmsnorm),
    row_name("fused_add_rms_norm", KernelKind::rmsnorm, true),
    attention_name("attention", false),
    attention_name("attention_prefill", false),
    attention_name("attention_causal", true),
    attention_name("attention_prefill_causal", true),
    row_name("decode", KernelKind::decode),
    row_name("attention_decode", KernelKind::decode),
    no_schedule("embedding"),
    no_schedule("rope"),
    no_schedule("cross_entropy"),
    no_schedule("geglu"),
    no_schedule("swiglu"),
    no_schedule("sgemv"),
};

std::string lower(std::string_view text) {
  std::string small(text);
  std::transform(small.begin(), small.end(), small.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return small;
}

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(' ') + 1 - first));
}

/// What says that it is the forward pass, which all of them are.
constexpr std::string_view forward = "fwd";

/// Without a first or last word "fwd".
std::string without_forward(std::string text) {
  if (text.starts_with(std::string(forward) + ",")) return trimmed(text.substr(forward.size() + 1));
  if (text.ends_with(" " + std::string(forward))) return trimmed(text.substr(0, text.size() - forward.size()));
  return text;
}

}  // namespace

const KernelName* kernel_named(std::string_view name) {
  const std::string wanted = lower(name);
  const auto* const found = std::find_if(kernel_names.begin(), kernel_names.end(),
                                         [&](const KernelName& each) { return each.name == wanted; });
  return found == kernel_names.end() ? nullptr : found;
}

std::string nearest_kernel(std::string_view name) {
  std::vector<std::string_view> names;
  names.reserve(kernel_names.size());
  for (const KernelName& each : kernel_names) names.push_back(each.name);
  std::string near = did_you_mean(lower(name), names);
  if (!near.empty()) return near;
  std::string list;
  for (const std::string_view each : names) list += (list.empty() ? "" : ", ") + std::string(each);
  return " (there are " + list + ")";
}

std::string kind_text(const KernelName& name) {
  switch (name.kind) {
    case KernelKind::copy:
      return "copy";
    case KernelKind::elementwise:
      return "elementwise";
    case KernelKind::reduce:
      return "reduce";
    case KernelKind::transpose:
      return "transpose";
    case KernelKind::softmax:
      return "softmax";
    case KernelKind::layernorm:
      return "layernorm";
    case KernelKind::rmsnorm:
      return "rmsnorm";
    case KernelKind::attention:
      return "attention";
    case KernelKind::decode:
      return "decode";
    case KernelKind::none:
      break;
  }
  return std::string(name.name);
}

WrittenName take_apart(std::string_view op) {
  const std::string whole = trimmed(op);
  if (kernel_named(whole) != nullptr) return {whole, ""};
  const std::size_t open = whole.find('(');
  if (open != std::string::npos && whole.ends_with(')')) {
    const std::string inside = trimmed(whole.substr(open + 1, whole.size() - open - 2));
    const std::string before = without_forward(trimmed(whole.substr(0, open)));
    // "reduce_sum 2^30 (cub)": the first word is the name.
    return {before.substr(0, before.find(' ')), without_forward(inside)};
  }
  // "reduce_sum reduce0", "elementwise_add float4": the first word is the name.
  const std::size_t blank = whole.find(' ');
  if (blank == std::string::npos) return {whole, ""};
  return {whole.substr(0, blank), trimmed(whole.substr(blank))};
}

}  // namespace gpusim::validate
