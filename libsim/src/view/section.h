// The sections of the text view, each ending with a newline; empty when there is nothing to say.
#pragma once

#include <string>

#include "gpusim/result.h"

namespace gpusim::view {

/// What ran, on what.
[[nodiscard]] std::string title_section(const Result& result);
/// Cycles, time and rate of the whole run, the roofline beside, and what bounds it.
[[nodiscard]] std::string speed_section(const Result& result);
/// CTAs, waves and warps of one kernel.
[[nodiscard]] std::string occupancy_section(const Result& result, const KernelResult& kernel);
/// How busy the GPU was, in the terms of monitoring tools.
[[nodiscard]] std::string activity_section(const Result& result);
/// What the run draws, and the clock the board's limit leaves it; empty when the profile says nothing of power.
[[nodiscard]] std::string power_section(const Result& result);
/// Where warps spent their cycles.
[[nodiscard]] std::string stall_section(const KernelResult& kernel);
/// Bytes, bandwidth and hit rates by level.
[[nodiscard]] std::string traffic_section(const Result& result, const KernelResult& kernel);
/// Mean cycles of reads by hop.
[[nodiscard]] std::string receipt_section(const KernelResult& kernel);
/// Servers and pools.
[[nodiscard]] std::string resource_section(const Result& result);

}  // namespace gpusim::view
