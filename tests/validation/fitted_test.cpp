// Fitted numbers are told.
#include <doctest/doctest.h>

#include "gpusim/profile_io.h"
#include "support/validation_page.h"

using namespace gpusim;

TEST_CASE("every fitted parameter of a profile is listed with what it was fitted on") {
  const std::string listed = validation_page::section("Fitted parameters");
  for (const ProfileName& names : list_profiles()) {
    CAPTURE(names.name);
    for (const ProfileEntry& entry : entries(load_profile(names.name))) {
      if (entry.provenance.method != Method::fitted) continue;
      CAPTURE(entry.key);
      CHECK(listed.find("`" + entry.key + "`") != std::string::npos);
    }
  }
}
