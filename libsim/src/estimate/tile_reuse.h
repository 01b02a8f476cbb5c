// What DRAM must deliver when L2 keeps what tiles share.
//
// CTAs that run together, a wave, load each panel once. The next wave finds what the last few touched, as many of them
// as L2 holds.
#pragma once

#include <vector>

#include "estimate/footprint.h"
#include "gpusim/profile.h"
#include "gpusim/run_options.h"
#include "gpusim/schedule.h"

namespace gpusim::estimate {

struct MemoryBytes {
  double read = 0;
  double rows_opened = 0;  ///< for what is read of lines one after another; others find their neighbours' open
  double written = 0;
  double distinct = 0;  ///< read by the SMs, each wave's panels once
};

/// `together` CTAs run at a time, each with `items` work items, reading and storing these panels.
[[nodiscard]] MemoryBytes memory_bytes(const Schedule& schedule, const Profile& profile, const RunOptions& options,
                                       const std::vector<Panel>& read, const std::vector<Panel>& stored,
                                       std::int64_t together, std::int64_t items);

}  // namespace gpusim::estimate
