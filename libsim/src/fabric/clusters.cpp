#include "fabric/clusters.h"

namespace gpusim::fabric {
namespace {

constexpr std::int64_t mbarrier_bytes = 8;

}  // namespace

Clusters::Clusters(const FabricConfig& config)
    : config_(config),
      readers_(static_cast<std::size_t>(config.topology.sms), core::Server(config.cluster.read_rate)),
      writers_(static_cast<std::size_t>(config.topology.sms), core::Server(config.cluster.write_rate)) {}

Cycles Clusters::latency(std::int64_t from, std::int64_t to) const {
  const Topology& topology = config_.topology;
  if (topology.tpc_of(from) == topology.tpc_of(to)) return config_.cluster.tpc;
  return topology.cpc_of(from) == topology.cpc_of(to) ? config_.cluster.cpc : config_.cluster.gpc;
}

Reply Clusters::access(const Request& request, Cycle now) {
  const bool reads = request.kind == RequestKind::peer_read;
  core::Server& port = (reads ? readers_ : writers_)[static_cast<std::size_t>(request.peer)];
  const core::Grant grant = port.take(now, request.peer_bytes);
  Reply reply;
  reply.sm = request.sm;
  reply.handle = request.handle;
  reply.arrives = grant.start + latency(request.sm, request.peer);
  reply.last = reply.arrives + grant.spread();
  reply.bytes = reads ? request.peer_bytes : 0;
  reply.crossing = {latency(request.sm, request.peer), grant.start - now + grant.spread()};
  return reply;
}

Cycle Clusters::arrive(const PeerArrival& arrival, Cycle now) {
  const core::Grant grant = writers_[static_cast<std::size_t>(arrival.peer)].take(now, mbarrier_bytes);
  return grant.start + latency(arrival.sm, arrival.peer) + grant.spread();
}

void Clusters::start(std::int64_t cluster, const std::array<std::int16_t, max_cluster>& sms) {
  running_[cluster].sms = sms;
}

void Clusters::end(std::int64_t cluster, int ctas) {
  if (++running_.at(cluster).ended == ctas) running_.erase(cluster);
}

std::optional<bool> Clusters::arrive(std::int64_t cluster, int ctas, bool relaxed) {
  Arrived& arrived = arrived_[cluster];
  arrived.relaxed = arrived.relaxed && relaxed;
  if (++arrived.ctas != ctas) return std::nullopt;
  const bool all_relaxed = arrived.relaxed;
  arrived_.erase(cluster);
  return all_relaxed;
}

}  // namespace gpusim::fabric
