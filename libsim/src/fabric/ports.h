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
      : tpcs_(servers(topology.tpcs(), tpc)), cpcs_(servers(topology.cpcs(), cpc)), gpcs_(servers(topology.gpcs, gpc)) {
    for (std::int64_t sm = 0; sm < topology.sms; ++sm)
      groups_.push_back({static_cast<std::size_t>(topology.tpc_of(sm)), static_cast<std::size_t>(topology.cpc_of(sm)),
                         static_cast<std::size_t>(topology.gpc_of(sm))});
  }

  /// Whether anything can ever wait here.
  [[nodiscard]] bool limited() const { return !tpcs_.empty() || !cpcs_.empty() || !gpcs_.empty(); }

  /// When data begins and ends to pass.
  struct Passage {
    Cycles first;
    Cycles last;
  };
  /// `bytes` of SM `sm` pass all its ports, from `at` on; they book all at once. `shared` of them pass the GPC's with
  /// those of a read before.
  Passage pass(std::int64_t sm, Cycle at, std::int64_t bytes, std::int64_t shared = 0) {
    Passage passage;
    const Groups& groups = group_of(sm);
    take(tpcs_, groups.tpc, at, bytes, passage);
    take(cpcs_, groups.cpc, at, bytes, passage);
    if (bytes > shared) take(gpcs_, groups.gpc, at, bytes - shared, passage);
    return passage;
  }
  /// The same `bytes` for several SMs, which all have them when the last has: what several share they pass once.
  Passage pass(std::span<const std::int16_t> sms, Cycle at, std::int64_t bytes, std::int64_t shared = 0) {
    Passage passage;
    const auto through = [&](std::vector<core::Server>& level, std::size_t Groups::*group, std::int64_t passing) {
      for (std::size_t i = 0; i < sms.size(); ++i) {
        const std::size_t index = group_of(sms[i]).*group;
        const auto has_passed = [&](std::int16_t before) { return group_of(before).*group == index; };
        if (std::none_of(sms.begin(), sms.begin() + static_cast<std::ptrdiff_t>(i), has_passed))
          take(level, index, at, passing, passage);
      }
    };
    through(tpcs_, &Groups::tpc, bytes);
    through(cpcs_, &Groups::cpc, bytes);
    if (bytes > shared) through(gpcs_, &Groups::gpc, bytes - shared);
    return passage;
  }

  std::vector<core::Server>& tpcs() { return tpcs_; }
  std::vector<core::Server>& cpcs() { return cpcs_; }
  std::vector<core::Server>& gpcs() { return gpcs_; }

 private:
  /// Where an SM belongs.
  struct Groups {
    std::size_t tpc = 0;
    std::size_t cpc = 0;
    std::size_t gpc = 0;
  };
  [[nodiscard]] const Groups& group_of(std::int64_t sm) const { return groups_[static_cast<std::size_t>(sm)]; }

  static void take(std::vector<core::Server>& level, std::size_t index, Cycle at, std::int64_t bytes,
                   Passage& passage) {
    if (level.empty()) return;
    const core::Grant grant = level[index].take(at, bytes);
    passage.first = std::max(passage.first, grant.start - at);
    passage.last = std::max(passage.last, grant.start - at + grant.spread());
  }
  static std::vector<core::Server> servers(std::int64_t count, Rate rate) {
    if (rate.is_unlimited()) return {};
    return std::vector<core::Server>(static_cast<std::size_t>(count), core::Server(rate));
  }

  std::vector<Groups> groups_;  ///< by SM
  std::vector<core::Server> tpcs_;
  std::vector<core::Server> cpcs_;
  std::vector<core::Server> gpcs_;
};

}  // namespace gpusim::fabric
