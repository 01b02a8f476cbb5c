// Instruction rates of a sub-partition's pipes.
#pragma once

#include <cstdint>

#include "gpusim/profile.h"
#include "gpusim/units.h"

namespace gpusim::machine {

/// Warp instructions a cycle of a pipe with lanes.
[[nodiscard]] Rate lane_rate(const PipeSpec& pipe, std::int64_t sub_partitions);
/// Warp instructions a cycle of the tensor pipe in one mode.
[[nodiscard]] Rate mma_rate(const TensorModeSpec& mode, std::int64_t sub_partitions);

/// Warp instructions a cycle that a sub-partition's tensor pipe does of its quarter of an m64n8 wgmma.
[[nodiscard]] Rate wgmma_rate(const TensorModeSpec& mode, const Profile& profile);

/// Modes of different rate share the tensor pipe. Its server counts in parts of a cycle, so many a cycle that an
/// instruction of any mode costs a whole number of them. Throws ProfileError when the rates have no common measure
/// below 2^40.
[[nodiscard]] std::int64_t tensor_parts_per_cycle(const Profile& profile);
/// What one instruction costs in those parts; 0 when the mode's rate is unlimited.
[[nodiscard]] std::int64_t mma_parts(const TensorModeSpec& mode, const Profile& profile);
/// The same of a warp's quarter of an m64nN wgmma.
[[nodiscard]] std::int64_t wgmma_parts(const TensorModeSpec& mode, std::int64_t n, const Profile& profile);

}  // namespace gpusim::machine
