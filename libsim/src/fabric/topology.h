// Where an SM sits: TPC, CPC, GPC and L2 partition.
//
// SM ids count as hardware counts them: consecutive ones share a TPC, consecutive TPCs go to different GPCs. GPCs
// alternate between the partitions of L2.
#pragma once

#include <cstdint>

namespace gpusim::fabric {

struct Topology {
  std::int64_t sms = 1;
  std::int64_t sms_per_tpc = 1;
  std::int64_t gpcs = 1;
  std::int64_t tpcs_per_cpc = 0;  ///< 0: no CPCs, a GPC is one
  std::int64_t partitions = 1;

  [[nodiscard]] std::int64_t tpcs() const { return (sms + sms_per_tpc - 1) / sms_per_tpc; }
  [[nodiscard]] std::int64_t tpc_of(std::int64_t sm) const { return sm / sms_per_tpc; }
  [[nodiscard]] std::int64_t gpc_of(std::int64_t sm) const { return tpc_of(sm) % gpcs; }
  /// CPCs of a GPC.
  [[nodiscard]] std::int64_t cpcs_per_gpc() const {
    if (tpcs_per_cpc == 0) return 1;
    const std::int64_t tpcs_per_gpc = (tpcs() + gpcs - 1) / gpcs;
    return (tpcs_per_gpc + tpcs_per_cpc - 1) / tpcs_per_cpc;
  }
  [[nodiscard]] std::int64_t cpcs() const { return gpcs * cpcs_per_gpc(); }
  [[nodiscard]] std::int64_t cpc_of(std::int64_t sm) const {
    const std::int64_t within = tpcs_per_cpc == 0 ? 0 : tpc_of(sm) / gpcs / tpcs_per_cpc;
    return gpc_of(sm) * cpcs_per_gpc() + within;
  }
  [[nodiscard]] std::int64_t partition_of(std::int64_t sm) const { return gpc_of(sm) % partitions; }
};

}  // namespace gpusim::fabric
