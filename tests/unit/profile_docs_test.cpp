// docs/profiles.md against the code.
#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

#include "gpusim/profile_io.h"
#include "support/small_profile.h"

namespace gpusim::profile_docs_test {

using gpusim::test::contains;

namespace {

std::string manual() {
  std::ifstream stream(std::string(GPUSIM_SOURCE_DIR) + "/docs/profiles.md", std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// "tensor.modes.0.m" as the manual writes it: "tensor.modes.N.m".
std::string generic(std::string key) {
  const std::string list = "tensor.modes.";
  if (!key.starts_with(list)) return key;
  return list + "N" + key.substr(key.find('.', list.size()));
}

}  // namespace

TEST_CASE("the manual lists every field with unit and meaning") {
  const std::string text = manual();
  for (const ProfileEntry& line : entries(load_profile("hopper"))) {
    const std::string row = "| `" + generic(line.key) + "` | " + line.unit + " | " + line.doc + " |";
    CAPTURE(row);
    CHECK(contains(text, row));
  }
}

TEST_CASE("the manual lists every built-in profile") {
  const std::string text = manual();
  for (const ProfileName& names : list_profiles())
    CHECK(contains(text, "| `" + names.name + "` | " + names.title + " |"));
}

TEST_CASE("the profiles in the manual can be read") {
  const std::string text = manual();
  const std::string fence = "```json\n";
  std::size_t read = 0;
  for (std::size_t at = text.find(fence); at != std::string::npos; at = text.find(fence, at + 1), ++read) {
    const std::size_t begin = at + fence.size();
    CHECK_NOTHROW((void)parse_profile(text.substr(begin, text.find("```", begin) - begin), "docs/profiles.md"));
  }
  CHECK(read == 1);
}

}  // namespace gpusim::profile_docs_test
