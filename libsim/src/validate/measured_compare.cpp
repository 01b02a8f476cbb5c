#include "validate/measured_compare.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "gpusim/profile_io.h"
#include "gpusim/validate.h"
#include "tune/parallel.h"
#include "validate/figures.h"
#include "validate/gemm_protocol.h"

namespace gpusim::validate {
namespace {

/// A GPU as a source had it.
struct Board {
  std::string_view name;
  bool check_bytes = true;
  std::optional<std::int64_t> highest_mhz = {};
  bool operator<(const Board& other) const {
    return std::tie(name, check_bytes, highest_mhz) < std::tie(other.name, other.check_bytes, other.highest_mhz);
  }
};

Board board_of(const MeasuredRow& row) {
  const GemmProtocol& protocol = protocol_of(row.source);
  return {profile_name(row.gpu, row.source), !protocol.without_check_bytes, protocol.highest_mhz};
}

void keep_below(std::int64_t highest_mhz, Profile& profile) {
  ClockSpec& clock = profile.clock;
  for (std::int64_t ClockSpec::*each : {&ClockSpec::boost_mhz, &ClockSpec::sustained_mhz, &ClockSpec::base_mhz})
    clock.*each = std::min(clock.*each, highest_mhz);
  if (profile.power) profile.power->max_mhz = 0;  // the boost clock's
}

Gpu gpu_of(const Board& board, const std::vector<std::string>& changes) {
  Profile profile = load_profile(board.name);
  if (!board.check_bytes) profile.dram.ecc_percent = 0;
  if (board.highest_mhz) keep_below(*board.highest_mhz, profile);
  try {
    for (const std::string& change : changes) set(profile, change);
    return Gpu(std::move(profile));
  } catch (const ProfileError& error) {
    std::vector<Problem> problems = error.problems();
    for (Problem& problem : problems) problem.where = std::string(board.name) + ": " + problem.where;
    throw ProfileError(std::move(problems));
  }
}

}  // namespace

std::vector<RowProfile> profiles(const MeasuredRows& table) {
  std::set<std::string> names;
  for (const MeasuredRow* row : table.rows) names.emplace(profile_name(row->gpu, row->source));
  std::vector<RowProfile> found;
  for (const std::string& name : names) {
    if (find_out_of_scope(name)) continue;
    RowProfile& profile = found.emplace_back(RowProfile{name, 0, {}});
    profile.digest = digest(load_profile(name, profile.files));
  }
  return found;
}

std::optional<std::vector<RowOutcome>> compare_rows(const MeasuredRows& table, const std::vector<std::size_t>& rows,
                                                    const RowRun& run, const RowSimulation& simulation) {
  std::map<Board, Gpu> gpus;
  for (const std::size_t row : rows) {
    const Board board = board_of(*table.rows[row]);
    if (gpus.find(board) == gpus.end()) gpus.emplace(board, gpu_of(board, run.changes));
  }
  std::vector<RowOutcome> outcomes(rows.size());
  std::mutex mutex;
  const bool complete = tune::in_parallel({run.jobs, run.stop, run.progress}, rows.size(), [&](std::size_t i) {
    if (const auto known = run.known.find(rows[i]); known != run.known.end()) {
      outcomes[i] = known->second;
      return;
    }
    outcomes[i] = simulation(rows[i], gpus.at(board_of(*table.rows[rows[i]])));
    if (run.stop && run.stop()) return;  // it may have ended before the row did
    const std::lock_guard lock(mutex);
    if (run.finished) run.finished(rows[i], outcomes[i]);
  });
  if (!complete) return std::nullopt;
  return outcomes;
}

RowOutcome or_refused(const std::function<RowOutcome()>& simulate) {
  RowOutcome outcome;
  try {
    return simulate();
  } catch (const InputError& error) {
    outcome.refused = joined(error.problems());
  } catch (const DeadlockError& error) {
    outcome.refused = "deadlock: " + error.waits().front();
  }
  return outcome;
}

std::optional<std::vector<GemmOutcome>> compare(const GemmTable& table, const std::vector<std::size_t>& rows,
                                                const GemmRun& run, const GemmSimulation& simulation) {
  return compare_rows(table, rows, run,
                      [&](std::size_t row, const Gpu& gpu) { return simulation(table.rows[row], gpu, run); });
}

}  // namespace gpusim::validate
