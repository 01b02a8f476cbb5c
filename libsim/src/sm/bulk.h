// The bulk copy engine (TMA) of an SM: turns a box into requests and says when its bytes are in shared memory.
#pragma once

#include <cstdint>
#include <vector>

#include "core/pool.h"
#include "core/server.h"
#include "sm/border.h"
#include "sm/coalescer.h"
#include "sm/config.h"

namespace gpusim::sm {

class BulkEngine {
 public:
  BulkEngine(const SmConfig& config, Border& border);

  /// Whether the engine has room for another copy; counts the refusal.
  [[nodiscard]] bool ask() { return queue_.ask(1); }

  struct Accepted {
    std::int32_t transaction = 0;
    Cycle empty_until = Cycle::never();  ///< nothing of the box lies inside the buffer: the copy is complete then
  };
  /// Accepts a copy issued at `now`; its requests belong to the transaction, and leave at departures().
  Accepted copy(Cycle now, const BoxPlan& box, const Coordinates& at, const Owner& owner);
  /// When the requests of the last copy are ready to leave.
  struct Departure {
    Cycle at;
    std::uint32_t handle = 0;
  };
  [[nodiscard]] const std::vector<Departure>& departures() const { return departures_; }
  /// Fixed cost of a copy of this rank.
  [[nodiscard]] Cycles overhead(int rank) const;
  /// A copy is complete.
  void leave() { queue_.release(1); }

  core::Server& begins() { return begins_; }
  core::Server& bytes() { return bytes_; }
  core::Server& rows() { return rows_; }
  core::Pool& queue() { return queue_; }

 private:
  const SmConfig& config_;
  Border& border_;
  core::Server begins_;
  core::Server bytes_;
  core::Server rows_;
  core::Pool queue_;
  std::vector<LineChunks> lines_;
  std::vector<Departure> departures_;
};

}  // namespace gpusim::sm
