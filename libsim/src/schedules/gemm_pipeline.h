// The ring of stages that bulk copies fill and warps empty: full and empty mbarriers, the producer, clusters.
#pragma once

#include "schedules/gemm_copies.h"
#include "schedules/gemm_program.h"

namespace gpusim::schedules {

class Pipeline {
 public:
  explicit Pipeline(const GemmPlan& plan) : copies_(plan), consumers_arrive_(plan.tiling.consumers_arrive) {}

  [[nodiscard]] const BulkCopies& copies() const { return copies_; }

  /// Until the mbarriers are initialised, of all CTAs that use them.
  void append_start(Body& body) const;
  /// Until no CTA uses them any more.
  void append_end(Body& body) const;
  /// Until the loop's stage is full.
  void append_full(Body& body, const Walker& walker) const;

 private:
  BulkCopies copies_;
  bool consumers_arrive_;
};

/// A warp that only copies, as far ahead as there are free stages. With `registers`, it leaves the others to consumers.
[[nodiscard]] Program producer_program(const GemmPlan& plan, int registers);
/// The other warps of its group, which do nothing.
[[nodiscard]] Program idle_program(const GemmPlan& plan, int registers);

/// "full", with a producer "empty".
[[nodiscard]] std::vector<Barrier> pipeline_barriers(const GemmPlan& plan);

}  // namespace gpusim::schedules
