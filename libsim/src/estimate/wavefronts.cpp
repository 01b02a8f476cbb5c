#include "estimate/wavefronts.h"

#include <algorithm>
#include <array>
#include <set>

namespace gpusim::estimate {
namespace {

constexpr std::int64_t lanes_per_warp = 32;
constexpr std::int64_t bank_count = 32;
constexpr std::int64_t word_bytes = 4;
constexpr std::size_t most_known = 1 << 16;

std::int64_t& coordinate(Coordinates& at, Coordinate which) { return at[static_cast<std::size_t>(which)]; }

/// The distinct words its lanes ask for.
std::set<std::int64_t> words_of(const SharedAccess& access, const SharedTile& tile, Coordinates at) {
  std::set<std::int64_t> words;
  for (std::int64_t& lane = coordinate(at, Coordinate::lane) = 0; lane < lanes_per_warp; ++lane) {
    if (access.lanes && access.lanes->value(at) >= access.lanes->limit) continue;
    const std::int64_t row = access.row(at);
    const std::int64_t column = access.column(at);
    for (std::int64_t element = 0; element < access.vector; ++element) {
      const std::int64_t begin = offset_of(tile, row, column + element).count();
      for (std::int64_t byte = 0; byte < size_of(tile.dtype); byte += word_bytes)
        words.insert((begin + byte) / word_bytes);
    }
  }
  return words;
}

}  // namespace

Wavefronts WavefrontCounter::count(const SharedAccess& access, const Coordinates& at) {
  Coordinates first = at;
  coordinate(first, Coordinate::lane) = 0;
  const Key key{&access, coordinate(first, Coordinate::warp), coordinate(first, Coordinate::repeat), access.row(first),
                access.column(first)};
  if (const auto found = known_.find(key); found != known_.end()) return found->second;

  const std::set<std::int64_t> words =
      words_of(access, schedule_.shared_tiles.at(static_cast<std::size_t>(access.tile.index())), at);
  std::array<std::int64_t, bank_count> wanted{};
  for (const std::int64_t word : words) ++wanted[static_cast<std::size_t>(word % bank_count)];
  const Wavefronts wavefronts{*std::max_element(wanted.begin(), wanted.end()),
                              (static_cast<std::int64_t>(words.size()) + bank_count - 1) / bank_count};
  if (known_.size() == most_known) known_.clear();
  known_.emplace(key, wavefronts);
  return wavefronts;
}

}  // namespace gpusim::estimate
