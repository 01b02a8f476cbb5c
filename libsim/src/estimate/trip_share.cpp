#include "estimate/trip_share.h"

#include <algorithm>
#include <array>

namespace gpusim::estimate {
namespace {

constexpr std::int64_t few_trips = 16;  ///< all are looked at

double share(std::int64_t part, std::int64_t whole) { return static_cast<double>(part) / static_cast<double>(whole); }

}  // namespace

std::int64_t sampled_trip(std::int64_t trips, std::int64_t sample) {
  if (trips <= trip_samples) return sample % trips;
  const std::int64_t apart = trips / trip_samples;
  return sample * apart + sample % apart;
}

double share_of_trips(std::int64_t trips, const std::function<bool(std::int64_t trip)>& holds) {
  if (trips <= few_trips) {
    std::int64_t holding = 0;
    for (std::int64_t trip = 0; trip < trips; ++trip) holding += holds(trip) ? 1 : 0;
    return share(holding, trips);
  }
  std::array<std::int64_t, trip_samples + 1> at{};  // and the last one; the first is a sample
  for (std::size_t sample = 0; sample < trip_samples; ++sample)
    at[sample] = sampled_trip(trips, static_cast<std::int64_t>(sample));
  at.back() = trips - 1;
  std::array<bool, trip_samples + 1> held{};
  std::transform(at.begin(), at.end(), held.begin(), holds);

  const auto* const change = std::adjacent_find(held.cbegin(), held.cend(), std::not_equal_to());
  if (change == held.cend()) return held.front() ? 1 : 0;
  if (std::adjacent_find(change + 1, held.cend(), std::not_equal_to()) != held.cend())
    return share(std::count(held.cbegin(), held.cend() - 1, true), trip_samples);
  std::int64_t as_first = at[static_cast<std::size_t>(change - held.cbegin())];
  std::int64_t other = at[static_cast<std::size_t>(change + 1 - held.cbegin())];
  while (other - as_first > 1) {
    const std::int64_t middle = as_first + (other - as_first) / 2;
    (holds(middle) == held.front() ? as_first : other) = middle;
  }
  return share(held.front() ? other : trips - other, trips);
}

}  // namespace gpusim::estimate
