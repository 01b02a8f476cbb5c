// The CTA dispatcher: gives CTAs to SMs, one more to each in turn until they are full, then one for each that ends.
#pragma once

#include <cstdint>
#include <vector>

#include "core/pool.h"
#include "core/server.h"
#include "fabric/config.h"
#include "messages.h"

namespace gpusim::fabric {

/// A CTA for an SM.
struct Assignment {
  std::int32_t sm = 0;
  std::int64_t cta = 0;
  Cycle start;  ///< its first cycle
};

class Dispatcher {
 public:
  explicit Dispatcher(const FabricConfig& config);

  /// A kernel of `ctas` CTAs, of which an SM holds `slots` at a time, begins at `now`: the first assignments.
  std::vector<Assignment> begin(std::int64_t ctas, std::int64_t slots, Cycle now);
  /// A CTA of `sm` has ended at `now`: appends the next one for it, if any is left.
  void ended(std::int32_t sm, Cycle now, std::vector<Assignment>& assignments);

  [[nodiscard]] std::int64_t started() const { return next_; }
  [[nodiscard]] std::int64_t done() const { return done_; }
  [[nodiscard]] std::int64_t ctas() const { return ctas_; }

  core::Server& server() { return server_; }
  std::vector<core::Pool>& slots() { return slots_; }

 private:
  void assign(std::int32_t sm, Cycle now, std::vector<Assignment>& assignments);

  std::int64_t sms_;
  bool descending_;
  Cycles cta_start_;
  core::Server server_;
  std::vector<core::Pool> slots_;
  std::int64_t ctas_ = 0;
  std::int64_t next_ = 0;
  std::int64_t done_ = 0;
};

}  // namespace gpusim::fabric
