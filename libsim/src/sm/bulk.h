// The bulk copy engine (TMA) of an SM: turns a box into requests, to read it or to write it.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
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

  /// Whether the engine has room for another copy or store; counts the refusal.
  [[nodiscard]] bool ask() { return queue_.ask(1); }

  struct Task {
    BoxPlan& box;
    const Coordinates& at;
    Owner owner;
    RequestKind kind = RequestKind::read;
    std::uint16_t ranks = 0;  ///< of a multicast
    std::int64_t cta = 0;     ///< that asks for it
  };
  struct Accepted {
    std::int32_t transaction = 0;
    Cycle empty_until = Cycle::never();  ///< nothing of the box lies inside the buffer: the task is complete then
  };
  /// Accepts a task issued at `now`; its requests belong to the transaction, and leave at departures(). A store's fixed
  /// cost comes before them, a copy's after the answers.
  Accepted accept(Cycle now, const Task& task);
  /// When the requests of the last task are ready to leave.
  struct Departure {
    Cycle at;
    std::uint32_t handle = 0;
  };
  [[nodiscard]] const std::vector<Departure>& departures() const { return departures_; }
  /// Fixed cost of a task of this rank.
  [[nodiscard]] Cycles overhead(int rank) const;
  /// A task is complete.
  void leave() { queue_.release(1); }

  /// A store's request that is to leave takes places for its lines, until they are acknowledged, and has them while it
  /// waits for the port. Without them it is held, behind those held before: a small one that passed larger ones could
  /// keep them for ever.
  [[nodiscard]] bool take_or_hold(std::uint32_t handle);
  /// So many lines are acknowledged: the requests held that have places now.
  [[nodiscard]] std::span<const std::uint32_t> acknowledge(std::int64_t lines);

  core::Server& begins() { return begins_; }
  core::Server& bytes() { return bytes_; }
  core::Server& rows() { return rows_; }
  core::Pool& queue() { return queue_; }
  core::Pool& stored_lines() { return stored_lines_; }

 private:
  [[nodiscard]] bool take_lines(std::uint32_t handle);

  const SmConfig& config_;
  Border& border_;
  core::Server begins_;
  core::Server bytes_;
  core::Server rows_;
  core::Pool queue_;
  core::Pool stored_lines_;  ///< on their way
  std::deque<std::uint32_t> held_;
  std::vector<std::uint32_t> released_;  ///< scratch
  std::vector<LineChunks> lines_;
  std::vector<Departure> departures_;
};

}  // namespace gpusim::sm
