// How readings of a probe are shown: as a table, as CSV, as JSON.
#pragma once

#include <string>
#include <vector>

#include "gpusim/probe.h"

namespace app {

/// One row a reading, units in the head. Parameters that are the same in all readings stand in the line above.
[[nodiscard]] std::string probe_table(const gpusim::Profile& profile, const gpusim::ProbeKind& kind,
                                      const std::vector<gpusim::ProbeReading>& readings);

/// One row a reading: all parameters, then all quantities; sizes in bytes, nothing where a quantity has no value.
[[nodiscard]] std::string probe_csv(const gpusim::ProbeKind& kind, const std::vector<gpusim::ProbeReading>& readings);

[[nodiscard]] std::string probe_json(const gpusim::Profile& profile, const gpusim::ProbeKind& kind,
                                     const std::vector<gpusim::ProbeReading>& readings);

}  // namespace app
