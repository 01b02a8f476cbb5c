// The anchors: every one can be run, and says truly what is input.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "gpusim/probe.h"
#include "gpusim/profile_io.h"
#include "validate/anchor_spec.h"

namespace gpusim::anchor_data_test {

using namespace gpusim::validate;

namespace {

/// Calls `look(anchor, check)` for every check.
template <class Look>
void for_each_check(Look look) {
  for (const AnchorSpec& anchor : all_anchors())
    for (const CheckSpec& check : anchor.checks) {
      CAPTURE(anchor.id);
      CAPTURE(check.gpu);
      CAPTURE(check.quantity);
      look(anchor, check);
    }
}

const ProbeKind* kind_named(const std::string& name) {
  const auto& kinds = probe_kinds();
  const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const ProbeKind& kind) { return kind.name == name; });
  return found == kinds.end() ? nullptr : &*found;
}

template <class Named>
bool has(const std::vector<Named>& all, const std::string& name) {
  return std::any_of(all.begin(), all.end(), [&](const Named& each) { return each.name == name; });
}

}  // namespace

TEST_CASE("every published anchor is there once, and eight of our own") {
  std::set<std::string> ids;
  for (const AnchorSpec& anchor : all_anchors()) CHECK(ids.insert(anchor.id).second);
  CHECK(ids.size() == 59 + 8);
}

TEST_CASE("a check is named once on its GPU") {
  std::set<std::string> names;
  for_each_check([&](const AnchorSpec& anchor, const CheckSpec& check) {
    CHECK(names.insert(anchor.id + check.gpu + ": " + check.quantity).second);
  });
}

TEST_CASE("every check has a GPU and a source") {
  for_each_check([](const AnchorSpec&, const CheckSpec& check) {
    CHECK(load_profile(check.gpu).name == check.gpu);
    CHECK_FALSE(check.source.empty());
  });
}

TEST_CASE("every check asks a probe for what it can read, or says why none can") {
  for_each_check([](const AnchorSpec&, const CheckSpec& check) {
    if (check.probe.empty()) {
      CHECK_FALSE(check.note.empty());
    } else if (check.probe != "matmul") {
      const ProbeKind* kind = kind_named(check.probe);
      REQUIRE(kind != nullptr);
      CHECK(has(kind->quantities, check.read));
      for (const auto& parameter : check.parameters) {
        CAPTURE(parameter.first);
        CHECK(has(kind->parameters, parameter.first));
      }
      for (const auto& [name, value] : check.against) CHECK(has(kind->parameters, name));
    }
  });
}

TEST_CASE("input is only what a profile says it took from a measurement") {
  for_each_check([](const AnchorSpec&, const CheckSpec& check) {
    if (check.input.empty()) return;
    CAPTURE(check.input);
    const Profile profile = load_profile(check.gpu);
    const auto provenance = profile.provenance.find(check.input);
    REQUIRE(provenance != profile.provenance.end());
    const Method method = provenance->second.method;
    CHECK(std::set{Method::microbenchmark, Method::derived, Method::inherited, Method::fitted}.count(method) == 1);
  });
}

}  // namespace gpusim::anchor_data_test
