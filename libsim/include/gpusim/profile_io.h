// Profiles to and from text.
//
// In JSON every number is an object {"value": 285, "method": "microbenchmark", "source": "..."}; "unlimited" may stand
// for the value of any rate, capacity or count that Limited or Rate allows; sizes may be written "72MiB". A file may
// name a "base" profile and then gives only what differs. Unknown keys, wrong types and values outside a field's bounds
// are refused, all at once, each with file, JSON pointer and the nearest known key.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpusim/error.h"
#include "gpusim/profile.h"

namespace gpusim {

/// A profile by name, or by the path of a JSON file (anything that ends in ".json" or contains "/"). A name is that of
/// a built-in profile or an alias, or what else its GPU is called: case, spaces, hyphens and the words NVIDIA, GeForce,
/// Tesla and Quadro do not matter, and board (SXM, SXM4, PCIe) and memory (80GB) may be left out where one profile
/// fits: "ada", "RTX 4090", "H200", "NVIDIA A100-SXM4-80GB". Throws ProfileError, also for a name that may mean
/// several.
[[nodiscard]] Profile load_profile(std::string_view name_or_path);

/// The same. To `files` are added those it reads, a file before its base, each as it was named or found beside what
/// names it; none for a built-in profile.
[[nodiscard]] Profile load_profile(std::string_view name_or_path, std::vector<std::string>& files);

/// A profile from JSON text; `origin` names it in errors. A "base" may be a built-in name, or a path relative to
/// `origin`'s folder. Throws ProfileError; refuses more than 4 MiB or 64 levels.
[[nodiscard]] Profile parse_profile(std::string_view text, std::string_view origin);

/// The complete profile (base resolved, every field and source) as JSON text ending with a newline.
[[nodiscard]] std::string to_json(const Profile& profile);

/// Changes one number: "l2.capacity=6MiB", "tensor.modes.0.latency=20", "l2=null". Method becomes `user`. Throws
/// ProfileError naming the nearest key, the expected form, or the bound.
void set(Profile& profile, std::string_view assignment);

/// What is wrong with the profile as a whole (a CTA limit beyond the SM's, more channels than slices can share, ...).
[[nodiscard]] std::vector<Problem> check(const Profile& profile);

/// One line of a profile: dotted key, value as text, and the source.
struct ProfileEntry {
  std::string key;
  std::string value;
  std::string unit;
  std::string doc;
  Provenance provenance;
};
/// Every leaf of the profile, in the order of its fields.
[[nodiscard]] std::vector<ProfileEntry> entries(const Profile& profile);

/// A key whose value differs between two profiles; "" where a profile has no such key.
struct ProfileDifference {
  std::string key;
  std::string unit;
  std::string left;
  std::string right;
};
/// Where two profiles differ in value, whatever the sources; empty exactly when their digests are equal.
[[nodiscard]] std::vector<ProfileDifference> diff(const Profile& left, const Profile& right);

/// A built-in profile's names, for listings.
struct ProfileName {
  std::string name;
  std::string title;
  std::string architecture;
  std::vector<std::string> aliases;
};
/// The built-in profiles, by name.
[[nodiscard]] std::vector<ProfileName> list_profiles();

/// A GPU that people ask for by name and that will have no profile.
struct OutOfScope {
  std::string name;     ///< "P100"
  std::string title;    ///< "NVIDIA Tesla P100"
  std::string reason;   ///< a clause
  std::string nearest;  ///< the built-in profile to take instead
};
/// The GPUs that are out of scope. load_profile() refuses them with the reason.
[[nodiscard]] std::vector<OutOfScope> list_out_of_scope();
/// The one that `name` means, by the rules of load_profile(), or nothing.
[[nodiscard]] std::optional<OutOfScope> find_out_of_scope(std::string_view name);

/// JSON Schema (draft 2020-12) of profile files, as text.
[[nodiscard]] std::string profile_schema();

/// Same numbers, same digest, whatever their sources.
[[nodiscard]] std::uint64_t digest(const Profile& profile);

}  // namespace gpusim
