// Interprets one CTA with latencies alone, and keeps what every point in time is the sum of.
//
// Warps step in order of time; each operation starts at the latest of what it waits for, and inherits that path.
// Nothing queues: a warp's instructions follow each other at their pipe's pace, and that is all. The CTA is CTA 0; the
// others of its cluster and its grid are always as far as it is.
#pragma once

#include <array>
#include <cstdint>
#include <variant>
#include <vector>

#include "estimate/costs.h"
#include "estimate/cursor.h"
#include "estimate/groups.h"
#include "estimate/neighbours.h"
#include "estimate/phase.h"

namespace gpusim::estimate {

class CtaWalk {
 public:
  /// How many warps of a role are walked.
  enum class Walked { all, one };

  CtaWalk(const Schedule& schedule, const Profile& profile, Costs& costs, Ledger& ledger, const Extent& extent = {},
          Walked walked = Walked::all);

  /// The path to the last warp's exit. Throws DeadlockError when warps wait for what cannot come.
  [[nodiscard]] Path run();

 private:
  /// The last writer of a fragment.
  struct Fragment {
    Path complete;
    Path first_complete;  ///< of its first instruction
    Path read;            ///< it may be overwritten, as far as those go that store it or take their address from it
    bool by_multiply = false;
  };
  struct Warp {
    Warp(Cursor begin, int first_of_those, int number)
        : cursor(std::move(begin)), first(first_of_those), count(number) {}

    Cursor cursor;
    int first;  ///< of the warps it stands for
    int count;
    const Operation* operation = nullptr;
    Path ready;  ///< when it may issue, as far as its own instructions go; at the end, its exit
    std::vector<Fragment> fragments;
    std::array<Path, std::variant_size_v<Action>> complete_by_kind;
    Path next_mma;      ///< it may issue the next mma.sync
    Groups copies;      ///< cp.async
    Path multiplied;    ///< its warp-group multiplies so far are over
    Groups multiplies;  ///< of these, the results
    Groups stores;      ///< bulk stores' reading of shared memory
    Path unread;        ///< all of these have read: it may leave
    Path acknowledged;  ///< its stores to global memory are
  };
  /// Warps at a barrier.
  struct Meeting {
    std::vector<int> warps;
    Path last;  ///< the last arrival, counted
  };
  struct Event {
    std::int64_t time = 0;
    std::int64_t sequence = 0;
    int warp = -1;  ///< steps; -1: bytes or a peer's arrival come
    PhaseCounter* counter = nullptr;
    std::int64_t bytes = 0;
    std::int64_t arrivals = 0;  ///< of a peer's warps, which expect the bytes
    Path path;
    bool operator>(const Event& other) const {
      return time != other.time ? time > other.time : sequence > other.sequence;
    }
  };

  void fetch(int index);
  /// How many of the warps that `warp` stands for do what it does.
  [[nodiscard]] static std::int64_t alike(const Warp& warp);
  /// What a wait for groups waits for; nullptr: nothing.
  [[nodiscard]] static const Path* awaited(const Warp& warp, const Action& action);
  /// Commits of groups and waits for them. False: the action is neither.
  static bool changes_groups(Warp& warp, const Action& action);
  [[nodiscard]] Path start_of(const Warp& warp) const;
  void step(int index, const Path& start);
  void record(Warp& warp, const Path& start);
  void arrive_at_barrier(int index, const Path& start);
  [[nodiscard]] Path grid_release(Path met, const GridBarrier& barrier);
  void arrive_at_phase(const Warp& warp, const BarrierArrive& arrive, const Path& start);
  void copy_in_bulk(const Warp& warp, const BulkCopy& copy, const Path& complete);
  void multiply_beside(Warp& warp, const WarpgroupMultiply& multiply, const Path& start);
  void wait_for_phase(int index, const BarrierWait& wait, const Path& start);
  void resume(int index, const Path& from);
  void wake(const std::vector<int>& warps, const Path& completion);
  void push(Event event);
  [[nodiscard]] PhaseCounter& counter_of(BarrierId barrier, std::int64_t slot);
  [[noreturn]] void report_deadlock() const;

  const Schedule& schedule_;
  Costs& costs_;
  Ledger& ledger_;
  Neighbours neighbours_;
  bool serial_;
  std::vector<Warp> warps_;
  std::vector<std::vector<PhaseCounter>> barriers_;
  std::array<Meeting, std::variant_size_v<Action>> meetings_;  ///< by kind of barrier
  Path delivered_;                                             ///< the bulk copies so far are
  bool counted_at_grid_ = false;
  std::vector<Event> events_;  ///< a heap, the earliest on top
  std::int64_t sequence_ = 0;
};

}  // namespace gpusim::estimate
