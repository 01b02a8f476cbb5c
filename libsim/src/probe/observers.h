// What reads the clock of a run.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpusim/observer.h"

namespace gpusim::probe {

/// Notes when one warp issues operations of one name: a warp that reads the clock in a loop.
class Stopwatch : public Observer {
 public:
  explicit Stopwatch(std::string_view operation, KernelId kernel = {}, WarpId warp = {})
      : operation_(operation), kernel_(kernel), warp_(warp) {}

  void operation_issued(KernelId kernel, WarpId warp, std::string_view operation, Cycle at) override {
    if (kernel == kernel_ && warp == warp_ && operation == operation_) laps_.push_back(at.count());
  }

  [[nodiscard]] const std::vector<std::int64_t>& laps() const { return laps_; }
  /// Mean cycles a lap from lap `first` to the last. Throws std::logic_error when there are no two.
  [[nodiscard]] double per_lap(std::size_t first = 0) const;

 private:
  std::string operation_;
  KernelId kernel_;
  WarpId warp_;
  std::vector<std::int64_t> laps_;
};

/// Notes all that the warps of CTA 0 issue.
class IssueLog : public Observer {
 public:
  struct Entry {
    int warp;
    std::string operation;
    std::int64_t at;
  };
  void operation_issued(KernelId, WarpId warp, std::string_view operation, Cycle at) override {
    if (warp.cta.index() == 0) entries_.push_back({warp.warp, std::string(operation), at.count()});
  }
  /// Of one warp, in order.
  [[nodiscard]] std::vector<Entry> of_warp(int warp) const;

 private:
  std::vector<Entry> entries_;
};

/// The rate of something that many do again and again: SMs that start CTAs, or warps that issue an operation.
class RateMeter : public Observer {
 public:
  /// "": counts CTA starts by SM.
  explicit RateMeter(std::string_view operation = "") : operation_(operation) {}

  void cta_started(KernelId, CtaId, SmId sm, Cycle at) override {
    last_start_ = at.count() > last_start_ ? at.count() : last_start_;
    if (operation_.empty()) note(sm.index(), at.count());
  }
  void cta_ended(KernelId, CtaId, SmId, Cycle at) override { ends_.push_back(at.count()); }
  void operation_issued(KernelId, WarpId warp, std::string_view operation, Cycle at) override {
    if (!operation_.empty() && operation == operation_) note(warp.cta.index() * most_warps + warp.warp, at.count());
  }

  /// Events a cycle over the last half of the time in which all who take part do: persistent CTAs.
  [[nodiscard]] double while_all_issue() const;
  /// Events a cycle over the last half of the time in which every CTA that ends is followed by another.
  [[nodiscard]] double while_ctas_follow() const;
  /// CTA starts a cycle when each SM holds `slots`: every slot's own turnaround, over whole numbers of them, after the
  /// first `skipped` (a share) of an SM's CTAs.
  [[nodiscard]] double starts_per_cycle(std::int64_t slots, double skipped) const;

 private:
  static constexpr std::int64_t most_warps = 64;

  [[nodiscard]] double over_last_half(std::int64_t end) const;
  void note(std::int64_t track, std::int64_t at) {
    if (static_cast<std::size_t>(track) >= tracks_.size()) tracks_.resize(static_cast<std::size_t>(track) + 1);
    tracks_[static_cast<std::size_t>(track)].push_back(at);
  }

  std::string operation_;
  std::vector<std::vector<std::int64_t>> tracks_;  ///< by SM or warp
  std::vector<std::int64_t> ends_;
  std::int64_t last_start_ = 0;
};

}  // namespace gpusim::probe
