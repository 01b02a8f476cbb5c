// docs/validation.md, as tests read it.
#pragma once

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace validation_page {

inline const std::string path = std::string(GPUSIM_SOURCE_DIR) + "/docs/validation.md";

inline std::string text() {
  std::ifstream stream(path);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// From a heading to the next of its level.
inline std::string section(const std::string& heading) {
  const std::string page = text();
  const std::size_t begin = page.find("\n## " + heading + "\n");
  REQUIRE(begin != std::string::npos);
  const std::size_t end = page.find("\n## ", begin + 1);
  return page.substr(begin, end == std::string::npos ? end : end - begin);
}

}  // namespace validation_page
