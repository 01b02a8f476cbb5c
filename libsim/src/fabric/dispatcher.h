// The CTA dispatcher: gives CTAs to SMs, one more to each in turn until they are full, then one for each that ends.
//
// The CTAs of a cluster start together on one GPC, on as many of its SMs as have room. Clusters go to the GPCs in turn.
#pragma once

#include <array>
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
  Cycle start;                                          ///< its first cycle
  std::array<std::int16_t, max_cluster> cluster_sms{};  ///< by rank
};

/// What the dispatcher is given.
struct Grid {
  std::int64_t ctas = 0;
  std::int64_t slots = 0;  ///< CTAs an SM holds at a time
  int cluster = 1;         ///< consecutive CTAs that start together
};

class Dispatcher {
 public:
  explicit Dispatcher(const FabricConfig& config);

  /// A kernel begins at `now`: the first assignments.
  std::vector<Assignment> begin(const Grid& grid, Cycle now);
  /// A CTA of `sm` has ended at `now`: appends what can start now.
  void ended(std::int32_t sm, Cycle now, std::vector<Assignment>& assignments);

  /// The next `ctas` CTAs have come and gone.
  void skip(std::int64_t ctas) {
    next_ += ctas;
    done_ += ctas;
  }

  [[nodiscard]] std::int64_t started() const { return next_; }
  [[nodiscard]] std::int64_t done() const { return done_; }
  [[nodiscard]] std::int64_t ctas() const { return grid_.ctas; }
  [[nodiscard]] int cluster() const { return grid_.cluster; }

  core::Server& server() { return server_; }
  std::vector<core::Pool>& slots() { return slots_; }

 private:
  void assign(std::int32_t sm, Cycle now, std::vector<Assignment>& assignments);
  void begin_clusters(Cycle now, std::vector<Assignment>& assignments);
  bool assign_cluster(std::int64_t gpc, Cycle now, std::vector<Assignment>& assignments);
  [[nodiscard]] std::int64_t room(std::int32_t sm) const;

  Topology topology_;
  bool descending_;
  Cycles cta_start_;
  core::Server server_;
  std::vector<core::Pool> slots_;
  std::vector<std::vector<std::int32_t>> sms_of_gpc_;
  Grid grid_;
  std::int64_t next_ = 0;
  std::int64_t done_ = 0;
};

}  // namespace gpusim::fabric
