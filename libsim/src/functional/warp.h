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

/// What the warps of a CTA share.
struct CtaState {
  GlobalMemory& global;
  SharedMemory shared;
  std::vector<std::vector<Mbarrier>> barriers;  ///< [barrier][slot]
  int at_barrier = 0;                           ///< warps waiting at bar.sync
  std::int64_t barrier_round = 0;
};

class Warp {
 public:
  /// Keeps references to all.
  Warp(const Kernel& kernel, CtaState& cta, int warp, std::pair<std::int64_t, std::int64_t> block);

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
  };
  struct Copy {
    const Instruction* instruction = nullptr;
    Coordinates at{};
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

  /// Writes what a copy brings, or NaN while it is on its way.
  void write(const Copy& copy, bool landed);
  void write(const PendingCopy& copy, bool landed);
  void finish_phase(Mbarrier& barrier);
  [[nodiscard]] Coordinates within_tile() const;
  [[nodiscard]] Mbarrier& barrier(const BarrierSlot& slot) const;
  [[nodiscard]] Fragment& fragment(Token token) { return fragments_[static_cast<std::size_t>(token.index())]; }

  const Schedule& schedule_;
  const Code& code_;
  CtaState& cta_;
  int warp_;
  Coordinates at_{};
  std::size_t next_ = 0;
  std::vector<Fragment> fragments_;
  std::vector<Copy> open_copies_;
  std::deque<std::vector<Copy>> groups_;
  std::optional<std::int64_t> waits_for_round_;
};

}  // namespace gpusim::functional
