// What crosses between the SMs of a cluster: reads and writes of each other's shared memory, arrivals at each other's
// mbarriers, and the cluster barrier.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/server.h"
#include "fabric/config.h"
#include "messages.h"

namespace gpusim::fabric {

class Clusters {
 public:
  explicit Clusters(const FabricConfig& config);

  /// The CTAs of a cluster start on these SMs, by rank.
  void start(std::int64_t cluster, const std::array<std::int16_t, max_cluster>& sms);
  /// One of a cluster's `ctas` CTAs has ended.
  void end(std::int64_t cluster, int ctas);
  /// Where the CTAs of a cluster run, one of which runs.
  [[nodiscard]] const std::array<std::int16_t, max_cluster>& sms(std::int64_t cluster) const {
    return running_.at(cluster).sms;
  }

  /// When the answer to a request for another SM's shared memory begins to arrive; `last` is when it has.
  Reply access(const Request& request, Cycle now);
  /// When an arrival at another SM's mbarrier is there.
  Cycle arrive(const PeerArrival& arrival, Cycle now);

  /// A CTA of cluster `cluster` has arrived with all its warps. When it was the last of `ctas`: whether all of them
  /// were relaxed.
  std::optional<bool> arrive(std::int64_t cluster, int ctas, bool relaxed);
  /// From the last arrival's message to the release's arrival.
  [[nodiscard]] Cycles release(bool relaxed) const {
    return relaxed ? config_.cluster.relaxed_barrier : config_.cluster.barrier;
  }

 private:
  [[nodiscard]] Cycles latency(std::int64_t from, std::int64_t to) const;

  FabricConfig config_;
  std::vector<core::Server> readers_;  ///< data out of each SM's shared memory
  std::vector<core::Server> writers_;  ///< data into it
  struct Arrived {
    int ctas = 0;
    bool relaxed = true;
  };
  std::unordered_map<std::int64_t, Arrived> arrived_;
  struct Running {
    std::array<std::int16_t, max_cluster> sms{};
    int ended = 0;
  };
  std::unordered_map<std::int64_t, Running> running_;
};

}  // namespace gpusim::fabric
