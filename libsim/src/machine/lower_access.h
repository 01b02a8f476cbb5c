// Lowering of memory accesses: which lanes are active and where they begin, warp by warp and repeat by repeat.
#pragma once

#include "gpusim/schedule.h"
#include "machine/memory_map.h"
#include "sm/banks.h"
#include "sm/coalescer.h"

namespace gpusim::machine {

/// Warps [first, first + count) of a CTA.
struct WarpRange {
  int first = 0;
  int count = 0;
};

[[nodiscard]] sm::GlobalPlan lower_global(const GlobalAccess& access, std::int64_t repeats, WarpRange warps,
                                          const Schedule& schedule, const MemoryMap& memory);
[[nodiscard]] sm::SharedPlan lower_shared(const SharedAccess& access, std::int64_t repeats, WarpRange warps,
                                          const Schedule& schedule);
[[nodiscard]] sm::BoxPlan lower_box(const BulkCopy& copy, const Schedule& schedule, const MemoryMap& memory);
[[nodiscard]] sm::BoxPlan lower_box(const BulkStore& stored, const Schedule& schedule, const MemoryMap& memory);

}  // namespace gpusim::machine
