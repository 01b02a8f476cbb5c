// Which SM gets which CTA, and when.
#include <doctest/doctest.h>

#include <vector>

#include "fabric/dispatcher.h"

namespace gpusim::fabric_dispatcher_test {

using fabric::Assignment;
using fabric::Dispatcher;

namespace {

constexpr Cycles cta_start{5};

fabric::FabricConfig three_sms() {
  fabric::FabricConfig config;
  config.topology.sms = 3;
  config.border.cta_start = cta_start;
  config.dispatch_rate = Rate::unlimited();
  return config;
}

std::vector<std::int32_t> sms_of(const std::vector<Assignment>& assignments) {
  std::vector<std::int32_t> sms;
  for (const Assignment& assignment : assignments) sms.push_back(assignment.sm);
  return sms;
}

}  // namespace

TEST_CASE("CTAs go to the SMs in turn, one each, until all places are taken") {
  Dispatcher dispatcher(three_sms());
  const auto first = dispatcher.begin({10, 2}, Cycle(100));
  CHECK(sms_of(first) == std::vector<std::int32_t>{0, 1, 2, 0, 1, 2});
  for (std::size_t i = 0; i < first.size(); ++i) {
    CHECK(first[i].cta == static_cast<std::int64_t>(i));
    CHECK(first[i].start == Cycle(100) + cta_start);
  }
  CHECK(dispatcher.started() == 6);
  CHECK(dispatcher.done() == 0);
}

TEST_CASE("the last SM may come first") {
  fabric::FabricConfig config = three_sms();
  config.descending = true;
  CHECK(sms_of(Dispatcher(config).begin({4, 2}, Cycle(0))) == std::vector<std::int32_t>{2, 1, 0, 2});
}

TEST_CASE("fewer CTAs than places leave the later SMs empty") {
  CHECK(sms_of(Dispatcher(three_sms()).begin({2, 4}, Cycle(0))) == std::vector<std::int32_t>{0, 1});
}

TEST_CASE("the SM of a CTA that ended gets the next one") {
  Dispatcher dispatcher(three_sms());
  (void)dispatcher.begin({5, 1}, Cycle(0));
  std::vector<Assignment> next;
  dispatcher.ended(1, Cycle(50), next);
  REQUIRE(next.size() == 1);
  CHECK(next[0].sm == 1);
  CHECK(next[0].cta == 3);
  CHECK(next[0].start == Cycle(50) + cta_start);
}

TEST_CASE("when none is left an ended CTA is only counted") {
  Dispatcher dispatcher(three_sms());
  (void)dispatcher.begin({3, 1}, Cycle(0));
  std::vector<Assignment> next;
  for (const std::int32_t sm : {2, 0, 1}) dispatcher.ended(sm, Cycle(50), next);
  CHECK(next.empty());
  CHECK(dispatcher.done() == dispatcher.ctas());
}

TEST_CASE("a dispatcher of limited rate starts one CTA after another") {
  fabric::FabricConfig config = three_sms();
  config.dispatch_rate = Rate::one_every(4);
  const auto first = Dispatcher(config).begin({3, 1}, Cycle(0));
  for (std::int64_t i = 0; i < 3; ++i) CHECK(first[static_cast<std::size_t>(i)].start == Cycle(4 * i) + cta_start);
}

TEST_CASE("the next kernel begins with its first CTA on empty SMs") {
  Dispatcher dispatcher(three_sms());
  (void)dispatcher.begin({2, 1}, Cycle(0));
  std::vector<Assignment> next;
  dispatcher.ended(0, Cycle(10), next);
  dispatcher.ended(1, Cycle(11), next);
  const auto second = dispatcher.begin({3, 2}, Cycle(20));
  CHECK(sms_of(second) == std::vector<std::int32_t>{0, 1, 2});
  CHECK(second[0].cta == 0);
  CHECK(dispatcher.done() == 0);
}

}  // namespace gpusim::fabric_dispatcher_test
