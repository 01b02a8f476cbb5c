// An observer that keeps what it is told.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "gpusim/observer.h"

namespace gpusim::testing {

class RunLog : public Observer {
 public:
  struct Span {
    Reason reason;
    Cycle from;
    Cycle to;
  };
  struct Issued {
    std::string operation;
    Cycle at;
  };
  struct Residence {
    SmId sm;
    Cycle from;
    Cycle to;
  };
  using Key = std::tuple<std::int64_t, std::int64_t, int>;  ///< kernel, CTA, warp

  std::map<Key, std::vector<Span>> spans;
  std::map<Key, std::vector<Issued>> issued;
  std::map<std::pair<std::int64_t, std::int64_t>, Residence> ctas;
  std::vector<Receipt> receipts;

  void cta_started(KernelId kernel, CtaId cta, SmId sm, Cycle at) override {
    ctas[{kernel.index(), cta.index()}] = {sm, at, at};
  }
  void cta_ended(KernelId kernel, CtaId cta, SmId, Cycle at) override { ctas[{kernel.index(), cta.index()}].to = at; }
  void warp_span(KernelId kernel, WarpId warp, Reason reason, Cycle from, Cycle to) override {
    spans[key(kernel, warp)].push_back({reason, from, to});
  }
  void operation_issued(KernelId kernel, WarpId warp, std::string_view operation, Cycle at) override {
    issued[key(kernel, warp)].push_back({std::string(operation), at});
  }
  void request_completed(KernelId, SmId, const Receipt& receipt) override { receipts.push_back(receipt); }

  /// When warp `warp` of CTA 0 issued its `nth` operation of this name, from its CTA's start; never when it did not.
  [[nodiscard]] Cycle issue(std::string_view operation, int nth = 0, int warp = 0) const {
    const auto found = issued.find({0, 0, warp});
    if (found == issued.end()) return Cycle::never();
    for (const Issued& each : found->second)
      if (each.operation == operation && nth-- == 0) return Cycle((each.at - ctas.at({0, 0}).from).count());
    return Cycle::never();
  }

 private:
  static Key key(KernelId kernel, WarpId warp) { return {kernel.index(), warp.cta.index(), warp.warp}; }
};

}  // namespace gpusim::testing
