// The way of C through shared memory: who meets whom, and what each of them moves.
#pragma once

#include <optional>

#include "schedules/gemm_epilogue.h"

namespace gpusim::schedules {

class Staging {
 public:
  explicit Staging(const GemmPlan& plan);

  [[nodiscard]] SharedTile tile() const;
  [[nodiscard]] std::optional<Barrier> barrier() const;

  /// Where the warps of a team have their part of each row, 16 bytes a lane.
  [[nodiscard]] Access rows() const;
  /// Holds for warps that have a part.
  [[nodiscard]] std::optional<Bound> busy(const Access& rows) const;
  /// Appends the meeting of the team, the registers' way into the tile, and another meeting.
  void append_fill(GemmProgram& program, Body& body, const ResultAccess& result) const;
  /// Appends the tile's bulk stores, by one warp of the team.
  void append_bulk_stores(Body& body) const;
  /// Appends the wait for their reads of shared memory.
  void append_bulk_wait(Body& body) const;
  /// Appends the team's meeting before the tile's memory is another's again.
  void append_leave(GemmProgram& program, Body& body) const;

 private:
  /// The whole CTA's shared memory is theirs once all that multiply are done: no item is being copied meanwhile.
  [[nodiscard]] bool overlaps() const { return !(plan_.persistent() && plan_.tiling.specialize); }
  void meet(GemmProgram& program, Body& body, int number) const;
  [[nodiscard]] Bound one_of_team() const;

  const GemmPlan& plan_;
  int teams_;  ///< that share the tile along m; each goes its own way
  int team_warps_;
  int team_rows_;
};

}  // namespace gpusim::schedules
