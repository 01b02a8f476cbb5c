// Checks the operations of one role. What each action asks for is in action_problems.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "schedule/range.h"
#include "schedule/structure.h"
#include "schedule/walk_trips.h"

namespace gpusim::schedule {

class ProgramChecker {
 public:
  /// Keeps references to all but the number.
  ProgramChecker(const Schedule& schedule, const Role& role, int first_warp, std::vector<Problem>& problems);

  /// `times`: how often the loops around it run the body.
  void check(const std::vector<Statement>& body, const std::string& where, std::size_t depth = 0, double times = 1);

  /// Memory instructions of one warp, each loop body counted once.
  [[nodiscard]] std::int64_t places() const { return places_; }
  /// Instructions of one warp, all loops expanded; a double, so that it cannot overflow.
  [[nodiscard]] double instructions() const { return instructions_; }

 private:
  void check(const Operation& operation);
  void check(const LoadGlobal& load);
  void check(const StoreGlobal& store);
  void check(const LoadShared& load);
  void check(const StoreShared& store);
  void check(const CopyAsync& copy);
  void check(const CommitGroup&) {}
  void check(const WaitGroup& wait);
  void check(const BulkCopy& copy);
  void check(const BarrierArrive& arrive);
  void check(const BarrierWait& wait);
  void check(const Multiply& multiply);
  void check(const Scale& scale);
  void check(const Arithmetic& arithmetic);
  void check(const CtaBarrier&) {}
  void check(const LoadConstant& load);
  void check(const AtomicAdd& atomic);
  void check(const WarpgroupMultiply& multiply);
  void check(const WarpgroupCommit&) {}
  void check(const WarpgroupWait& wait);
  void check(const ClusterBarrier&);
  void check(const BulkStore& store);
  void check(const BulkCommit&) {}
  void check(const BulkWait& wait);
  void check(const GridBarrier&);
  void check(const RegisterReallocate& reallocate);
  void check(const Map& map);
  void check(const Reduce& reduce);
  void check(const Shuffle& shuffle);
  void check(const TransposeMatrices& transpose);
  void check(const Dealing& dealing);

  /// Whether what it refers to is there, and lanes access what lanes can.
  bool check(const GlobalAccess& access);
  bool check(const SharedAccess& access);
  void check(Token token);
  void check(const BarrierSlot& at);
  void check_box(const BulkCopy& copy, const SharedTile& to);
  /// A box of so many rows, from a row of the tile on.
  void check_tile_rows(const Layout& tile_row, std::int64_t rows, const SharedTile& tile);
  /// Whether atomics add such elements.
  void check_added(DType dtype);
  void check_layer(const Layout& layer, BufferId of);
  void check_multicast(Multicast multicast);
  void check_operand(const SharedAccess& operand, const WarpgroupMultiply& multiply, bool transposed,
                     const std::string& what);
  void check_transposed(const WarpgroupMultiply& multiply);
  void check(const Metadata& metadata, DType input);
  void check(const BlockFactors& factors);
  void check_peer(const Layout& peer, const std::string& whose);
  /// Where a loop that walks may stand, and how often it is to run at least.
  void check_walk(const Loop& loop, std::size_t depth);
  /// The body of a loop, its index and what a walk sets being there.
  void check_body(const Loop& loop, std::size_t depth, double times);
  void set_item_space();
  /// Tile, stage, rows and columns of an access of `vector` elements a lane.
  /// Of a transposed operand the vector runs `down` a column.
  bool check_place(const SharedAccess& access, bool down = false);
  bool check_vector(int vector, DType dtype);
  /// Which lanes take part is the same in every CTA and trip.
  void check_lanes(const Layout& value);
  /// Within [0, size), given what guard and lanes' bound say of the same value.
  void check_index(const Layout& layout, std::int64_t size, const std::optional<Bound>& lanes, const std::string& what);
  /// Whether all its coordinates exist here and its value stays small enough to calculate with.
  bool check_layout(const Layout& layout, const std::string& what);
  /// The same of what a warp does as one.
  bool check_of_warp(const Layout& layout, const std::string& what);

  template <class Things>
  bool there(std::int64_t index, const Things& things, const std::string& kind) {
    const bool sound = index >= 0 && index < static_cast<std::int64_t>(things.size());
    require(sound, "there is no " + kind + " " + std::to_string(index) + " among " + std::to_string(things.size()));
    return sound;
  }
  void require(bool holds, const std::string& what) {
    if (!holds) problems_.push_back({where_, what});
  }
  [[nodiscard]] const Buffer& buffer(BufferId id) const {
    return schedule_.buffers[static_cast<std::size_t>(id.index())];
  }
  [[nodiscard]] const SharedTile& tile(TileId id) const {
    return schedule_.shared_tiles[static_cast<std::size_t>(id.index())];
  }

  const Schedule& schedule_;
  const Role& role_;
  int first_warp_;
  std::vector<Problem>& problems_;
  std::string where_;
  WalkTrips walk_trips_;
  Space space_;
  Walk around_ = Walk::none;  ///< the innermost loop around the statement that walks
  bool has_items_ = false;    ///< a loop over work items has been seen
  std::optional<Bound> guard_;
  std::size_t memory_accesses_ = 0;
  std::int64_t places_ = 0;
  double instructions_ = 0;
};

}  // namespace gpusim::schedule
