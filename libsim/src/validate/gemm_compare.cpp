// All rows of a selection, shared out over threads.
#include <map>
#include <mutex>

#include "gpusim/profile_io.h"
#include "gpusim/validate.h"
#include "tune/parallel.h"
#include "validate/gemm_protocol.h"

namespace gpusim::validate {
namespace {

std::string_view gpu_of(const MeasuredGemm& row) { return profile_name(row.gpu, row.source); }

}  // namespace

std::optional<std::vector<GemmOutcome>> compare(const GemmTable& table, const std::vector<std::size_t>& rows,
                                                const GemmRun& run, const GemmSimulation& simulation) {
  std::map<std::string, Gpu, std::less<>> gpus;
  for (const std::size_t row : rows) {
    const std::string name(gpu_of(table.rows[row]));
    if (gpus.find(name) == gpus.end()) gpus.emplace(name, Gpu(load_profile(name)));
  }
  std::vector<GemmOutcome> outcomes(rows.size());
  std::mutex mutex;
  const bool complete = tune::in_parallel({run.jobs, run.stop, run.progress}, rows.size(), [&](std::size_t i) {
    if (const auto known = run.known.find(rows[i]); known != run.known.end()) {
      outcomes[i] = known->second;
      return;
    }
    const MeasuredGemm& row = table.rows[rows[i]];
    outcomes[i] = simulation(row, gpus.find(gpu_of(row))->second, run);
    if (run.stop && run.stop()) return;  // it may have ended before the row did
    const std::lock_guard lock(mutex);
    if (run.finished) run.finished(rows[i], outcomes[i]);
  });
  if (!complete) return std::nullopt;
  return outcomes;
}

}  // namespace gpusim::validate
