// Options that several kernels share.
#pragma once

#include "gpusim/schedules/copy.h"
#include "gpusim/schedules/rows.h"
#include "kernel_command.h"
#include "option_values.h"

namespace app {

[[nodiscard]] OptionGroup stream_option_group();
[[nodiscard]] gpusim::schedules::StreamTiling read_stream_tiling(const Options& options, Problems& problems);
/// `sizes` are the options that say how large the arrays are.
[[nodiscard]] std::vector<Remedy> stream_remedies(const std::vector<std::string>& sizes);

[[nodiscard]] OptionGroup row_option_group();
/// Of how a row's warps meet.
inline constexpr const char* meeting_help =
    "of a row's warps: shuffles (default), first_warp, one_warp, halving, halving_warps, doubling or divergent";
inline constexpr Range instruction_range{0, gpusim::schedules::most_row_instructions};
/// What code for any shape has beside; `more` of them at the end.
[[nodiscard]] OptionGroup row_instructions_group(std::vector<OptionSpec> more);
void read_row_instructions(const Options& options, gpusim::schedules::RowInstructions& beside, Problems& problems);
/// `threads` are chosen by the number of columns where they are not given.
void read_row_tiling(const Options& options, gpusim::schedules::RowTiling& tiling, Problems& problems);
[[nodiscard]] std::vector<Remedy> row_remedies();

}  // namespace app
