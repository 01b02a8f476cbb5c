// --layout and --access of 'gpusim banks': a tile in shared memory, and how a warp touches it.
#pragma once

#include "gpusim/schedule.h"
#include "options.h"
#include "values.h"

namespace app {

[[nodiscard]] OptionGroup bank_access_option_group();

struct BankAccess {
  gpusim::SharedTile tile;
  gpusim::SharedAccess access;
  gpusim::SharedRead how = gpusim::SharedRead::lds;
  std::string instruction;  ///< "lds.128"
};

/// Nothing, and problems, when the options make no sense.
[[nodiscard]] std::optional<BankAccess> read_bank_access(const Options& options, Problems& problems);

}  // namespace app
