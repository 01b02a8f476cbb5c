// Which slice a line belongs to: evenly, whatever the stride.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

#include "fabric/address_map.h"

using gpusim::fabric::AddressMap;

namespace {

constexpr std::array slice_counts{1, 7, 32, 40, 48, 80, 96};

/// Most lines on one slice over the mean, for `lines` lines a stride apart.
double imbalance(int slices, std::uint64_t stride, std::uint64_t lines) {
  const AddressMap map(slices, 1);
  std::vector<std::uint64_t> hits(static_cast<std::size_t>(slices));
  for (std::uint64_t i = 0; i < lines; ++i) ++hits[map.place_of(i * stride).slice];
  const auto most = static_cast<double>(*std::max_element(hits.begin(), hits.end()));
  return most * slices / static_cast<double>(lines);
}

}  // namespace

TEST_CASE("as many consecutive lines as there are slices visit each slice once") {
  for (const int slices : slice_counts) {
    CAPTURE(slices);
    const AddressMap map(slices, 1);
    for (const std::uint64_t run : {0, 1, 2, 1000, 123456789}) {
      std::set<std::size_t> visited;
      for (int i = 0; i < slices; ++i)
        visited.insert(map.place_of(run * static_cast<std::uint64_t>(slices) + static_cast<std::uint64_t>(i)).slice);
      CHECK(visited.size() == static_cast<std::size_t>(slices));
      CHECK(*visited.rbegin() == static_cast<std::size_t>(slices) - 1);
    }
  }
}

TEST_CASE("lines a power of two apart spread over the slices") {
  // 1000 lines a slice: chance alone puts one slice about 10 % above the mean (three standard deviations).
  constexpr double bound = 1.15;
  for (const int slices : {32, 40, 48, 80, 96})
    for (int power = 0; power <= 20; ++power) {
      CAPTURE(slices);
      CAPTURE(power);
      CHECK(imbalance(slices, std::uint64_t{1} << power, 1000 * static_cast<std::uint64_t>(slices)) <= bound);
    }
}

TEST_CASE("rows of matrices spread over the slices") {
  // Strides that are multiples of the number of slices are the worst for a plain remainder.
  constexpr double bound = 1.15;
  for (const int slices : {32, 40, 48, 80, 96})
    for (const int multiple : {1, 2, 3, 16, 100}) {
      CAPTURE(slices);
      CAPTURE(multiple);
      const auto stride = static_cast<std::uint64_t>(slices) * static_cast<std::uint64_t>(multiple);
      CHECK(imbalance(slices, stride, 1000 * static_cast<std::uint64_t>(slices)) <= bound);
    }
}

TEST_CASE("different lines have different places") {
  for (const int slices : slice_counts) {
    const AddressMap map(slices, 1);
    std::set<std::pair<std::size_t, std::uint64_t>> places;
    for (std::uint64_t line = 0; line < 10'000; ++line) {
      const AddressMap::Place place = map.place_of(line);
      places.emplace(place.slice, place.index);
    }
    CHECK(places.size() == 10'000);
  }
}

TEST_CASE("slices are shared out evenly over channels") {
  for (const auto& [slices, channels] : {std::pair{48, 12}, {96, 40}, {80, 40}, {40, 5}, {7, 7}, {32, 1}}) {
    CAPTURE(slices);
    CAPTURE(channels);
    const AddressMap map(slices, channels);
    std::vector<int> slices_of(static_cast<std::size_t>(channels));
    for (int slice = 0; slice < slices; ++slice) ++slices_of[map.channel_of(static_cast<std::size_t>(slice))];
    const auto [least, most] = std::minmax_element(slices_of.begin(), slices_of.end());
    CHECK(*least >= slices / channels);
    CHECK(*most <= (slices + channels - 1) / channels);
  }
}
