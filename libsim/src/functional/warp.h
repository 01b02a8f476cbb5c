// One warp while it is executed.
#pragma once

#include <array>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "functional/code.h"
#include "functional/elements.h"
#include "functional/global_memory.h"
#include "functional/mbarrier.h"
#include "functional/shared_memory.h"

namespace gpusim::functional {

/// Where warps meet: all leave when the last has come.
struct Meeting {
  std::int64_t there = 0;
  std::int64_t round = 0;
};

/// What all CTAs that run at the same time share.
struct GridState {
  GlobalMemory& global;
  std::vector<std::int64_t> arrived;  ///< warps at each round of the grid's barrier
};

/// What the warps of a CTA share.
struct CtaState {
  SharedMemory shared;
  std::vector<std::vector<Mbarrier>> barriers;  ///< [barrier][slot]
  Meeting barrier;                              ///< bar.sync
};

/// CTAs that read each other's shared memory, by rank.
struct ClusterState {
  GridState& grid;
  CtaId first;
  std::vector<CtaState> ctas;
  Meeting barrier;  ///< barrier.cluster
};

class Warp {
 public:
  /// Keeps references to all.
  Warp(const Kernel& kernel, ClusterState& cluster, std::size_t rank, int warp);

  /// Executes until it ends or has to wait. Whether it got anywhere.
  bool run();
  [[nodiscard]] bool ended() const { return instruction().kind == Instruction::Kind::exit; }
  /// Its CTA has ended: what its bulk stores have not been waited for is read now.
  void finish_stores();
  /// What it waits for, as a sentence.
  [[nodiscard]] std::string wait() const;

 private:
  /// What a token stands for: the lanes' values as loaded from global memory, or elements by their coordinates.
  struct Fragment {
    std::vector<double> lane_values;  ///< empty once anything has been computed from them
    bool from_shared = false;         ///< where they were loaded from
    int vector = 0;
    Elements elements;
    int multiplies = 0;    ///< warp-group multiplies into it that nobody has waited for
    Elements accumulated;  ///< its elements while there are any: reading `elements` gives NaN

    /// What a lane stores as this element, `stored_vector` of them an instruction.
    [[nodiscard]] double lane_value(std::size_t lane_slot, int stored_vector, int element) const;
  };
  struct Copy {
    const Instruction* instruction = nullptr;
    Coordinates at{};
  };
  /// A bulk store on its way, with its box as it was when it was issued.
  struct PendingStore {
    const BulkStore* store = nullptr;
    Coordinates at{};
    std::vector<double> box;
  };
  /// A warp-group multiply on its way, with its operands as they were when it was issued.
  struct PendingMultiply {
    const Instruction* instruction = nullptr;
    Coordinates at{};
    Elements a;
    Elements b;
  };

  [[nodiscard]] const Instruction& instruction() const { return code_.instructions[next_]; }
  [[nodiscard]] bool step();
  void begin_loop();
  void end_trip();
  /// Takes the place of a work item of its CTA.
  void take_item(std::int64_t index, std::int64_t turns);
  /// Whether the operation is done; if not, the warp has to wait.
  bool perform(const LoadGlobal& load);
  bool perform(const StoreGlobal& store);
  bool perform(const LoadShared& load);
  bool perform(const StoreShared& store);
  bool perform(const CopyAsync& copy);
  bool perform(const CommitGroup&);
  bool perform(const WaitGroup& wait);
  bool perform(const BulkCopy& copy);
  bool perform(const BarrierArrive& arrive);
  bool perform(const BarrierWait& wait);
  bool perform(const Multiply& multiply);
  bool perform(const Scale& scale);
  bool perform(const Arithmetic& arithmetic);
  bool perform(const CtaBarrier&);
  bool perform(const LoadConstant&) { return true; }
  bool perform(const AtomicAdd& atomic);
  bool perform(const WarpgroupMultiply& multiply);
  bool perform(const WarpgroupCommit&);
  bool perform(const WarpgroupWait& wait);
  bool perform(const ClusterBarrier&);
  bool perform(const BulkStore& store);
  bool perform(const BulkCommit&);
  bool perform(const BulkWait& wait);
  bool perform(const GridBarrier&);
  bool perform(const RegisterReallocate&) { return true; }
  bool perform(const Map& map);
  bool perform(const Reduce& reduce);
  bool perform(const Shuffle& shuffle);
  bool perform(const TransposeMatrices&) { return true; }

  /// Whether all `warps` have come.
  bool meet(Meeting& meeting, std::int64_t warps);
  /// Of the round that the warp has come to.
  [[nodiscard]] std::int64_t& arrived_at_grid();
  [[nodiscard]] std::int64_t warps_of_cluster() const;
  [[nodiscard]] std::int64_t warps_of_grid() const;
  [[nodiscard]] CtaId cta() const { return CtaId(cluster_.first.index() + rank_); }
  /// The CTA of the cluster that an access or arrival means.
  [[nodiscard]] CtaState& peer(const std::optional<Layout>& rank) const;
  /// Whether a bulk copy of this CTA delivers to that rank.
  [[nodiscard]] bool delivers(const BulkCopy& copy, int rank) const;
  [[nodiscard]] Elements read(const SharedAccess& access, const AccessTable& table, const Cells& cells,
                              const Coordinates& at, bool transposed = false);
  [[nodiscard]] Elements operand_a(const Instruction& from, const Coordinates& at);
  [[nodiscard]] Elements operand_b(const Instruction& from, const Coordinates& at);
  void finish(PendingMultiply& multiply);
  void finish(const PendingStore& pending);
  [[nodiscard]] std::vector<double> box_of(const BulkStore& store, const Coordinates& at) const;
  /// Writes what a copy brings, or NaN while it is on its way.
  void write(const Copy& copy, bool landed);
  void write(const PendingCopy& copy, CtaState& into, bool landed) const;
  /// Ends the slot's phase if it is complete: what was on its way lands in that CTA.
  void finish_phase(CtaState& cta, const BarrierSlot& slot) const;
  [[nodiscard]] Coordinates within_tile() const;
  [[nodiscard]] Mbarrier& barrier(CtaState& cta, const BarrierSlot& slot) const;
  [[nodiscard]] GlobalMemory& global() const { return cluster_.grid.global; }
  [[nodiscard]] Fragment& fragment(Token token) { return fragments_[static_cast<std::size_t>(token.index())]; }

  const Schedule& schedule_;
  const Code& code_;
  ClusterState& cluster_;
  CtaState& cta_;
  int rank_;
  int warp_;
  Coordinates at_{};
  WorkItem item_;
  std::int64_t tiles_before_ = 0;  ///< k tiles of the CTA's items before this one
  std::array<std::int64_t, 3> loop_ends_{};
  std::size_t next_ = 0;
  std::vector<Fragment> fragments_;
  std::vector<Copy> open_copies_;
  std::deque<std::vector<Copy>> groups_;
  std::vector<PendingMultiply> open_multiplies_;
  std::deque<std::vector<PendingMultiply>> multiply_groups_;
  std::vector<PendingStore> open_stores_;
  std::deque<std::vector<PendingStore>> store_groups_;
  std::size_t grid_round_ = 0;       ///< grid barriers it has passed
  bool is_counted_at_grid_ = false;  ///< and waits for the others there
  std::optional<std::int64_t> waits_for_round_;
};

}  // namespace gpusim::functional
