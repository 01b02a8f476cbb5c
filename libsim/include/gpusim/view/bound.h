// What bounds a run, in a word.
#pragma once

#include <string>

#include "gpusim/result.h"

namespace gpusim::view {

/// The busiest of all servers, when it is busy for most of the run ("sm.tensor", "dram.channel"); else "latency".
[[nodiscard]] std::string bound(const Result& result);

}  // namespace gpusim::view
