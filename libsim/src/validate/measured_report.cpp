// Errors of simulated times, by group and over all.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "gpusim/measured.h"
#include "validate/figures.h"
#include "validate/statistics.h"

namespace gpusim::validate {
namespace {

/// What a refused row counts as.
constexpr double refused_error = in_percent;

/// Collects the rows of a group.
class Errors {
 public:
  void add(const MeasuredRow& row, const RowOutcome& outcome) {
    ++counts_.attempted;
    if (!outcome.simulated_us) {
      ++counts_.refused;
      absolute_.push_back(refused_error);
      return;
    }
    ++counts_.simulated;
    measured_.push_back(row.time_us);
    simulated_.push_back(*outcome.simulated_us);
    signed_.push_back(in_percent * (*outcome.simulated_us / row.time_us - 1));
    absolute_.push_back(std::abs(signed_.back()));
    roofline_.push_back(outcome.roofline_us / row.time_us);
  }

  /// The roofline's absolute errors, each time multiplied by `factor`.
  [[nodiscard]] std::vector<double> roofline_errors(double factor) const {
    std::vector<double> errors;
    for (const double ratio : roofline_) errors.push_back(std::abs(in_percent * (factor * ratio - 1)));
    return errors;
  }
  /// Of the roofline times the factor that leaves as many of the group's rows above as below.
  [[nodiscard]] std::vector<double> scaled_roofline_errors() const {
    return roofline_.empty() ? std::vector<double>() : roofline_errors(1 / median(roofline_));
  }

  /// `scaled`: absolute errors of the roofline with a factor for each group.
  [[nodiscard]] RowErrors sums(const std::vector<double>& scaled) const {
    RowErrors errors = counts_;
    if (counts_.attempted == 0) return errors;
    std::vector<double> sorted = absolute_;
    std::sort(sorted.begin(), sorted.end());
    errors.over = RowErrors::Over();
    RowErrors::Over& over = *errors.over;
    over.mape = mean(sorted);
    over.median_abs = quantile(sorted, 0.5);
    over.p95 = quantile(sorted, 0.95);
    over.max = sorted.back();
    if (simulated_.empty()) return errors;
    over.median_signed = median(signed_);
    over.spearman = spearman(simulated_, measured_);
    over.kendall = kendall(simulated_, measured_);
    over.roofline_mape = mean(roofline_errors(1));
    over.scaled_roofline_mape = mean(scaled);
    return errors;
  }

 private:
  RowErrors counts_;
  std::vector<double> measured_;
  std::vector<double> simulated_;
  std::vector<double> signed_;
  std::vector<double> absolute_;
  std::vector<double> roofline_;  ///< its time over the measured one
};

/// How often each key was counted, in the order in which they came.
class Tally {
 public:
  void count(const std::string& key) {
    const auto [found, is_new] = index_.emplace(key, counts_.size());
    if (is_new) counts_.emplace_back(key, 0);
    ++counts_[found->second].second;
  }
  [[nodiscard]] std::vector<std::pair<std::string, std::size_t>> counts() const { return counts_; }

 private:
  std::map<std::string, std::size_t> index_;
  std::vector<std::pair<std::string, std::size_t>> counts_;
};

}  // namespace

ErrorReport report(const MeasuredRows& table, const SelectedRows& selected, const std::vector<RowOutcome>& outcomes,
                   const std::vector<std::string>& changes) {
  std::map<std::array<std::string, 3>, std::size_t> index;
  std::vector<Errors> groups;
  Errors overall;
  Tally refusals;
  ErrorReport report;
  report.changes = changes;
  for (std::size_t i = 0; i < selected.rows.size(); ++i) {
    const MeasuredRow& row = *table.rows[selected.rows[i]];
    const auto [found, is_new] = index.emplace(std::array{row.gpu, row.kernel, row.dtype}, groups.size());
    if (is_new) {
      groups.emplace_back();
      report.groups.push_back({row.gpu, row.kernel, row.dtype, {}});
    }
    groups[found->second].add(row, outcomes[i]);
    overall.add(row, outcomes[i]);
    if (!outcomes[i].simulated_us) refusals.count(outcomes[i].refused);
  }
  std::vector<double> scaled;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::vector<double> of_group = groups[i].scaled_roofline_errors();
    report.groups[i].errors = groups[i].sums(of_group);
    scaled.insert(scaled.end(), of_group.begin(), of_group.end());
  }
  report.overall = overall.sums(scaled);

  Tally out_of_scope;
  for (const std::size_t row : selected.out_of_scope) out_of_scope.count(table.rows[row]->gpu);
  report.out_of_scope = out_of_scope.counts();
  report.refusals = refusals.counts();
  std::stable_sort(report.refusals.begin(), report.refusals.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return report;
}

}  // namespace gpusim::validate
