// Errors of simulated times, by group and over all.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "gpusim/validate.h"

namespace gpusim::validate {
namespace {

constexpr double percent = 100;

/// Linear between the two nearest ranks; `values` is sorted and not empty.
double quantile(const std::vector<double>& values, double share) {
  const double rank = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(rank));
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (rank - std::floor(rank)) * (values[above] - values[below]);
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Collects the rows of a group.
class Errors {
 public:
  void add(const MeasuredGemm& row, const GemmOutcome& outcome) {
    ++counts_.attempted;
    if (!outcome.simulated_us) {
      ++counts_.refused;
      return;
    }
    ++counts_.simulated;
    const double error = percent * (*outcome.simulated_us / row.time_us - 1);
    signed_.push_back(error);
    absolute_.push_back(std::abs(error));
    roofline_.push_back(std::abs(percent * (outcome.roofline_us / row.time_us - 1)));
  }

  [[nodiscard]] GemmErrors sums() {
    if (absolute_.empty()) return counts_;
    std::sort(signed_.begin(), signed_.end());
    std::sort(absolute_.begin(), absolute_.end());
    GemmErrors::Over over;
    over.mape = mean(absolute_);
    over.median_abs = quantile(absolute_, 0.5);
    over.median_signed = quantile(signed_, 0.5);
    over.p95 = quantile(absolute_, 0.95);
    over.max = absolute_.back();
    over.roofline_mape = mean(roofline_);
    counts_.over = over;
    return counts_;
  }

 private:
  GemmErrors counts_;
  std::vector<double> signed_;
  std::vector<double> absolute_;
  std::vector<double> roofline_;
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

GemmReport report(const GemmTable& table, const SelectedGemms& selected, const std::vector<GemmOutcome>& outcomes) {
  std::map<std::pair<std::string, DType>, std::size_t> index;
  std::vector<Errors> groups;
  Errors overall;
  Tally refusals;
  GemmReport report;
  for (std::size_t i = 0; i < selected.rows.size(); ++i) {
    const MeasuredGemm& row = table.rows[selected.rows[i]];
    const auto [found, is_new] = index.emplace(std::pair{row.gpu, row.input}, groups.size());
    if (is_new) {
      groups.emplace_back();
      report.groups.push_back({row.gpu, std::string(name(row.input)), {}});
    }
    groups[found->second].add(row, outcomes[i]);
    overall.add(row, outcomes[i]);
    if (!outcomes[i].simulated_us) refusals.count(outcomes[i].refused);
  }
  for (std::size_t i = 0; i < groups.size(); ++i) report.groups[i].errors = groups[i].sums();
  report.overall = overall.sums();

  Tally out_of_scope;
  for (const std::size_t row : selected.out_of_scope) out_of_scope.count(table.rows[row].gpu);
  report.out_of_scope = out_of_scope.counts();
  report.refusals = refusals.counts();
  std::stable_sort(report.refusals.begin(), report.refusals.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return report;
}

}  // namespace gpusim::validate
