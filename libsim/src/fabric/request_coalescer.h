// The L2 request coalescer of a GPC: reads of a line that one of the GPC's SMs, the reader's own or another, has asked
// for and not yet been given are answered with the same data. That leaves its slice once and passes the GPC's port
// once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/divisor.h"
#include "gpusim/units.h"

namespace gpusim::fabric {

class RequestCoalescer {
 public:
  /// It remembers as many `lines` on their way, each in the one place its address gives, and answers as many `reads`
  /// with one. `way` is from L2 to an SM.
  RequestCoalescer(std::int64_t lines, std::int64_t reads, Cycles way)
      : places_(static_cast<std::size_t>(lines)),
        by_places_(static_cast<std::uint64_t>(lines)),
        reads_(reads),
        way_(way) {}

  /// What a read is answered with.
  struct Answer {
    Cycle leaves;  ///< L2
    bool from_dram = false;
  };
  /// Where a line on its way is remembered.
  class Place {
    friend class RequestCoalescer;
    std::uint64_t line_ = 0;
    Cycle leaves_;
    std::uint8_t chunks_ = 0;
    bool from_dram_ = false;
    std::int16_t reads_ = 0;
  };
  /// Neighbouring lines lie side by side; strides of powers of two do not all meet in one place.
  [[nodiscard]] Place& place_of(std::uint64_t line) {
    return places_[by_places_.remainder(line ^ by_places_.quotient(line))];
  }
  /// Whether an earlier read under way answers a read of these chunks, too. `place` is the line's.
  [[nodiscard]] bool answers(const Place& place, std::uint64_t line, unsigned chunks, Cycle at) const {
    return place.line_ == line && at < place.leaves_ + way_ && (chunks & ~place.chunks_) == 0 && place.reads_ < reads_;
  }
  /// An earlier read's answer for this one of these chunks, if there is one under way.
  [[nodiscard]] std::optional<Answer> join(Place& place, std::uint64_t line, unsigned chunks, Cycle at) const {
    if (!answers(place, line, chunks, at)) return std::nullopt;
    ++place.reads_;
    return Answer{std::max(at, place.leaves_), place.from_dram_};
  }
  /// A read of these chunks that joined none goes to L2 at `at`.
  void ask(Place& place, std::uint64_t line, unsigned chunks, Cycle at, Answer answer) {
    if (place.line_ != line && place.leaves_ + way_ > at) return;
    place.line_ = line;
    place.leaves_ = answer.leaves;
    place.from_dram_ = answer.from_dram;
    place.chunks_ = static_cast<std::uint8_t>(chunks);
    place.reads_ = 1;
  }

 private:
  std::vector<Place> places_;
  core::Divisor by_places_;
  std::int64_t reads_;
  Cycles way_;
};

}  // namespace gpusim::fabric
