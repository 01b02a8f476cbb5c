// A row's kernels, run as its source ran them.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "gpusim/gpu.h"
#include "gpusim/measured.h"
#include "validate/gemm_protocol.h"
#include "validate/timed_run.h"

namespace gpusim::validate {

/// The row's clock, or where the search for it begins.
[[nodiscard]] std::int64_t first_clock(const RowRun& run, const GemmProtocol& protocol, const Profile& profile);

/// Whether what is run over and over finds so many bytes in L2 again: where the halves of L2 keep lines for each other,
/// half of them are there twice. Without L2, or with one that has no end, it does.
[[nodiscard]] bool stays_in_l2(std::int64_t bytes, const Profile& profile);

/// Microseconds that are in the source's time of a call of so many kernels, beside them. `copies` of the weights take
/// turns.
[[nodiscard]] double time_beside(const GemmProtocol& protocol, const LaunchSpec& launch, std::size_t kernels,
                                 std::int64_t copies = 1);

/// The GPU with the values that the source had in operands of that type: zeros draw less.
[[nodiscard]] Gpu as_measured(const Gpu& gpu, const GemmProtocol& protocol, DType operands);

/// The launch, and before it others of its kind where the protocol begins cold after those.
[[nodiscard]] std::vector<Schedule> as_begun(const std::vector<Schedule>& launch, const GemmProtocol& protocol,
                                             const Profile& profile);

/// RunOptions::l2_dirty_percent where the protocol clears L2 before the launch, else 0.
[[nodiscard]] int dirty_percent_at_begin(const GemmProtocol& protocol, const Profile& profile);

/// What its source ran over and over.
struct RepeatedWork {
  double multiply_adds = 0;  ///< of the row
  std::int64_t copies = 1;   ///< a repeat does them with each copy of the weights
};

/// What the board may draw when a row takes `us`; empty where its clock does not follow from power. It refers to the
/// GPU, run and protocol.
[[nodiscard]] std::function<double(double us)> watts_of(const Gpu& gpu, const RowRun& run, const GemmProtocol& protocol,
                                                        RepeatedWork work);

/// Of a GPU that is as_measured(): at the row's clock, looked for from that of `options` where power decides it.
[[nodiscard]] TimedRun run_as_measured(const Launches& launches, const Gpu& gpu, const RowRun& run,
                                       const GemmProtocol& protocol, const RunOptions& options, RepeatedWork work);

}  // namespace gpusim::validate
