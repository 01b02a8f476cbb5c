// Instructions on their way to an SM: when each step of a kernel's code is there for the first warp that wants it.
//
// The instruction caches hold nothing of a kernel when it begins, and all of it from its first use on. Code streams in
// as it lies in memory, whether or not warps wait for it; where the warps go on elsewhere (behind a loop, in another
// role) a new stream begins when the first of them gets there. Not modelled: caches too small for the code, roles that
// share code.
#pragma once

#include <cstdint>
#include <vector>

#include "sm/code.h"
#include "sm/config.h"

namespace gpusim::sm {

/// Whether all roles of both have instructions of the same kinds, as many, in the same loops. Where they point, and how
/// often loops go round, is told a kernel when it is launched.
[[nodiscard]] bool have_same_instructions(const Kernel& one, const Kernel& other);

class InstructionFetch {
 public:
  explicit InstructionFetch(const SmConfig& config) : latency_(config.code_latency), rate_(config.code_rate) {}

  /// Nothing of `kernel` is there; or everything, where code costs nothing.
  void begin(const Kernel& kernel, bool cold);

  /// When the step may issue, asked at `at` by a warp that has got there.
  [[nodiscard]] Cycle there(std::int32_t role, const Code& code, std::uint32_t pc, Cycle at) {
    return there_.empty() ? at : fetch(role, code, pc, at);
  }

 private:
  [[nodiscard]] Cycle fetch(std::int32_t role, const Code& code, std::uint32_t pc, Cycle at);

  Cycles latency_;
  Rate rate_;
  std::vector<std::vector<Cycle>> there_;  ///< by role and step; never: not asked for
  Cycle last_;                             ///< when all that was asked for is there
};

}  // namespace gpusim::sm
