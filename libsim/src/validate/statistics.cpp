#include "validate/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace gpusim::validate {
namespace {

/// From 0; of equal values the mean of their places.
std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last + 1 < order.size() && values[order[last + 1]] == values[order[first]]) ++last;
    for (std::size_t i = first; i <= last; ++i) ranks[order[i]] = static_cast<double>(first + last) / 2;
    first = last + 1;
  }
  return ranks;
}

}  // namespace

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double quantile(const std::vector<double>& sorted, double share) {
  const double rank = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(rank));
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (rank - std::floor(rank)) * (sorted[above] - sorted[below]);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return quantile(values, 0.5);
}

std::optional<double> spearman(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.empty()) return std::nullopt;
  const std::vector<double> rank_a = ranks(a);
  const std::vector<double> rank_b = ranks(b);
  const double middle = mean(rank_a);
  double product = 0;
  double square_a = 0;
  double square_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    product += (rank_a[i] - middle) * (rank_b[i] - middle);
    square_a += (rank_a[i] - middle) * (rank_a[i] - middle);
    square_b += (rank_b[i] - middle) * (rank_b[i] - middle);
  }
  if (square_a == 0 || square_b == 0) return std::nullopt;
  return product / std::sqrt(square_a * square_b);
}

std::optional<double> kendall(const std::vector<double>& a, const std::vector<double>& b) {
  const auto sign = [](double value) { return (value > 0 ? 1 : 0) - (value < 0 ? 1 : 0); };
  std::int64_t agreeing = 0;  // less the disagreeing
  std::int64_t different_a = 0;
  std::int64_t different_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const std::int64_t by_a = sign(a[i] - a[j]);
      const std::int64_t by_b = sign(b[i] - b[j]);
      agreeing += by_a * by_b;
      different_a += by_a * by_a;
      different_b += by_b * by_b;
    }
  if (different_a == 0 || different_b == 0) return std::nullopt;
  return static_cast<double>(agreeing) / std::sqrt(static_cast<double>(different_a) * static_cast<double>(different_b));
}

}  // namespace gpusim::validate
