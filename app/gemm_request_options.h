// --tile, --schedule, --stages and the like: how a matrix product is cut, as far as the user says.
#pragma once

#include <optional>
#include <vector>

#include "gpusim/schedules/gemm.h"
#include "options.h"
#include "values.h"

namespace app {

/// Headings and options, one for each member of GemmRequest.
[[nodiscard]] std::vector<OptionGroup> gemm_request_option_groups();

[[nodiscard]] gpusim::schedules::GemmRequest read_gemm_request(const Options& options, Problems& problems);

/// Whether --schedule or --tile says auto: the rest is chosen by trying.
[[nodiscard]] bool is_chosen_by_trying(const Options& options);
/// The tile that is not to be chosen.
[[nodiscard]] std::optional<gpusim::schedules::GemmTile> fixed_tile(const Options& options,
                                                                    const gpusim::schedules::GemmRequest& request);

}  // namespace app
