#include "estimate/tile_reuse.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "estimate/dram_rows.h"

namespace gpusim::estimate {
namespace {

constexpr std::int64_t most_ctas = 1024;  ///< looked at of a wave
constexpr std::int64_t most_waves_kept = 4;
constexpr std::int64_t most_samples = 3;

using Places = std::vector<std::int64_t>;  ///< sorted, each once

/// Of memory that is read.
struct Amount {
  double bytes = 0;
  double rows_opened = 0;
};

/// Rows that DRAM opens for a byte of what the panel reads.
double rows_a_byte(const Panel& panel, const Profile& profile) {
  if (panel.lines_alone() == 0) return 0;
  const Buffer& buffer = panel.buffer();
  return panel.lines_alone() / rows_together(buffer.pitch * size_of(buffer.dtype), profile);
}

Places merged(const Places& a, const Places& b) {
  Places both;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

class Waves {
 public:
  Waves(const Schedule& schedule, const Profile& profile, const std::vector<Panel>& read, std::int64_t together,
        std::int64_t items)
      : schedule_(schedule),
        profile_(profile),
        read_(read),
        together_(together),
        items_(items),
        ctas_(cta_count(schedule)) {}

  [[nodiscard]] std::int64_t count() const { return items_ * ((ctas_ + together_ - 1) / together_); }

  /// Of a wave's panels, what none of the `kept` waves before it has.
  [[nodiscard]] Amount anew(std::int64_t wave, std::int64_t kept) const {
    std::vector<Places> before(read_.size());
    for (std::int64_t past = std::max<std::int64_t>(wave - kept, 0); past < wave; ++past) {
      const std::vector<Places> places = places_of(past);
      for (std::size_t i = 0; i < places.size(); ++i) before[i] = merged(before[i], places[i]);
    }
    const std::vector<Places> now = places_of(wave);
    Amount sum;
    for (std::size_t i = 0; i < now.size(); ++i) {
      Places missing;
      std::set_difference(now[i].begin(), now[i].end(), before[i].begin(), before[i].end(),
                          std::back_inserter(missing));
      const double whole = static_cast<double>(size_of(read_[i].buffer()).count());
      const double bytes = std::min(static_cast<double>(missing.size()) * read_[i].bytes(), whole);
      sum.bytes += bytes;
      sum.rows_opened += bytes * rows_a_byte(read_[i], profile_);
    }
    return sum;
  }

 private:
  /// Where each panel's copies of a wave are.
  [[nodiscard]] std::vector<Places> places_of(std::int64_t wave) const {
    const std::int64_t first = wave / items_ * together_;
    const std::int64_t end = std::min({first + together_, ctas_, first + most_ctas});
    std::vector<Places> places(read_.size());
    for (std::int64_t cta = first; cta < end; ++cta) {
      const CtaId id(static_cast<std::int32_t>(cta));
      if (wave % items_ >= work_items(schedule_, id)) continue;
      const WorkItem item = work_item(schedule_, id, wave % items_);
      Coordinates at{};
      at[static_cast<std::size_t>(Coordinate::block_m)] = item.block_m;
      at[static_cast<std::size_t>(Coordinate::block_n)] = item.block_n;
      at[static_cast<std::size_t>(Coordinate::block_z)] = item.block_z;
      at[static_cast<std::size_t>(Coordinate::k_begin)] = item.k_first;
      for (std::size_t i = 0; i < read_.size(); ++i) places[i].push_back(read_[i].place(at));
    }
    for (Places& each : places) {
      std::sort(each.begin(), each.end());
      each.erase(std::unique(each.begin(), each.end()), each.end());
    }
    return places;
  }

  const Schedule& schedule_;
  const Profile& profile_;
  const std::vector<Panel>& read_;
  std::int64_t together_;
  std::int64_t items_;
  std::int64_t ctas_;
};

/// The buffers that panels lie in, each once and whole.
Amount all_of_buffers(const std::vector<Panel>& panels, const Profile& profile, const RunOptions* only_cold) {
  std::vector<const Buffer*> seen;
  Amount sum;
  for (const Panel& panel : panels) {
    const Buffer* buffer = &panel.buffer();
    if (std::find(seen.begin(), seen.end(), buffer) != seen.end()) continue;
    seen.push_back(buffer);
    if (only_cold != nullptr) {
      const auto named = only_cold->l2_by_buffer.find(buffer->name);
      const L2State state = named != only_cold->l2_by_buffer.end() ? named->second : only_cold->l2;
      if (state == L2State::warm) continue;
    }
    const auto bytes = static_cast<double>(size_of(*buffer).count());
    double rows = 0;
    for (const Panel& other : panels)
      if (&other.buffer() == buffer) rows = std::max(rows, rows_a_byte(other, profile));
    sum.bytes += bytes;
    sum.rows_opened += bytes * rows;
  }
  return sum;
}

/// Each half of an L2 with two keeps copies of what it uses of the other's.
double usable_l2(const Profile& profile) {
  if (!profile.l2) return 0;
  if (profile.l2->capacity.is_unlimited()) return std::numeric_limits<double>::infinity();
  const std::int64_t bytes = profile.l2->capacity.value().count() / profile.l2->partitions;
  return static_cast<double>(bytes);
}

}  // namespace

MemoryBytes memory_bytes(const Schedule& schedule, const Profile& profile, const RunOptions& options,
                         const std::vector<Panel>& read, const std::vector<Panel>& stored, std::int64_t together,
                         std::int64_t items) {
  const Waves waves(schedule, profile, read, together, std::max<std::int64_t>(items, 1));
  const double capacity = usable_l2(profile);
  const double whole = all_of_buffers(read, profile, nullptr).bytes + all_of_buffers(stored, profile, nullptr).bytes;
  const Amount first = waves.anew(0, 0);
  const auto count = static_cast<double>(waves.count());
  MemoryBytes bytes;
  bytes.distinct = count * first.bytes;
  if (whole <= capacity) {
    const Amount cold = all_of_buffers(read, profile, &options);
    bytes.read = cold.bytes;
    bytes.rows_opened = cold.rows_opened;
    return bytes;
  }
  const double kept = first.bytes > 0 ? capacity / first.bytes : 0;
  const auto waves_kept = static_cast<std::int64_t>(std::min(kept, static_cast<double>(most_waves_kept)));
  bytes.read = first.bytes;
  bytes.rows_opened = first.rows_opened;
  const std::int64_t samples = std::min(waves.count() - 1, most_samples);
  for (std::int64_t i = 1; i <= samples; ++i) {
    const Amount later = waves.anew(i * waves.count() / (samples + 1), waves_kept);
    const double as_many = (count - 1) / static_cast<double>(samples);
    bytes.read += as_many * later.bytes;
    bytes.rows_opened += as_many * later.rows_opened;
  }
  bytes.written = all_of_buffers(stored, profile, nullptr).bytes * (1 - std::min(1.0, capacity / whole));
  return bytes;
}

}  // namespace gpusim::estimate
