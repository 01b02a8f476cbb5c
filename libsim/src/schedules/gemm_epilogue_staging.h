// The way of C through shared memory: who meets whom, and what each of them moves.
#pragma once

#include <optional>

#include "schedules/gemm_epilogue.h"

namespace gpusim::schedules {

inline constexpr int fragment_rows = 2 * matrix_rows;  ///< that a warp has of every 64 of its group

class Staging {
 public:
  explicit Staging(const GemmPlan& plan);

  [[nodiscard]] SharedTile tile() const;
  [[nodiscard]] std::optional<Barrier> barrier() const;
  /// pingpong: completed for each item when its C has left the tile in shared memory, which is the next item's then.
  [[nodiscard]] std::optional<Barrier> turn_barrier() const;

  /// Where the warps of a team have their part of each row, 16 bytes a lane.
  [[nodiscard]] Access rows() const;
  /// Holds for warps that have a part.
  [[nodiscard]] std::optional<Bound> busy(const Access& rows) const;
  /// beta: C comes by whole rows, too, and through the tile.
  [[nodiscard]] bool carries_source() const;
  /// Appends what has to be over before it is put into the tile, and before it is read there.
  void append_source_begin(GemmProgram& program, Body& body) const { meet(program, body, 0); }
  void append_source_end(GemmProgram& program, Body& body) const { meet(program, body, 1); }
  /// Appends the meeting of the team, the registers' way into the tile, and another meeting.
  void append_fill(GemmProgram& program, Body& body, const ResultAccess& result) const;
  /// Appends the same and the bulk stores, by one warp of the team; piece after piece.
  void append_bulk(GemmProgram& program, Body& body, const ResultAccess& result) const;
  /// Appends the wait until all that has been stored is read from shared memory.
  void append_bulk_end(Body& body) const { append_bulk_wait(body, 0); }
  /// Appends the team's meeting before the tile's memory is another's again.
  void append_leave(GemmProgram& program, Body& body) const;

 private:
  /// The whole CTA's shared memory is theirs once all that multiply are done: no item is being copied meanwhile.
  [[nodiscard]] bool overlaps() const { return !(plan_.persistent() && plan_.tiling.specialize); }
  /// Teams that go their own way, each by its own part of the tile or (pingpong) by items of its own.
  [[nodiscard]] bool several_teams() const { return teams_ > 1 || plan_.tiling.pingpong; }
  /// Of an item. Where the source went through the tile, each thread overwrites what only it has read: the first
  /// meeting before C is put there is the one after the source was.
  [[nodiscard]] int meetings() const;
  void meet(GemmProgram& program, Body& body, int number) const;
  void append_fill_piece(GemmProgram& program, Body& body, const ResultAccess& result, int piece) const;
  void append_matrices(GemmProgram& program, Body& body, const ResultAccess& result, int piece) const;
  void append_bulk_stores(Body& body, int piece) const;
  /// swap_ab: the tile holds C as it is, not its transpose: turned_columns() of its columns, of all rows of a piece,
  /// below those before.
  [[nodiscard]] SharedTile turned_tile() const;
  [[nodiscard]] int turned_columns() const;
  void append_turned_piece(GemmProgram& program, Body& body, int piece) const;
  void append_turned_bulk_stores(Body& body, int piece) const;
  /// Of C's transpose, or of C, that one warp group has.
  [[nodiscard]] int group_rows() const;
  /// Until of all bulk stores but the last `pending` pieces' shared memory has been read.
  void append_bulk_wait(Body& body, int pending) const;
  [[nodiscard]] Bound one_of_team() const;
  /// Of the tile in shared memory: with pieces one is filled while the other is stored.
  [[nodiscard]] int buffers() const { return plan_.leaving_pieces() > 1 ? 2 : 1; }

  const GemmPlan& plan_;
  int teams_;  ///< that share the tile along m; each goes its own way
  int team_warps_;
  int team_rows_;
};

}  // namespace gpusim::schedules
