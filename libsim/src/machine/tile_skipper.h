// Skips along k: when all CTAs are inside their k loops, and two windows of tiles have taken as long and moved as much,
// every warp goes on some trips later.
//
// Where the CTAs at hand are more than a quarter of all, only half of the trips pass at the pace found before the skip:
// the others do at the pace found behind it, and until then are late.
//
// Where CTAs share their SM unevenly stretches of time are compared instead, and each CTA goes on by what those as old
// among the CTAs of their SM do.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "machine/simulation.h"
#include "machine/tile_stretch.h"
#include "sm/pace.h"
#include "sm/skip.h"
#include "sm/tile_lines.h"

namespace gpusim::machine {

class TileSkipper {
 public:
  explicit TileSkipper(Simulation& simulation);

  /// At `now`, before which all has happened. No skip may pass `limit`. When to be asked again.
  Cycle look(Cycle now, Cycle limit);
  /// The kernel ends at `now`: what is late still, which no warp is left to be charged for, passes as was expected.
  void finish(Cycle now);

 private:
  static constexpr std::int64_t settling_tiles = 2;  ///< before the first window

  struct Moment {
    Cycle at;
    Counts counts;
  };
  /// CTAs that go at one pace.
  struct Group {
    std::int64_t cycles = 0;  ///< both windows of all CTAs
    std::int64_t tiles = 0;   ///< in them
    std::int64_t room = std::numeric_limits<std::int64_t>::max();
  };
  struct CtaAtHand {
    std::size_t sm;
    sm::CtaSurvey seen;
    std::size_t age_group;  ///< of those as old among as many CTAs of an SM
  };
  /// What each of ctas_ had done at a moment.
  struct Snapshot {
    Moment moment;
    std::vector<std::int64_t> ids;   ///< and which of its loops each was in
    std::vector<std::int64_t> done;  ///< tiles
  };
  /// Trips that were skipped, and have yet to pass.
  struct Late {
    std::int64_t tiles = 0;            ///< of the CTA that skipped most, of others in proportion; 0: none
    std::vector<sm::Progress> before;  ///< paces that were known then, by SM
    Cycles passed;                     ///< for the others
    Cycles mean;                       ///< to pass, by those paces
    Cycles expected;                   ///< and with what the slowest CTA is behind by
    std::int64_t window = 1;
    std::int64_t slowest_ppm = 0;
    std::int64_t instructions = 0;
    sm::TileLines::Asked asked;
    std::int64_t written = 0;  ///< to DRAM
    Moment from;               ///< what was known by
    Moment to;
  };
  /// What was skipped since stops last differed, all of it.
  struct Passed {
    Counts counts;
    std::int64_t instructions = 0;
    bool in_sectors = true;
    std::int64_t asked = 0;  ///< sectors of L2, or bytes by lanes
    std::int64_t dram = 0;   ///< bytes
  };
  /// A limit of simulated time, once so many cycles have passed without being simulated.
  [[nodiscard]] static Cycle limit_behind(Cycles passed, Cycle limit) {
    return limit == Cycle::never() ? limit : limit - passed;
  }
  sm::TileSurvey survey();
  Cycle look_inside(const sm::TileSurvey& seen, Cycle now, Cycle limit);
  [[nodiscard]] bool has_settled(const sm::TileSurvey& seen) const;
  void begin_anew();
  void forget_windows();
  void add_moment(Cycle now);
  [[nodiscard]] Cycles first_span(const sm::TileSurvey& seen) const;
  [[nodiscard]] TileStretch stretch(std::size_t from, std::size_t to, Cycles cycles, std::int64_t tiles) const;
  [[nodiscard]] bool share_evenly() const;
  [[nodiscard]] bool agrees(const sm::TileSurvey& seen);
  void look_longer(const sm::TileSurvey& seen);
  [[nodiscard]] bool is_most_of_kernel(const sm::TileSurvey& seen) const;
  bool skip(const sm::TileSurvey& seen, Cycle now, Cycle limit);
  bool plan(const sm::TileSurvey& seen);
  void carry_out(Cycle now, std::int64_t spread_ppm);
  Cycles let_late_pass(Cycle now, Cycle limit);
  [[nodiscard]] std::int64_t pace_behind_ppm() const;
  void account(const Moment& from, const Moment& to, Cycles cycles, std::int64_t instructions,
               const sm::TileLines::Asked& asked, std::int64_t written);
  [[nodiscard]] std::int64_t slowest_ppm(const sm::TileSurvey& all) const;
  void find_ctas();
  void form_groups();
  [[nodiscard]] std::int64_t room_of(const CtaAtHand& cta) const;
  [[nodiscard]] std::size_t slots() const { return static_cast<std::size_t>(run_.kernel.cta_slots); }
  /// Of the CTAs as old among so many of an SM.
  [[nodiscard]] std::size_t age_group(std::size_t at_hand, std::size_t age) const {
    return at_hand * (slots() + 1) + age;
  }
  /// Of an SM's slots, to skip.
  [[nodiscard]] std::span<const std::int64_t> tiles_of(std::size_t sm) const {
    return std::span(tiles_).subspan(sm * slots(), slots());
  }
  [[nodiscard]] std::size_t slot_of(const CtaAtHand& cta) const {
    return cta.sm * slots() + static_cast<std::size_t>(cta.seen.slot);
  }
  [[nodiscard]] std::int64_t most_tiles(const sm::TileSurvey& seen) const;
  [[nodiscard]] const Group& group_of(const CtaAtHand& cta) const {
    return groups_[static_cast<std::size_t>(seen_[cta.sm].ctas)];
  }
  bool plan_alike(const std::vector<Group>& all);
  bool plan_groups(const std::vector<Group>& all);
  void deal_out(std::int64_t cycles);
  [[nodiscard]] std::int64_t fewest_dealt() const;
  [[nodiscard]] std::int64_t part_to_skip_ppm();
  // Where CTAs share their SM unevenly (tile_skipper_uneven.cpp)
  std::optional<Cycle> look_uneven(Cycle now, Cycle limit);
  [[nodiscard]] std::vector<std::int64_t> done_by_age(std::size_t from, std::size_t to) const;
  [[nodiscard]] bool stretches_agree();
  bool plan_uneven();
  [[nodiscard]] sm::TileLines::Asked asked_in_skip();
  void bring_lines();
  std::int64_t bring_trip(std::int64_t back, bool count_only);

  Simulation& run_;
  std::optional<sm::TileLoops> loops_;
  sm::TileLines lines_;
  std::int64_t items_ = 0;  ///< work items of all CTAs; one each where they walk none
  Cycle even_due_;
  Cycle uneven_due_;
  std::vector<Moment> moments_;
  std::vector<sm::TileSurvey> seen_;  ///< of each SM
  std::vector<CtaAtHand> ctas_;
  std::vector<Group> groups_;        ///< by CTAs of an SM
  std::vector<std::int64_t> tiles_;  ///< for each slot of each SM to skip
  std::vector<sm::Progress> paces_;  ///< of each SM's CTAs, by which they would pass
  Cycles cycles_;                    ///< in which they would pass
  std::int64_t slowest_ppm_ = 0;     ///< by which that is more than the mean of all CTAs
  bool sees_behind_ = false;         ///< half of what is skipped may be late
  bool have_differed_ = false;       ///< CTAs of SMs that hold more or fewer, in pace
  Late late_;
  std::int64_t most_ = 0;    ///< tiles that what was seen may stand for
  std::int64_t window_ = 1;  ///< tiles
  std::int64_t agreed_ = 0;  ///< the last window that agreed with its like: tiles may take turns
  Cycles span_;
  int surprises_ = 0;  ///< skips behind which the pace was another
  int disagreed_ = 0;
  std::vector<Snapshot> snapshots_;
  Cycles stretch_;                      ///< of time between them
  int unlike_ = 0;                      ///< pairs of such stretches that did not agree
  std::int64_t uneven_spread_ppm_ = 0;  ///< by which the last pair differed
  TileStretch steady_;                  ///< windows by which tiles were skipped, back to the last stop that differed
  bool is_steady_ = false;              ///< those at hand are like them
  TileStretch at_hand_;                 ///< those at hand, with what they are like
  Passed passed_;
  bool passes_at_once_ = false;  ///< all that is left of a loop, because the stops before have seen the same
};

}  // namespace gpusim::machine
