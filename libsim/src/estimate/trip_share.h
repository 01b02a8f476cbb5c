// In how many of a loop's trips a guard holds, by looking at a few of them.
#pragma once

#include <cstdint>
#include <functional>

namespace gpusim::estimate {

inline constexpr std::int64_t trip_samples = 8;

/// The `sample`-th of trip_samples trips that are spread out and not all of the same remainder.
[[nodiscard]] std::int64_t sampled_trip(std::int64_t trips, std::int64_t sample);

/// The share of so many trips in which it holds: exact of a guard that holds up to some trip, or from one on, and of
/// any in short loops; of others the sampled trips tell.
[[nodiscard]] double share_of_trips(std::int64_t trips, const std::function<bool(std::int64_t trip)>& holds);

}  // namespace gpusim::estimate
