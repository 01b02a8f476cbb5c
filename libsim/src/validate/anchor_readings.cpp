#include "validate/anchor_readings.h"

#include "gpusim/error.h"

namespace gpusim::validate {

double Readings::read(const Profile& profile, const ProbePoint& point, const std::string& name) {
  const Key key{profile.name, point.kind, point.parameters, point.clock_mhz.value_or(0)};
  auto found = known_.find(key);
  if (found == known_.end()) found = known_.emplace(key, measure_(profile, point)).first;
  std::string names;
  for (const ProbeQuantity& quantity : found->second.quantities) {
    if (quantity.name == name) return quantity.value;
    names += (names.empty() ? "" : ", ") + quantity.name;
  }
  throw InputError({Problem{"probe " + point.kind, "does not read '" + name + "'; it reads " + names}});
}

}  // namespace gpusim::validate
