// Clusters: where their CTAs start, and what crosses between their SMs.
#include <doctest/doctest.h>

#include <map>
#include <set>
#include <vector>

#include "fabric/clusters.h"
#include "fabric/dispatcher.h"

namespace gpusim::fabric_clusters_test {

using fabric::Assignment;
using fabric::Clusters;
using fabric::Dispatcher;
using fabric::FabricConfig;

namespace {

constexpr Cycles cta_start{5};
constexpr Cycles tpc{80}, cpc{90}, gpc{100};

/// Two SMs a TPC, one TPC a CPC, two CPCs a GPC, two GPCs: SMs 0, 1, 4, 5 in GPC 0 and 2, 3, 6, 7 in GPC 1.
FabricConfig eight_sms() {
  FabricConfig config;
  config.topology = {8, 2, 2, 1, 1};
  config.border.cta_start = cta_start;
  config.dispatch_rate = Rate::unlimited();
  config.cluster = {tpc, cpc, gpc, Rate::unlimited(), Rate::unlimited(), Cycles(150), Cycles(40)};
  return config;
}

Request of_peer(std::int32_t from, std::int32_t to, RequestKind kind = RequestKind::peer_read) {
  Request request;
  request.sm = from;
  request.peer = to;
  request.peer_bytes = 128;
  request.kind = kind;
  return request;
}

Cycles latency(std::int32_t from, std::int32_t to) {
  return Clusters(eight_sms()).access(of_peer(from, to), Cycle(100)).last - Cycle(100);
}

}  // namespace

TEST_CASE("the CTAs of a cluster start on one GPC, each on an SM of its own, clusters on the GPCs in turn") {
  Dispatcher dispatcher(eight_sms());
  const auto assignments = dispatcher.begin({16, 1, 4}, Cycle(0));
  REQUIRE(assignments.size() == 8);
  for (std::size_t i = 0; i < 8; ++i) {
    CHECK(assignments[i].cta == static_cast<std::int64_t>(i));
    CHECK(assignments[i].start == Cycle(0) + cta_start);
  }
  for (const std::size_t first : {0, 4}) {
    std::set<std::int32_t> sms;
    for (std::size_t i = first; i < first + 4; ++i) sms.insert(assignments[i].sm);
    CHECK(sms == (first == 0 ? std::set<std::int32_t>{0, 1, 4, 5} : std::set<std::int32_t>{2, 3, 6, 7}));
  }
}

TEST_CASE("every CTA of a cluster knows the SMs of all, by rank") {
  Dispatcher dispatcher(eight_sms());
  for (const Assignment& assignment : dispatcher.begin({4, 1, 4}, Cycle(0)))
    CHECK(assignment.cluster_sms[static_cast<std::size_t>(assignment.cta % 4)] == assignment.sm);
}

TEST_CASE("a pair of CTAs starts on one TPC") {
  Dispatcher dispatcher(eight_sms());
  const auto assignments = dispatcher.begin({2, 1, 2}, Cycle(0));
  REQUIRE(assignments.size() == 2);
  CHECK(assignments[0].sm / 2 == assignments[1].sm / 2);
}

TEST_CASE("CTAs of a cluster do not share an SM while another has room") {
  Dispatcher dispatcher(eight_sms());
  std::set<std::int32_t> sms;
  for (const Assignment& assignment : dispatcher.begin({4, 4, 4}, Cycle(0))) sms.insert(assignment.sm);
  CHECK(sms.size() == 4);
}

TEST_CASE("a cluster larger than the GPC's SMs shares them") {
  Dispatcher dispatcher(eight_sms());
  const auto assignments = dispatcher.begin({8, 2, 8}, Cycle(0));
  REQUIRE(assignments.size() == 8);
  std::map<std::int32_t, int> ctas;
  for (const Assignment& assignment : assignments) ++ctas[assignment.sm];
  CHECK(ctas == std::map<std::int32_t, int>{{0, 2}, {1, 2}, {4, 2}, {5, 2}});
}

TEST_CASE("the next cluster starts when its GPC has room for all of it") {
  Dispatcher dispatcher(eight_sms());
  (void)dispatcher.begin({12, 1, 4}, Cycle(0));
  std::vector<Assignment> next;
  for (const std::int32_t sm : {0, 1, 4}) dispatcher.ended(sm, Cycle(50), next);
  CHECK(next.empty());
  dispatcher.ended(5, Cycle(60), next);
  REQUIRE(next.size() == 4);
  for (const Assignment& assignment : next) CHECK(assignment.start == Cycle(60) + cta_start);
}

TEST_CASE("an access takes the latency of the way to the other SM") {
  CHECK(latency(0, 1) == tpc);
  CHECK(latency(0, 4) == gpc);  // another CPC
  FabricConfig config = eight_sms();
  config.topology.tpcs_per_cpc = 2;
  CHECK(Clusters(config).access(of_peer(0, 4), Cycle(0)).last == Cycle(0) + cpc);
}

TEST_CASE("an SM's shared memory gives to others at its rate, whoever asks, and takes at another") {
  FabricConfig config = eight_sms();
  config.cluster.read_rate = Rate::per_cycle(32);
  Clusters clusters(config);
  constexpr std::int64_t cycles_an_access = 128 / 32;
  CHECK(clusters.access(of_peer(0, 1), Cycle(0)).last == Cycle(0) + tpc + Cycles(cycles_an_access - 1));
  CHECK(clusters.access(of_peer(5, 1), Cycle(0)).last == Cycle(0) + gpc + Cycles(2 * cycles_an_access - 1));
  CHECK(clusters.access(of_peer(0, 1, RequestKind::peer_write), Cycle(0)).last == Cycle(0) + tpc);
}

TEST_CASE("a read brings its bytes back, a write none") {
  Clusters clusters(eight_sms());
  CHECK(clusters.access(of_peer(0, 1), Cycle(0)).bytes == 128);
  CHECK(clusters.access(of_peer(0, 1, RequestKind::peer_write), Cycle(0)).bytes == 0);
}

TEST_CASE("a cluster barrier is relaxed when all arrivals are") {
  Clusters clusters(eight_sms());
  CHECK(clusters.arrive(7, 2, false) == std::nullopt);
  CHECK(clusters.arrive(7, 2, true) == false);
}

TEST_CASE("the cluster barrier is passed by the last arrival, and begins anew") {
  Clusters clusters(eight_sms());
  for (int phase = 0; phase < 2; ++phase) {
    CHECK(clusters.arrive(7, 3, true) == std::nullopt);
    CHECK(clusters.arrive(7, 3, true) == std::nullopt);
    CHECK(clusters.arrive(8, 3, true) == std::nullopt);  // of another cluster
    CHECK(clusters.arrive(7, 3, true) == true);
    CHECK(clusters.arrive(8, 3, true) == std::nullopt);
    CHECK(clusters.arrive(8, 3, true) == true);
  }
  CHECK(clusters.release(false) == Cycles(150));
  CHECK(clusters.release(true) == Cycles(40));
}

}  // namespace gpusim::fabric_clusters_test
