// What people call GPUs: "NVIDIA A100-SXM4-80GB", "a100 sxm 80 GB" and "A100SXM480GB" are one name.
#pragma once

#include <string>
#include <string_view>

namespace gpusim::profile_detail {

/// A name taken apart, in lower case: which GPU, on what board, with how much memory. Spaces, hyphens, underscores and
/// the words NVIDIA, GeForce, Tesla and Quadro are gone.
struct NameParts {
  std::string gpu;     ///< "a100", "rtx2080ti"
  std::string board;   ///< "sxm", "sxm4", "pcie"; "" when the name does not say
  std::string memory;  ///< "80" of "80GB"; "" when the name does not say
  bool operator==(const NameParts&) const = default;
};
[[nodiscard]] NameParts name_parts(std::string_view name);

/// Whether someone who asks for `asked` may mean the GPU called `name`: the same GPU, and nothing that contradicts.
[[nodiscard]] bool may_mean(const NameParts& asked, const NameParts& name);

}  // namespace gpusim::profile_detail
