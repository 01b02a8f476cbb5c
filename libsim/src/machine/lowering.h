// Lowers one Schedule: a walk through its roles' programs that turns each Operation into a Step. What an Action becomes
// is in the file of its kind: lower_memory.cpp, lower_math.cpp, lower_sync.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gpusim/profile.h"
#include "gpusim/schedule.h"
#include "machine/lower_access.h"
#include "machine/memory_map.h"
#include "sm/code.h"

namespace gpusim::machine {

class Lowering {
 public:
  /// All three must outlive it.
  Lowering(const Schedule& schedule, const Profile& profile, const MemoryMap& memory)
      : schedule_(schedule), profile_(profile), memory_(memory) {}

  /// Roles and barriers, with the plans and guards their steps name.
  sm::Kernel run();

 private:
  void lower_role(const Role& role);
  void lower_body(const std::vector<Statement>& body, std::uint8_t depth);
  void lower_loop(const Loop& loop, std::uint8_t depth);
  void lower_operation(const Operation& operation);

  // Fragments an operation waits for, reads and writes
  static void use(sm::Step& step, Token token, bool chained = false);
  static void write(sm::Step& step, Token token) { step.writes = static_cast<std::uint8_t>(token.index()); }
  /// Reads `token`, which is kept until it has been read.
  static void store(sm::Step& step, Token token);
  static void read_address(Token token, sm::Step& step);
  /// Writes `token`, and does not overtake what is still on its way there.
  static void fill(sm::Step& step, Token token);

  // Memory (lower_memory.cpp)
  void lower_action(const LoadGlobal& load, sm::Step& step);
  void lower_action(const StoreGlobal& stored, sm::Step& step);
  void lower_action(const LoadConstant& load, sm::Step& step);
  void lower_action(const AtomicAdd& atomic, sm::Step& step);
  void lower_action(const LoadShared& load, sm::Step& step);
  void lower_action(const StoreShared& stored, sm::Step& step);
  void lower_action(const CopyAsync& copy, sm::Step& step);
  void lower_action(const BulkCopy& copy, sm::Step& step);
  void lower_action(const BulkStore& stored, sm::Step& step);
  [[nodiscard]] std::int32_t global(const GlobalAccess& access, const sm::Step& step);
  [[nodiscard]] std::int32_t shared(const SharedAccess& access, const sm::Step& step);
  [[nodiscard]] std::int32_t box(sm::BoxPlan plan);
  [[nodiscard]] DType type_of(const GlobalAccess& access) const;
  [[nodiscard]] DType type_of(const SharedAccess& access) const;
  template <class Access>
  static void on_registers(const Access& access, DType dtype, sm::Step& step);

  // Arithmetic (lower_math.cpp)
  void lower_action(const Multiply& multiply, sm::Step& step);
  void lower_action(const WarpgroupMultiply& multiply, sm::Step& step);
  void lower_action(const Scale& scale, sm::Step& step);
  void lower_action(const Arithmetic& arithmetic, sm::Step& step);
  void lower_action(const Map& map, sm::Step& step);
  void lower_action(const Reduce& reduce, sm::Step& step);
  static void lower_action(const Shuffle& shuffle, sm::Step& step);
  static void lower_action(const TransposeMatrices& transpose, sm::Step& step);
  void on_lanes(Pipe pipe, sm::Step& step) const;
  void on_lanes_of(const std::optional<PipeSpec>& own, sm::Step& step) const;
  void on_tensor(const Multiply& multiply, sm::Step& step) const;
  void on_banks(const RegisterReads& reads, sm::Step& step) const;

  // Groups and barriers (lower_sync.cpp)
  void lower_action(const CommitGroup& commit, sm::Step& step);
  void lower_action(const WaitGroup& wait, sm::Step& step);
  void lower_action(const BulkCommit& commit, sm::Step& step);
  void lower_action(const BulkWait& wait, sm::Step& step);
  void lower_action(const WarpgroupCommit& commit, sm::Step& step);
  void lower_action(const WarpgroupWait& wait, sm::Step& step);
  void lower_action(const BarrierArrive& arrive, sm::Step& step);
  void lower_action(const BarrierWait& wait, sm::Step& step);
  void lower_action(const CtaBarrier& barrier, sm::Step& step);
  void lower_action(const ClusterBarrier& barrier, sm::Step& step);
  void lower_action(const GridBarrier& barrier, sm::Step& step);
  void lower_action(const RegisterReallocate& reallocate, sm::Step& step);
  static void at_barrier(const BarrierSlot& slot, sm::Step& step);

  const Schedule& schedule_;
  const Profile& profile_;
  const MemoryMap& memory_;
  sm::Kernel kernel_;
  sm::Code code_;             ///< of the role at hand
  WarpRange warps_;           ///< likewise
  bool steps_tiles_ = false;  ///< likewise: a loop of it steps tiles
};

}  // namespace gpusim::machine
