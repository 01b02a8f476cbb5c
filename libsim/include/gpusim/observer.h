// Observers see a run as it happens. They are called from inside run(), on its thread, in simulated-time order within
// an SM; arguments live only for the call. An observer never changes timing: the digest is the same with and without.
#pragma once

#include <string_view>

#include "gpusim/ids.h"
#include "gpusim/receipt.h"
#include "gpusim/stall.h"
#include "gpusim/units.h"

namespace gpusim {

class Observer {
 public:
  virtual ~Observer() = default;

  virtual void cta_started(KernelId, CtaId, SmId, Cycle /*at*/) {}
  virtual void cta_ended(KernelId, CtaId, SmId, Cycle /*at*/) {}
  /// The warp spent [from, to) for `reason`. The spans of a warp tile its residence.
  virtual void warp_span(KernelId, WarpId, Reason, Cycle /*from*/, Cycle /*to*/) {}
  /// The warp issued an operation (its first instruction) at `at`. `operation` is its listing name.
  virtual void operation_issued(KernelId, WarpId, std::string_view /*operation*/, Cycle /*at*/) {}
  /// The kernel goes on as before from `from` to `to`, and none of it is seen: no span or event is told of that time.
  virtual void skipped(KernelId, Cycle /*from*/, Cycle /*to*/) {}
  /// A read from beyond the SM came back.
  virtual void request_completed(KernelId, SmId, const Receipt&) {}
};

}  // namespace gpusim
