// Fitted numbers are told.
#include <doctest/doctest.h>

#include <sstream>

#include "gpusim/profile_io.h"
#include "support/validation_page.h"

namespace gpusim::fitted_test {

namespace {

/// Whether a row of the table has the parameter with this value, in the second column.
bool is_listed(const std::string& table, const ProfileEntry& entry) {
  std::istringstream rows(table);
  for (std::string row; std::getline(rows, row);) {
    const std::size_t second = row.find(" | ");
    if (row.starts_with("| `" + entry.key + "`") && second != std::string::npos &&
        row.compare(second, entry.value.size() + 4, " | " + entry.value + " ") == 0)
      return true;
  }
  return false;
}

}  // namespace

TEST_CASE("every fitted parameter of a profile is listed with its value and what it was fitted on") {
  const std::string listed = validation_page::section("Fitted parameters");
  for (const ProfileName& names : list_profiles()) {
    CAPTURE(names.name);
    for (const ProfileEntry& entry : entries(load_profile(names.name))) {
      if (entry.provenance.method != Method::fitted) continue;
      CAPTURE(entry.key);
      CAPTURE(entry.value);
      CHECK(is_listed(listed, entry));
    }
  }
}

}  // namespace gpusim::fitted_test
