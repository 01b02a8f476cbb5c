// Which slice a line belongs to: evenly, whatever the stride.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

#include "fabric/address_map.h"

namespace gpusim::fabric_address_map_test {

using gpusim::fabric::AddressMap;

namespace {

constexpr std::array slice_counts{1, 7, 32, 40, 48, 80, 96};
constexpr std::array stripes{0, 1, 2, 16};  ///< lines of one; 0: lines at random

/// Most lines on one slice over the mean, for `lines` lines a stride apart.
double imbalance(int slices, std::uint64_t stride, std::uint64_t lines, int stripe_lines) {
  const AddressMap map(slices, 1, 1, stripe_lines);
  std::vector<std::uint64_t> hits(static_cast<std::size_t>(slices));
  for (std::uint64_t i = 0; i < lines; ++i) ++hits[map.place_of(i * stride).slice];
  const auto most = static_cast<double>(*std::max_element(hits.begin(), hits.end()));
  return most * slices / static_cast<double>(lines);
}

}  // namespace

TEST_CASE("in every block of sixteen lines a slice each slice has sixteen") {
  constexpr std::uint64_t lines_a_slice = 16;
  for (const int slices : slice_counts) {
    CAPTURE(slices);
    for (const int stripe_lines : stripes) {
      const AddressMap map(slices, 1, 1, stripe_lines);
      const std::uint64_t block = lines_a_slice * static_cast<std::uint64_t>(slices);
      for (const std::uint64_t which : {0, 1, 2, 1000, 123456789}) {
        std::vector<std::uint64_t> lines(static_cast<std::size_t>(slices));
        for (std::uint64_t i = 0; i < block; ++i) ++lines[map.place_of(which * block + i).slice];
        CHECK(*std::min_element(lines.begin(), lines.end()) == lines_a_slice);
        CHECK(*std::max_element(lines.begin(), lines.end()) == lines_a_slice);
      }
    }
  }
}

TEST_CASE("pieces of 4 KiB lie in one of two partitions, half of a block's in each") {
  constexpr std::uint64_t lines_a_piece = 4096 / 128;
  struct Halves {
    int slices, stripe_lines;
  };
  for (const Halves& of : {Halves{32, 0}, {40, 0}, {80, 0}, {96, 0}, {32, 2}, {80, 4}}) {
    const int slices = of.slices, stripe_lines = of.stripe_lines;
    CAPTURE(slices);
    const AddressMap map(slices, 1, 2, stripe_lines);
    const auto half = static_cast<std::size_t>(slices / 2);
    std::uint64_t in_first = 0, split = 0;
    for (std::uint64_t line = 0; line < static_cast<std::uint64_t>(map.block_lines()); ++line) {
      const bool first = map.place_of(line).slice < half;
      in_first += first;
      split += first != (map.place_of(line / lines_a_piece * lines_a_piece).slice < half);
    }
    CHECK(in_first == static_cast<std::uint64_t>(map.block_lines()) / 2);
    CHECK(split == 0);
  }
}

TEST_CASE("a slice's lines are found from their indices") {
  for (const int slices : slice_counts) {
    CAPTURE(slices);
    for (const int partitions : {1, 2})
      for (const int stripe_lines : stripes) {
        if (slices % partitions != 0) continue;
        const AddressMap map(slices, 1, partitions, stripe_lines);
        for (std::uint64_t line = 0; line < 5000; line += 7) {
          const AddressMap::Place place = map.place_of(line);
          CHECK(map.line_of(place.slice, place.index) == line);
        }
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
      for (const int stripe_lines : {0, 2})
        CHECK(imbalance(slices, std::uint64_t{1} << power, 1000 * static_cast<std::uint64_t>(slices), stripe_lines) <=
              bound);
    }
}

TEST_CASE("of stripes, rows of a matrix that lie a power of two apart share rows of DRAM, others do not") {
  constexpr int slices = 32, channels = 64;
  constexpr std::uint64_t lines_a_row = 8;
  // Rows of DRAM that a column of 4096 rows of a matrix lies in.
  const auto rows_of = [](std::uint64_t pitch_bytes, int stripe_lines) {
    const AddressMap map(slices, channels, 1, stripe_lines);
    std::set<std::pair<std::size_t, std::uint64_t>> rows;
    for (std::uint64_t row = 0; row < 4096; ++row) {
      const AddressMap::DramPlace place = map.dram_place_of(map.place_of(row * pitch_bytes / 128));
      rows.emplace(place.channel, place.line / lines_a_row);
    }
    return rows.size();
  };
  CHECK(rows_of(8192, 2) <= 4096 / 3);
  CHECK(rows_of(4096, 2) <= 4096 / 3);
  CHECK(rows_of(8192, 0) >= 4096 * 2 / 3);
  CHECK(rows_of(5120, 2) >= 4096 * 2 / 3);
  CHECK(rows_of(5632, 2) >= 4096 * 2 / 3);
  CHECK(rows_of(1'000'000, 2) >= 4096 * 19 / 20);
}

TEST_CASE("rows of matrices spread over the slices") {
  // Strides that are multiples of the number of slices are the worst for a plain remainder. In stripes one of these, a
  // hundred times 96, comes back to some slices a quarter more often than to the mean one.
  constexpr double bound = 1.15, bound_of_stripes = 1.3;
  for (const int slices : {32, 40, 48, 80, 96})
    for (const int multiple : {1, 2, 3, 16, 100}) {
      CAPTURE(slices);
      CAPTURE(multiple);
      const auto stride = static_cast<std::uint64_t>(slices) * static_cast<std::uint64_t>(multiple);
      CHECK(imbalance(slices, stride, 1000 * static_cast<std::uint64_t>(slices), 0) <= bound);
      CHECK(imbalance(slices, stride, 1000 * static_cast<std::uint64_t>(slices), 2) <= bound_of_stripes);
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
  for (const auto& counts : {std::pair{48, 12}, {96, 40}, {80, 40}, {40, 5}, {7, 7}, {32, 1}}) {
    const int slices = counts.first, channels = counts.second;
    CAPTURE(slices);
    CAPTURE(channels);
    const AddressMap map(slices, channels);
    std::vector<int> slices_of(static_cast<std::size_t>(channels));
    for (int slice = 0; slice < slices; ++slice)
      ++slices_of[map.dram_place_of({static_cast<std::size_t>(slice), 0}).channel];
    const auto [least, most] = std::minmax_element(slices_of.begin(), slices_of.end());
    CHECK(*least >= slices / channels);
    CHECK(*most <= (slices + channels - 1) / channels);
  }
}

TEST_CASE("a channel of several that share a slice's lines has its own, and none is lost") {
  for (const auto& counts : {std::pair{96, 160}, {80, 160}, {7, 21}, {2, 5}}) {
    const int slices = counts.first, channels = counts.second;
    CAPTURE(slices);
    CAPTURE(channels);
    const AddressMap map(slices, channels);
    const int of_slice = channels / slices;
    std::set<std::pair<std::size_t, std::uint64_t>> places;
    std::vector<int> lines(static_cast<std::size_t>(channels));
    for (std::uint64_t line = 0; line < 20'000; ++line) {
      const AddressMap::Place place = map.place_of(line);
      const AddressMap::DramPlace dram = map.dram_place_of(place);
      REQUIRE(dram.channel < static_cast<std::size_t>(channels));
      CHECK(dram.channel / static_cast<std::size_t>(of_slice) == place.slice);
      places.emplace(dram.channel, dram.line);
      ++lines[dram.channel];
    }
    CHECK(places.size() == 20'000);
    CHECK(*std::min_element(lines.begin(), lines.begin() + slices * of_slice) > 0);
  }
}

TEST_CASE("a block that is known, or one that is left, makes no difference to where lines are") {
  for (const int partitions : {1, 2}) {
    const AddressMap map(96, 1, partitions);
    const auto block = static_cast<std::uint64_t>(map.block_lines());
    AddressMap::Block known;
    for (const std::uint64_t line :
         {std::uint64_t{0}, std::uint64_t{5}, block - 1, block, block + 1, 2 * block - 1, 9 * block, block, block - 1,
          std::uint64_t{0}, (std::uint64_t{1} << 56) - 1, 3 * block}) {
      CAPTURE(line);
      const AddressMap::Place alone = map.place_of(line);
      const AddressMap::Place after_others = map.place_of(line, known);
      CHECK(after_others.slice == alone.slice);
      CHECK(after_others.index == alone.index);
    }
  }
}

}  // namespace gpusim::fabric_address_map_test
