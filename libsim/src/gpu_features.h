// What some GPUs lack, and since when others have it: what a refusal says.
#pragma once

#include <string>
#include <string_view>

namespace gpusim {

struct Feature {
  std::string_view article;
  std::string_view name;
  std::string_view since;
};

inline constexpr Feature ldmatrix_feature{"", "ldmatrix", "which GPUs have from Turing (sm_75) on"};
inline constexpr Feature movm_feature{"", "MOVM", "which GPUs have from Turing (sm_75) on"};
inline constexpr Feature whole_lines_feature{"", "loads with .L2::128B", "which GPUs have from Turing (sm_75) on"};
inline constexpr Feature async_copy_feature{"", "asynchronous copies (cp.async)",
                                            "which GPUs have from Ampere (sm_80) on"};
inline constexpr Feature mbarrier_feature{"", "mbarriers", "which GPUs have from Ampere (sm_80) on"};
inline constexpr Feature tma_feature{"a ", "tensor memory accelerator", "which GPUs have from Hopper (sm_90) on"};
inline constexpr Feature cluster_feature{"", "CTA clusters", "which GPUs have from Hopper (sm_90) on"};
inline constexpr Feature wgmma_feature{"", "warp-group multiplies (wgmma)", "which Hopper (sm_90) has"};

/// "the GPU has no ldmatrix, which GPUs have from Turing (sm_75) on"
[[nodiscard]] inline std::string missing(const Feature& feature) {
  return "the GPU has no " + std::string(feature.name) + ", " + std::string(feature.since);
}
/// "needs ldmatrix, which GPUs have from Turing (sm_75) on"
[[nodiscard]] inline std::string needs(const Feature& feature) {
  return "needs " + std::string(feature.article) + std::string(feature.name) + ", " + std::string(feature.since);
}

}  // namespace gpusim
