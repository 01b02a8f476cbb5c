// A profile as lines: for listings, digests and differences.
#include <algorithm>
#include <cstdint>

#include "gpusim/profile_io.h"
#include "profile/provenance.h"
#include "profile/value_text.h"
#include "profile/walk.h"

namespace gpusim {
namespace profile_detail {
namespace {

struct Lister {
  const Profile& profile;
  std::vector<ProfileEntry> lines;

  template <class T>
  void leaf(const std::string& key, const Field& field, const T& value) {
    ProfileEntry line{key, to_text(value), std::string(field.unit), std::string(field.doc), {}};
    if constexpr (Number<T>) line.provenance = provenance_of(profile, key);
    lines.push_back(std::move(line));
  }
  /// What a GPU lacks is a line of its own: it changes results like a number does.
  template <class T>
  void branch(const std::string& key, const Field& field, const T& value) {
    bool is_absent = false;
    if constexpr (OptionalGroup<T>) {
      is_absent = !value.has_value();
    } else {
      is_absent = value.empty();
    }
    if (is_absent) lines.push_back({key, "null", "", std::string(field.doc), {}});
  }
};

/// FNV-1a over bytes, so that the result is the same on every machine.
class Hash {
 public:
  void add(std::string_view text) {
    for (const char letter : text) {
      state_ ^= static_cast<unsigned char>(letter);
      state_ *= 0x100000001B3U;
    }
  }
  [[nodiscard]] std::uint64_t state() const { return state_; }

 private:
  std::uint64_t state_ = 0xCBF29CE484222325U;
};

}  // namespace
}  // namespace profile_detail

std::vector<ProfileEntry> entries(const Profile& profile) {
  profile_detail::Lister lister{profile, {}};
  profile_detail::walk(profile, "", lister);
  return std::move(lister.lines);
}

std::uint64_t digest(const Profile& profile) {
  profile_detail::Hash hash;
  for (const ProfileEntry& line : entries(profile)) {
    hash.add(line.key);
    hash.add("=");
    hash.add(line.value);
    hash.add("\n");
  }
  return hash.state();
}

std::vector<ProfileDifference> diff(const Profile& left, const Profile& right) {
  std::vector<ProfileDifference> differences;
  std::vector<ProfileEntry> others = entries(right);
  for (const ProfileEntry& line : entries(left)) {
    const auto other =
        std::find_if(others.begin(), others.end(), [&](const auto& each) { return each.key == line.key; });
    if (other == others.end()) {
      differences.push_back({line.key, line.unit, line.value, ""});
      continue;
    }
    if (other->value != line.value) differences.push_back({line.key, line.unit, line.value, other->value});
    others.erase(other);
  }
  for (const ProfileEntry& line : others) differences.push_back({line.key, line.unit, "", line.value});
  return differences;
}

}  // namespace gpusim
