#include "estimate/wavefronts.h"

#include <algorithm>
#include <array>
#include <set>

#include "estimate/coordinate.h"
#include "sizes.h"

namespace gpusim::estimate {
namespace {

constexpr std::int64_t matrix_rows = 8;  ///< of ldmatrix
constexpr std::size_t most_known = 1 << 16;

/// The distinct words that lanes [first, end) ask for.
std::set<std::int64_t> words_of(const SharedAccess& access, const SharedTile& tile, Coordinates at, std::int64_t first,
                                std::int64_t end) {
  std::set<std::int64_t> words;
  for (std::int64_t& lane = coordinate(at, Coordinate::lane) = first; lane < end; ++lane) {
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

/// Every lane of [first, end) begins where the lane `distance` away does.
bool in_equal_pairs(const SharedAccess& access, Coordinates at, std::int64_t first, std::int64_t end,
                    std::int64_t distance) {
  for (std::int64_t lane = first; lane < end; ++lane) {
    coordinate(at, Coordinate::lane) = lane;
    const std::int64_t row = access.row(at);
    const std::int64_t column = access.column(at);
    coordinate(at, Coordinate::lane) = lane ^ distance;
    if (access.row(at) != row || access.column(at) != column) return false;
  }
  return true;
}

/// Lanes from `first` on that are served together: as many as ask for what the banks give in a pass, or twice as many
/// where neighbours share their places.
std::int64_t lanes_served(const SharedAccess& access, const SharedTile& tile, const Coordinates& at, std::int64_t first,
                          std::int64_t most) {
  const std::int64_t bytes = std::max(access.vector * static_cast<std::int64_t>(size_of(tile.dtype)), word_bytes);
  const std::int64_t phase = std::clamp(bank_count * word_bytes / bytes, std::int64_t{1}, most);
  if (2 * phase > most || first % (2 * phase) != 0) return phase;
  const bool paired = in_equal_pairs(access, at, first, first + 2 * phase, 1) ||
                      in_equal_pairs(access, at, first, first + 2 * phase, 2);
  return paired ? 2 * phase : phase;
}

}  // namespace

Wavefronts WavefrontCounter::count(const SharedAccess& access, const Coordinates& at, SharedRead how) {
  Coordinates first = at;
  coordinate(first, Coordinate::lane) = 0;
  const Key key{&access, coordinate(first, Coordinate::warp), coordinate(first, Coordinate::repeat), access.row(first),
                access.column(first)};
  if (const auto found = known_.find(key); found != known_.end()) return found->second;

  const SharedTile& tile = schedule_.shared_tiles.at(static_cast<std::size_t>(access.tile.index()));
  const std::int64_t together = how == SharedRead::lds ? lanes_per_warp : matrix_rows;
  Wavefronts wavefronts;
  for (std::int64_t lane = 0; lane < lanes_per_warp;) {
    const std::int64_t end = lane + lanes_served(access, tile, at, lane, together);
    const std::set<std::int64_t> words = words_of(access, tile, at, lane, end);
    lane = end;
    std::array<std::int64_t, bank_count> wanted{};
    for (const std::int64_t word : words) ++wanted[static_cast<std::size_t>(word % bank_count)];
    wavefronts.taken += *std::max_element(wanted.begin(), wanted.end());
    wavefronts.fewest += (static_cast<std::int64_t>(words.size()) + bank_count - 1) / bank_count;
  }
  if (known_.size() == most_known) known_.clear();
  known_.emplace(key, wavefronts);
  return wavefronts;
}

}  // namespace gpusim::estimate
