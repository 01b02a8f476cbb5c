// One warp while it is executed.
#pragma once

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
  int there = 0;
  std::int64_t round = 0;
};

/// What the warps of a CTA share.
struct CtaState {
  GlobalMemory& global;
  SharedMemory shared;
  std::vector<std::vector<Mbarrier>> barriers;  ///< [barrier][slot]
  Meeting barrier;                              ///< bar.sync
};

/// CTAs that read each other's shared memory, by rank.
struct ClusterState {
  std::vector<CtaState> ctas;
  Meeting barrier;  ///< barrier.cluster
};

class Warp {
 public:
  /// Keeps references to all.
  Warp(const Kernel& kernel, ClusterState& cluster, std::size_t rank, int warp,
       std::pair<std::int64_t, std::int64_t> block);

  /// Executes until it ends or has to wait. Whether it got anywhere.
  bool run();
  [[nodiscard]] bool ended() const { return instruction().kind == Instruction::Kind::exit; }
  /// What it waits for, as a sentence.
  [[nodiscard]] std::string wait() const;

 private:
  /// What a token stands for: the lanes' values as loaded from global memory, or elements by their coordinates.
  struct Fragment {
    std::vector<double> lane_values;
    int vector = 0;
    Elements elements;
    int multiplies = 0;    ///< warp-group multiplies into it that nobody has waited for
    Elements accumulated;  ///< its elements while there are any: reading `elements` gives NaN
  };
  struct Copy {
    const Instruction* instruction = nullptr;
    Coordinates at{};
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
  bool perform(const Arithmetic&) { return true; }
  bool perform(const CtaBarrier&);
  bool perform(const LoadConstant&) { return true; }
  bool perform(const AtomicAdd& atomic);
  bool perform(const WarpgroupMultiply& multiply);
  bool perform(const WarpgroupCommit&);
  bool perform(const WarpgroupWait& wait);
  bool perform(const ClusterBarrier&);

  /// Whether all `warps` have come.
  bool meet(Meeting& meeting, int warps);
  /// The shared memory an access means.
  [[nodiscard]] SharedMemory& shared(const SharedAccess& access);
  [[nodiscard]] Elements read(const SharedAccess& access, const AccessTable& table, const Cells& cells,
                              const Coordinates& at);
  [[nodiscard]] Elements operand_a(const Instruction& from, const Coordinates& at);
  [[nodiscard]] Elements operand_b(const Instruction& from, const Coordinates& at);
  void finish(PendingMultiply& multiply);
  /// Writes what a copy brings, or NaN while it is on its way.
  void write(const Copy& copy, bool landed);
  void write(const PendingCopy& copy, bool landed);
  void finish_phase(Mbarrier& barrier);
  [[nodiscard]] Coordinates within_tile() const;
  [[nodiscard]] Mbarrier& barrier(const BarrierSlot& slot) const;
  [[nodiscard]] Fragment& fragment(Token token) { return fragments_[static_cast<std::size_t>(token.index())]; }

  const Schedule& schedule_;
  const Code& code_;
  ClusterState& cluster_;
  CtaState& cta_;
  int warp_;
  Coordinates at_{};
  std::size_t next_ = 0;
  std::vector<Fragment> fragments_;
  std::vector<Copy> open_copies_;
  std::deque<std::vector<Copy>> groups_;
  std::vector<PendingMultiply> open_multiplies_;
  std::deque<std::vector<PendingMultiply>> multiply_groups_;
  std::optional<std::int64_t> waits_for_round_;
};

}  // namespace gpusim::functional
