// Interprets one CTA with latencies alone, and keeps what every point in time is the sum of.
//
// Warps step in order of time; each operation starts at the latest of what it waits for, and inherits that path.
// Nothing queues: a warp's instructions follow each other at their pipe's pace, and that is all.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <variant>
#include <vector>

#include "estimate/costs.h"
#include "estimate/cursor.h"
#include "estimate/phase.h"

namespace gpusim::estimate {

class CtaWalk {
 public:
  CtaWalk(const Schedule& schedule, const Profile& profile, const Costs& costs, Ledger& ledger);

  /// The path to the last warp's exit. Throws DeadlockError when warps wait for what cannot come.
  [[nodiscard]] Path run();

 private:
  /// The last writer of a fragment.
  struct Fragment {
    Path complete;
    Path first_complete;  ///< of its first instruction
    bool by_multiply = false;
  };
  struct Warp {
    Cursor cursor;
    const Operation* operation = nullptr;
    Path ready;  ///< when it may issue, as far as its own instructions go; at the end, its exit
    std::vector<Fragment> fragments;
    std::array<Path, std::variant_size_v<Action>> complete_by_kind;
    Path copies;              ///< arrival of the copies of the open group
    std::deque<Path> groups;  ///< arrivals of the closed groups still to be waited for
  };
  struct Event {
    std::int64_t time = 0;
    std::int64_t sequence = 0;
    int warp = -1;  ///< steps; -1: a copy arrives
    PhaseCounter* counter = nullptr;
    std::int64_t bytes = 0;
    Path path;
    bool operator>(const Event& other) const {
      return time != other.time ? time > other.time : sequence > other.sequence;
    }
  };

  void fetch(int index);
  [[nodiscard]] Path start_of(const Warp& warp) const;
  void step(int index, const Path& start);
  void record(Warp& warp, const Path& start);
  void arrive_at_barrier(int index, const Path& start);
  void release_barrier();
  void close_group(Warp& warp);
  void wait_for_phase(int index, const BarrierWait& wait, const Path& start);
  void resume(int index, const Path& from);
  void wake(const std::vector<int>& warps, const Path& completion);
  void push(Event event);
  [[nodiscard]] PhaseCounter& counter_of(const BarrierSlot& slot, const Coordinates& coordinates);
  [[noreturn]] void report_deadlock() const;

  const Schedule& schedule_;
  const Costs& costs_;
  Ledger& ledger_;
  bool serial_;
  std::vector<Warp> warps_;
  std::vector<std::vector<PhaseCounter>> barriers_;
  std::vector<int> at_barrier_;
  Path last_arrival_;
  std::vector<Event> events_;  ///< a heap, the earliest on top
  std::int64_t sequence_ = 0;
};

}  // namespace gpusim::estimate
