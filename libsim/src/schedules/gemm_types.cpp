#include "schedules/gemm_types.h"

#include <algorithm>
#include <vector>

#include "schedules/gemm_plan.h"

namespace gpusim::schedules {
namespace {

bool ffma_can(DType input, DType accumulate) {
  return accumulate == DType::fp32 && (input == DType::fp32 || input == DType::fp16 || input == DType::bf16);
}

bool simt_can(const Profile& profile, DType input, DType accumulate) {
  return fma_can(profile, input, accumulate) ||
         (profile.pipes.dp4a && input == DType::int8 && accumulate == DType::int32);
}

/// With other sums than those asked for.
bool has_input(const Profile& profile, DType input) {
  return ffma_can(input, DType::fp32) || simt_can(profile, input, DType::int32) ||
         std::any_of(profile.tensor.modes.begin(), profile.tensor.modes.end(),
                     [&](const TensorModeSpec& mode) { return mode.input == input && is_storable(input); });
}

/// Types that products can have; a tensor mode of several shapes, or dense and sparse, once.
std::string types_there(const Profile& profile) {
  std::string text = "fp32, fp16 and bf16 with fp32 accumulation (simt)";
  if (profile.pipes.hfma2) text += ", fp16 with fp16 accumulation (simt)";
  if (profile.pipes.dp4a) text += ", int8 with int32 accumulation (simt)";
  std::vector<std::string> told;
  for (const TensorModeSpec& mode : profile.tensor.modes) {
    const std::string types = types_text(mode.input, mode.accumulate);
    if (!is_storable(mode.input) || std::find(told.begin(), told.end(), types) != told.end()) continue;
    told.push_back(types);
    text += ", " + types;
  }
  return text;
}

}  // namespace

std::string types_text(DType input, DType accumulate) {
  return std::string(name(input)) + " with " + std::string(name(accumulate)) + " accumulation";
}

bool fma_can(const Profile& profile, DType input, DType accumulate) {
  return ffma_can(input, accumulate) || (profile.pipes.hfma2 && input == DType::fp16 && accumulate == DType::fp16);
}

Problem no_product(const Profile& profile, DType input, DType accumulate) {
  const std::string there = "; there are " + types_there(profile);
  if (has_input(profile, input))
    return {"accumulate", "gpusim has no product of " + types_text(input, accumulate) + " on this GPU" + there};
  const std::string type(name(input));
  if (input == DType::fp64 || !is_storable(input))
    return {"dtype", "gpusim has no products of " + type + ", whatever the GPU multiplies" + there};
  return {"dtype", "this GPU does not multiply " + type + there};
}

std::vector<GemmVariant> variants(const Profile& profile, DType input, DType accumulate) {
  std::vector<GemmVariant> there;
  if (tensor_mode(profile, input, accumulate) != nullptr) {
    if (profile.tensor.wgmma && profile.tma && size_of(input) <= size_of(DType::tf32))
      there.push_back(GemmVariant::wgmma);
    if (profile.tma) there.push_back(GemmVariant::tma);
    if (profile.async_copy) there.push_back(GemmVariant::async);
    there.push_back(GemmVariant::tensor);
  }
  if (simt_can(profile, input, accumulate)) there.push_back(GemmVariant::simt);
  return there;
}

std::pair<DType, DType> default_dtypes(const Profile& profile) {
  if (tensor_mode(profile, DType::fp16, DType::fp32) != nullptr) return {DType::fp16, DType::fp32};
  return {DType::fp32, DType::fp32};
}

}  // namespace gpusim::schedules
