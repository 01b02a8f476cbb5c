// Where the numbers of a profile come from.
#pragma once

#include <string>

#include "gpusim/profile.h"

namespace gpusim::profile_detail {

/// The provenance of a number; of one that a program set without saying, method `user` and "not stated".
[[nodiscard]] Provenance provenance_of(const Profile& profile, const std::string& key);

/// Marks what was measured on the GPU called `title`, or worked out for it, as inherited from it: for another that
/// takes it over.
void inherit_provenance(Profile& profile, const std::string& title);

/// Removes the provenance of every number below `key`.
void forget_provenance(Profile& profile, const std::string& key);

}  // namespace gpusim::profile_detail
