// All rows of a selection, shared out over threads.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "gpusim/gpu.h"
#include "gpusim/measured.h"

namespace gpusim::validate {

/// What becomes of a row, by its number.
using RowSimulation = std::function<RowOutcome(std::size_t row, const Gpu& gpu)>;

/// An outcome for each of `rows`, in their order, on the GPU that each was measured on; nothing when `run.stop` gave
/// up.
[[nodiscard]] std::optional<std::vector<RowOutcome>> compare_rows(const MeasuredRows& table,
                                                                  const std::vector<std::size_t>& rows,
                                                                  const RowRun& run, const RowSimulation& simulation);

/// What `simulate` gives, or why it threw.
[[nodiscard]] RowOutcome or_refused(const std::function<RowOutcome()>& simulate);

}  // namespace gpusim::validate
