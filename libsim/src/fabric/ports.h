// The crossbar's ports that the SMs of a TPC, CPC or GPC share, one way.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/server.h"
#include "fabric/config.h"
#include "fabric/topology.h"

namespace gpusim::fabric {

class SharedPorts {
 public:
  SharedPorts(const Topology& topology, Rate tpc, Rate cpc, Rate gpc)
      : topology_(topology),
        tpcs_(servers(topology.tpcs(), tpc)),
        cpcs_(servers(topology.cpcs(), cpc)),
        gpcs_(servers(topology.gpcs, gpc)) {}

  /// Whether anything can ever wait here.
  [[nodiscard]] bool limited() const { return !tpcs_.empty() || !cpcs_.empty() || !gpcs_.empty(); }

  /// When data begins and ends to pass.
  struct Passage {
    Cycles first;
    Cycles last;
  };
  /// `bytes` of SM `sm` pass all its ports, from `at` on; they book all at once.
  Passage pass(std::int64_t sm, Cycle at, std::int64_t bytes) {
    Passage passage;
    take(tpcs_, topology_.tpc_of(sm), at, bytes, passage);
    take(cpcs_, topology_.cpc_of(sm), at, bytes, passage);
    take(gpcs_, topology_.gpc_of(sm), at, bytes, passage);
    return passage;
  }
  /// The same `bytes` for several SMs, which all have them when the last has: what several share they pass once.
  Passage pass(std::span<const std::int16_t> sms, Cycle at, std::int64_t bytes) {
    Passage passage;
    const auto through = [&](std::vector<core::Server>& level, auto&& index_of) {
      std::vector<std::int64_t> passed;
      for (const std::int16_t sm : sms) {
        const std::int64_t index = index_of(sm);
        if (std::find(passed.begin(), passed.end(), index) != passed.end()) continue;
        passed.push_back(index);
        take(level, index, at, bytes, passage);
      }
    };
    through(tpcs_, [this](std::int64_t sm) { return topology_.tpc_of(sm); });
    through(cpcs_, [this](std::int64_t sm) { return topology_.cpc_of(sm); });
    through(gpcs_, [this](std::int64_t sm) { return topology_.gpc_of(sm); });
    return passage;
  }

  std::vector<core::Server>& tpcs() { return tpcs_; }
  std::vector<core::Server>& cpcs() { return cpcs_; }
  std::vector<core::Server>& gpcs() { return gpcs_; }

 private:
  static void take(std::vector<core::Server>& level, std::int64_t index, Cycle at, std::int64_t bytes,
                   Passage& passage) {
    if (level.empty()) return;
    const core::Grant grant = level[static_cast<std::size_t>(index)].take(at, bytes);
    passage.first = std::max(passage.first, grant.start - at);
    passage.last = std::max(passage.last, grant.start - at + grant.spread());
  }
  static std::vector<core::Server> servers(std::int64_t count, Rate rate) {
    if (rate.is_unlimited()) return {};
    return std::vector<core::Server>(static_cast<std::size_t>(count), core::Server(rate));
  }

  Topology topology_;
  std::vector<core::Server> tpcs_;
  std::vector<core::Server> cpcs_;
  std::vector<core::Server> gpcs_;
};

}  // namespace gpusim::fabric
