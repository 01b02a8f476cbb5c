// Sums over measured and simulated values.
#pragma once

#include <optional>
#include <vector>

namespace gpusim::validate {

/// Of values that are not empty.
[[nodiscard]] double mean(const std::vector<double>& values);

/// The value below which `share` of the values lie, linear between the two nearest ranks. `sorted` is not empty.
[[nodiscard]] double quantile(const std::vector<double>& sorted, double share);

/// Of values in any order, not empty.
[[nodiscard]] double median(std::vector<double> values);

/// Spearman's rank correlation of pairs (a[i], b[i]); equal values share their mean rank. None when one side has no
/// two different values.
[[nodiscard]] std::optional<double> spearman(const std::vector<double>& a, const std::vector<double>& b);

/// Kendall's tau-b of pairs (a[i], b[i]): agreeing less disagreeing pairs of them, by the geometric mean of those that
/// are no tie in a and those that are none in b. None when one side has no two different values.
[[nodiscard]] std::optional<double> kendall(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace gpusim::validate
