#include "estimate/dram_rows.h"

#include <algorithm>
#include <numeric>

#include "sizes.h"

namespace gpusim::estimate {
namespace {

/// Rows of DRAM in which a slice's stripes of a block lie, at one place of each: channels take turns, in them groups of
/// banks, and where a block has more lines of them than a row of each group holds, rows.
double rows_of_a_place(const Profile& profile) {
  const DramSpec& dram = profile.dram;
  const std::int64_t channels = std::max<std::int64_t>(dram.channels / profile.l2->slices, 1);
  const std::int64_t lines = std::max<std::int64_t>(profile.l2->stripe_bytes.count() / line_bytes / channels, 1);
  const std::int64_t groups = std::max<std::int64_t>(dram.interleaved_groups / lines, 1);
  // Slices that share a channel have their lines of a block there side by side.
  const std::int64_t sharing = std::max<std::int64_t>(profile.l2->slices / dram.channels, 1);
  const std::int64_t row_lines = std::max<std::int64_t>(dram.row_bytes.count() / line_bytes, 1);
  const std::int64_t lines_of_rows = dram.interleaved_groups * row_lines;
  const std::int64_t rows = (lines_a_block * sharing / channels + lines_of_rows - 1) / lines_of_rows;
  return static_cast<double>(channels * groups * rows);
}

}  // namespace

double rows_together(std::int64_t pitch, const Profile& profile) {
  if (!profile.l2 || profile.l2->stripe_bytes == Bytes(0) || pitch <= 0) return 1;
  const std::int64_t slices = std::max<std::int64_t>(profile.l2->slices / profile.l2->partitions, 1);
  const std::int64_t round = slices * profile.l2->stripe_bytes.count();
  const auto in_block = static_cast<double>(slices * lines_a_block * line_bytes) / static_cast<double>(pitch);
  // Pieces of memory go to either of two partitions: where a row begins counts within its piece alone.
  const std::int64_t step = profile.l2->partitions > 1 ? std::gcd(pitch, piece_bytes) : pitch;
  const std::int64_t places = round / std::gcd(step, round);
  const double of_slice = in_block / std::min(in_block, static_cast<double>(places));
  return std::max(of_slice / rows_of_a_place(profile), 1.0);
}

}  // namespace gpusim::estimate
