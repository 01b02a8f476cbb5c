// How fast a CTA goes through its k loop: when its last k tiles were complete.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "gpusim/units.h"

namespace gpusim::sm {

/// Tiles, and in what time they were done.
struct Progress {
  std::int64_t cycles = 0;
  std::int64_t tiles = 0;

  Progress& operator+=(const Progress& other) {
    cycles += other.cycles;
    tiles += other.tiles;
    return *this;
  }
};

class Pace {
 public:
  /// Tiles it remembers.
  static constexpr std::int64_t known = 128;

  /// A loop over k tiles begins.
  void begin(Cycle at) {
    ++loops_;
    tiles_ = settled_ = 0;
    done_[0] = at;
  }
  void complete(Cycle at) { done_[place(++tiles_)] = at; }
  /// Tiles have been skipped: what comes next must settle first.
  void disturb() { settled_ = tiles_; }

  /// Loops begun.
  [[nodiscard]] std::int64_t loops() const { return loops_; }
  /// Tiles complete since the loop began.
  [[nodiscard]] std::int64_t tiles() const { return tiles_; }
  /// When the last tile was complete.
  [[nodiscard]] Cycle last() const { return done_[place(tiles_)]; }
  /// Tiles complete since the loop began, or since tiles were skipped.
  [[nodiscard]] std::int64_t since_disturbed() const { return tiles_ - settled_; }
  /// Mean over all tiles it remembers, in thousandths of a cycle.
  [[nodiscard]] std::int64_t mean() const {
    const std::int64_t tiles = std::min(tiles_, known - 1);
    return tiles == 0 ? 0 : between(tiles, 0).count() * 1000 / tiles;
  }
  /// From the end of one tile to that of another, counted back from the last; fewer than `known` ago.
  [[nodiscard]] Cycles between(std::int64_t older, std::int64_t newer) const {
    return done_[place(tiles_ - newer)] - done_[place(tiles_ - older)];
  }
  /// Whole windows of tiles since the loop began, or since tiles were skipped, without the first `left_out`.
  [[nodiscard]] Progress progress(std::int64_t left_out, std::int64_t window) const {
    const std::int64_t tiles = (std::min(since_disturbed(), known - 1) - left_out) / window * window;
    return tiles > 0 ? Progress{between(tiles, 0).count(), tiles} : Progress{};
  }

 private:
  [[nodiscard]] static std::size_t place(std::int64_t tile) { return static_cast<std::size_t>(tile % known); }

  std::array<Cycle, known> done_{};
  std::int64_t loops_ = 0;
  std::int64_t tiles_ = 0;
  std::int64_t settled_ = 0;
};

}  // namespace gpusim::sm
