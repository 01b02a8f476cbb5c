#include "profile/provenance.h"

namespace gpusim::profile_detail {

Provenance provenance_of(const Profile& profile, const std::string& key) {
  const auto entry = profile.provenance.find(key);
  if (entry == profile.provenance.end()) return {Method::user, "not stated"};
  return entry->second.source.empty() ? Provenance{entry->second.method, "not stated"} : entry->second;
}

void inherit_provenance(Profile& profile, const std::string& title) {
  for (auto& [key, provenance] : profile.provenance) {
    const bool of_that_gpu = provenance.method == Method::microbenchmark || provenance.method == Method::derived ||
                             provenance.method == Method::fitted;
    if (of_that_gpu) provenance = {Method::inherited, title + ", the same die: " + provenance.source};
  }
}

void forget_provenance(Profile& profile, const std::string& key) {
  const std::string prefix = key + ".";
  auto entry = profile.provenance.lower_bound(prefix);
  while (entry != profile.provenance.end() && entry->first.starts_with(prefix)) entry = profile.provenance.erase(entry);
}

}  // namespace gpusim::profile_detail
