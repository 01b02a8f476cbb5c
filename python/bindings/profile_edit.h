// Changing a profile from Python: by the rules of gpusim::set, and only where it is the user's own.
#pragma once

#include <string>

#include "casters.h"
#include "gpusim/profile.h"

namespace bindings {

/// The profile of a Gpu or a Result: it says what was simulated, and so does not change.
struct FrozenProfile : gpusim::Profile {
  explicit FrozenProfile(const gpusim::Profile& profile) : gpusim::Profile(profile) {}
};

/// The profile in a Python object. Throws AttributeError when it is frozen.
[[nodiscard]] gpusim::Profile& changeable(const py::object& profile);

/// As `--set key=value` would: None is null, a Fraction is "1/4". Throws ProfileError.
void assign(const py::object& profile, const std::string& key, py::handle value);

/// Provenance of all below `from` in `source`, as that of all below `key`.
void copy_provenance(const gpusim::Profile& source, const std::string& from, gpusim::Profile& profile,
                     const std::string& key);

}  // namespace bindings
