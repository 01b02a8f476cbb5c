// All rows of a selection, shared out over threads.
#include <atomic>
#include <exception>
#include <map>
#include <mutex>
#include <thread>

#include "gpusim/profile_io.h"
#include "gpusim/validate.h"
#include "validate/gemm_protocol.h"

namespace gpusim::validate {
namespace {

class Comparison {
 public:
  Comparison(const GemmTable& table, const std::vector<std::size_t>& rows, const GemmRun& run,
             const GemmSimulation& simulation)
      : table_(table), rows_(rows), run_(run), simulation_(simulation), outcomes_(rows.size()), failures_(rows.size()) {
    for (const std::size_t row : rows) {
      const std::string name(name_of(table.rows[row]));
      if (gpus_.find(name) == gpus_.end()) gpus_.emplace(name, Gpu(load_profile(name)));
    }
  }

  std::optional<std::vector<GemmOutcome>> outcomes() {
    std::vector<std::thread> others;
    for (int i = 1; i < run_.jobs; ++i) others.emplace_back([this] { work(); });
    work();
    for (std::thread& other : others) other.join();
    // The first row's failure, whichever thread came upon one first.
    for (const std::exception_ptr& failure : failures_)
      if (failure) std::rethrow_exception(failure);
    if (stopped_) return std::nullopt;
    return std::move(outcomes_);
  }

 private:
  static std::string_view name_of(const MeasuredGemm& row) { return profile_name(row.gpu, row.source); }

  void work() {
    while (!stopped_) {
      const std::size_t i = next_++;
      if (i >= rows_.size()) return;
      try {
        const MeasuredGemm& row = table_.rows[rows_[i]];
        outcomes_[i] = simulation_(row, gpus_.find(name_of(row))->second, run_);
      } catch (...) {
        failures_[i] = std::current_exception();
        next_ = rows_.size();
      }
      finish();
    }
  }

  void finish() {
    if (run_.stop && run_.stop()) stopped_ = true;
    const std::lock_guard lock(mutex_);
    ++done_;
    if (run_.progress) run_.progress(done_, rows_.size());
  }

  const GemmTable& table_;
  const std::vector<std::size_t>& rows_;
  const GemmRun& run_;
  const GemmSimulation& simulation_;
  std::map<std::string, Gpu, std::less<>> gpus_;
  std::vector<GemmOutcome> outcomes_;
  std::vector<std::exception_ptr> failures_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;
  std::size_t done_ = 0;
};

}  // namespace

std::optional<std::vector<GemmOutcome>> compare(const GemmTable& table, const std::vector<std::size_t>& rows,
                                                const GemmRun& run, const GemmSimulation& simulation) {
  return Comparison(table, rows, run, simulation).outcomes();
}

}  // namespace gpusim::validate
