// Wavefronts of shared-memory accesses, counted from the addresses.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "gpusim/schedule.h"

namespace gpusim::estimate {

/// Of one instruction: of its lanes that are served together (a warp's; of 8 bytes a lane half of them, of 16 a
/// quarter, twice as many where neighbours share their places; with ldmatrix, the eight rows of a matrix) as many as
/// the most wanted of 32 banks has distinct words; the fewest that so many words can take.
struct Wavefronts {
  std::int64_t taken = 0;
  std::int64_t fewest = 0;
};

class WavefrontCounter {
 public:
  /// Keeps a reference.
  explicit WavefrontCounter(const Schedule& schedule) : schedule_(schedule) {}

  /// Of the instruction `at` (its repeat included). `access` must stay where it is: what is known is kept.
  [[nodiscard]] Wavefronts count(const SharedAccess& access, const Coordinates& at, SharedRead how = SharedRead::lds);

 private:
  /// Access, warp, repeat, first lane's row and column.
  using Key = std::tuple<const SharedAccess*, std::int64_t, std::int64_t, std::int64_t, std::int64_t>;

  const Schedule& schedule_;
  std::map<Key, Wavefronts> known_;
};

}  // namespace gpusim::estimate
