// A streaming multiprocessor: resident CTAs, their warps, and everything they issue to, up to the border.
//
// An Sm advances by itself: run_until(end) handles everything before `end`. It meets the fabric only in messages, given
// by receive() and taken from requests() and exits(), and can be tested against a scripted other side.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/event_queue.h"
#include "core/server.h"
#include "gpusim/observer.h"
#include "messages.h"
#include "sm/border.h"
#include "sm/bulk.h"
#include "sm/code.h"
#include "sm/config.h"
#include "sm/counters.h"
#include "sm/instruction_fetch.h"
#include "sm/lsu.h"
#include "sm/skip.h"
#include "sm/sub_partition.h"
#include "sm/warp.h"

namespace gpusim::sm {

class Sm {
 public:
  /// `config` and `observers` must outlive the Sm.
  Sm(const SmConfig& config, SmId id, std::span<Observer* const> observers);
  Sm(const Sm&) = delete;
  Sm& operator=(const Sm&) = delete;

  /// The next CTAs run `kernel`, which must outlive them; its code is there, or none of it. No CTA may be resident.
  void begin(Kernel& kernel, KernelId id, bool code_is_cold = false);

  /// When something happens here next.
  [[nodiscard]] Cycle next() const { return std::min(next_message_, events_.next()); }
  void run_until(Cycle end);

  void receive(const CtaStart& start);
  void receive(const Reply& reply);
  /// It is received soon.
  [[gnu::always_inline]] void look_ahead(const Reply& reply) const { border_.prefetch_for_reply(reply.handle); }
  void receive(const Delivery& delivery);
  void receive(const ClusterRelease& release);
  std::vector<const Request*>& requests() { return border_.outbox(); }
  std::vector<ClusterArrival>& arrivals() { return arrivals_; }
  std::vector<PeerArrival>& peer_arrivals() { return peer_arrivals_; }
  std::vector<CtaExit>& exits() { return exits_; }

  [[nodiscard]] const SmConfig& config() const { return config_; }
  [[nodiscard]] const Counters& counters() const { return counters_; }
  [[nodiscard]] std::vector<SubPartition>& sub_partitions() { return subs_; }
  Border& border() { return border_; }
  LoadStoreUnit& lsu() { return lsu_; }
  BulkEngine& bulk() { return bulk_; }

  /// One sentence for each warp that waits for what has no time; at most `limit`.
  void describe_waits(std::vector<std::string>& waits, std::size_t limit) const;
  /// What its CTAs do, over the last two windows of so many tiles. (Skipping: skip.cpp)
  [[nodiscard]] TileSurvey survey(const TileLoops& loops, std::int64_t window) const;
  /// Its CTAs inside their k loops, each with two windows of so many tiles, the oldest first.
  void survey_ctas(const TileLoops& loops, std::int64_t window, std::vector<CtaSurvey>& ctas) const;
  /// By how much its slowest CTA is slower than the mean of `all`: in both windows and over all its tiles, in parts of
  /// a million. Each CTA remembers by how much it is.
  std::int64_t slowest_ppm(const TileSurvey& all, std::int64_t window);
  /// Of its CTAs, the tiles since some were skipped but for the first `left_out`, in whole windows.
  [[nodiscard]] Progress progress(std::int64_t left_out, std::int64_t window) const;
  /// By how much its slowest CTA was slower when last asked, and has been since: than `all` did then.
  [[nodiscard]] std::int64_t still_slowest_ppm(const Progress& all, std::int64_t left_out, std::int64_t window) const;
  /// Adds resident warps, by role.
  void count_resident(std::vector<std::int64_t>& warps) const;
  /// Whether a CTA's warps do the same so many trips later.
  [[nodiscard]] bool may_skip(const TileLoops& loops, std::int32_t cta, std::int64_t tiles) const;
  /// At `now`, before which everything has happened. The warp instructions that are skipped.
  std::int64_t skip(const TileSkip& skip, Cycle now);
  /// Work items that every warp has before it after its own; 0 where one does not walk any. (skip_items.cpp)
  [[nodiscard]] std::int64_t items_left() const;
  /// Whether any warp has.
  [[nodiscard]] bool has_items_left() const;
  [[nodiscard]] bool may_skip_items(const ItemSkip& skip) const;
  /// At `now`, before which everything has happened.
  void skip_items(const ItemSkip& skip, Cycle now);
  /// So many cycles pass, in which other CTAs come and go than those resident.
  void let_pass(Cycles cycles, Cycle now);
  /// Calls visit(slot of its CTA, warp, code, loop, coordinates) for each warp inside its k loop that does not wait
  /// there for its turn.
  template <class Visit>
  void for_each_inside(const TileLoops& loops, Visit&& visit) const {
    for (std::size_t slot = 0; slot < warps_.size(); ++slot) {
      const Warp& warp = warps_[slot];
      if (const TileLoop* const loop = loop_at_hand(warp, loops))
        visit(slot / static_cast<std::size_t>(kernel_->warps_per_cta), warp.index, *warp.code, *loop, warp.at);
    }
  }

  /// The run ends here: charges resident warps up to `now` and counts them.
  void abandon(Cycle now);

 private:
  struct Event {
    enum class Kind : std::uint8_t { warp, evaluate, departs, delivered, written, read, lands };
    Kind kind = Kind::warp;
    std::int32_t index = 0;
  };
  [[nodiscard]] Cycle next_start() const { return starts_.empty() ? Cycle::never() : starts_.front().arrives; }

  // CTAs and warps (cta.cpp)
  void start_cta(const CtaStart& start, Cycle now);
  [[nodiscard]] Cycles warp_delay(int index) const;
  void start_warp(std::int32_t slot, std::int32_t cta_slot, int index, Cycle now);
  void exit_warp(std::int32_t slot, Cycle now);
  void count_warp(const Warp& warp, Cycle now);
  void charge(Warp& warp, Reason reason, Cycle until) {
    if (until > warp.since) charge_span(warp, reason, until);
  }
  void charge_span(Warp& warp, Reason reason, Cycle until);

  // Which operation is next and when it may issue (advance.cpp)
  void resume(std::int32_t slot, Cycle from);
  void begin_items(Warp& warp);
  void take_item(Warp& warp, std::int64_t index, std::int64_t turns);
  static void place_item(Warp& warp, const Item& item);
  void skip_to_operation(Warp& warp, Cycle from);
  void begin_tiles(const Warp& warp, Cycle at);
  void end_loop_trip(Warp& warp, const Step& step, Cycle at);
  void await_dependencies(std::int32_t slot, Cycle from);
  static Cycle all_complete(const Warp& warp);
  void park(Warp& warp, Parked what, std::int32_t on, Reason reason);
  void unpark(std::int32_t slot, Cycle now);
  void wake_at(std::int32_t slot, Cycle at, Reason reason);

  // Which warp issues (schedule.cpp)
  void make_ready(std::int32_t slot, Cycle now);
  void settle(Warp& warp, Cycle now);
  void evaluate(std::int32_t sub, Cycle now);
  void evaluate_at(std::int32_t sub, Cycle at);
  struct Obstacle {
    Cycle until;                       ///< when to look again; Cycle::never(): someone will say
    Reason reason = Reason::selected;  ///< selected: none
  };
  /// What a scheduler that looks at its warps has found of a queue: the same for all that want as many places.
  struct QueueLook {
    std::int64_t places = 0;  ///< 0: not looked at yet
    Obstacle found{};
  };
  struct QueueLooks {
    QueueLook shared, global;
  };
  inline Obstacle obstacle(const Warp& warp, const Step& step, SubPartition& sub, Cycle now, QueueLooks& looks);
  std::int32_t pick(SubPartition& sub, Cycle now, Cycle& look_again);
  [[nodiscard]] bool multiplied_earlier(const SubPartition& sub, std::int32_t a, std::int32_t b) const;
  [[nodiscard]] bool before(const SubPartition& sub, std::int32_t a, std::int32_t b) const;

  void handle(const Event& event, Cycle now);
  void handle_message(Cycle now);
  /// The request of the next event comes while the one at hand is handled. (Always inlined: gcc takes a function that
  /// only prefetches for one without effect, and drops the call.)
  [[gnu::always_inline]] void look_ahead() const {
    const Event* const next = events_.peek();
    if (next == nullptr) return;
    if (next->kind == Event::Kind::departs) border_.prefetch_for_sending(static_cast<std::uint32_t>(next->index));
    if (next->kind == Event::Kind::delivered) border_.prefetch_for_reply(static_cast<std::uint32_t>(next->index));
  }

  // What it does (execute.cpp, execute_memory.cpp)
  struct Issue {
    std::int64_t instructions = 0;
    Cycle now;
    Cycle selected_until;
  };
  struct Outcome {
    Cycle next;  ///< when the warp may issue again
    Reason until_next = Reason::math_pipe_throttle;
    bool parked = false;
  };
  void issue(std::int32_t slot, Cycle now);
  Outcome execute(std::int32_t slot, const Step& step, const Issue& issue);
  Outcome execute_math(Warp& warp, const Step& step, const Issue& issue);
  void execute_shared(Warp& warp, const Step& step, const Issue& issue);
  void execute_global(std::int32_t slot, const Step& step, const Issue& issue);
  void execute_constant(Warp& warp, const Step& step, const Issue& issue);
  void execute_shuffle(Warp& warp, const Step& step, const Issue& issue);
  void copied(Warp& warp, const Owner& owner, const LoadStoreUnit::Outcome& outcome);
  void note_read(Warp& warp, const Step& step, Cycle read);

  // Bulk copies and stores (execute_bulk.cpp)
  void execute_bulk(std::int32_t slot, const Step& step, const Issue& issue);
  void execute_bulk_store(std::int32_t slot, const Step& step, const Issue& issue);
  [[nodiscard]] std::uint16_t multicast_ranks(const Cta& cta, Multicast multicast) const;
  void depart_later();
  void depart(std::uint32_t handle, Cycle now);
  void stored(std::int64_t lines, Cycle now);
  void read(std::int32_t transaction, Cycle now);

  // The CTAs of a cluster (peer.cpp)
  [[nodiscard]] std::int64_t peer_rank(const Warp& warp, const Step& step) const;
  void execute_peer(std::int32_t slot, const Step& step, const Issue& issue);
  void arrive_peer(Warp& warp, const Step& step, const Issue& issue);
  Cycle change_peer(std::int32_t cta_slot, std::int64_t rank, std::int32_t slot, std::int32_t arrivals,
                    std::int64_t bytes, Cycle at);
  void deliver(const Delivery& delivery, Cycle now);
  void land_at(const Delivery& delivery, Cycle at);
  void land(const Delivery& delivery, Cycle now);

  // Warp-group multiplies (warpgroup.cpp)
  Outcome execute_warpgroup(Warp& warp, const Step& step, const Issue& issue);
  Outcome wait_multiplies(Warp& warp, const Step& step, const Issue& issue);
  void note_serial(Warp& warp, const Step& step, Cycle complete, Reason reason);

  // Copy groups, barriers and registers (sync.cpp)
  Outcome wait_group(Warp& warp, CopyGroups& groups, Parked what, const Step& step, const Issue& issue);
  Outcome reallocate(Warp& warp, const Step& step, const Issue& issue);
  void hand_out_registers(std::int32_t cta_slot, Cycle now);
  Outcome arrive_cta(Warp& warp, const Issue& issue);
  void release_cta(std::int32_t cta_slot);
  Outcome arrive_cluster(Warp& warp, const Step& step, const Issue& issue);
  void release_cluster(const ClusterRelease& release);
  Outcome wait_mbarrier(Warp& warp, const Step& step, const Issue& issue);
  void change_mbarrier(std::int32_t cta_slot, std::int32_t slot, std::int64_t arrivals, std::int64_t bytes, Cycle now);
  [[nodiscard]] std::int32_t mbarrier_slot(const Warp& warp, const Step& step) const;

  // The barrier over the grid (grid.cpp)
  Outcome arrive_grid(Warp& warp, const Step& step, const Issue& issue);
  void acknowledge(const Owner& owner, Cycle now);
  void count_cta(std::int32_t cta_slot, Cycle at);
  void release_grid(std::int32_t cta_slot, Cycle now);

  // Skipping (skip.cpp)
  [[nodiscard]] const TileLoop* loop_around(const Warp& warp, const TileLoops& loops) const;
  [[nodiscard]] const TileLoop* loop_at_hand(const Warp& warp, const TileLoops& loops) const;
  [[nodiscard]] std::int64_t items_ahead(const Warp& warp, const TileLoops& loops) const;
  [[nodiscard]] static std::int64_t item_of(const Warp& warp);
  [[nodiscard]] static bool has_left_items(const Warp& warp);
  [[nodiscard]] static bool stands_by(const Warp& warp, const TileLoops& loops);
  [[nodiscard]] static std::int64_t trips(const Warp& warp, const TileLoop& loop);
  [[nodiscard]] static std::int64_t trips_left(const Warp& warp, const TileLoop& loop);
  [[nodiscard]] bool alike(const Warp& warp, const TileLoop& loop, std::int64_t tiles) const;
  void count_phases(const Warp& warp, const TileLoop& loop, std::int64_t tiles,
                    std::vector<std::int64_t>& phases) const;
  std::int64_t go_on(Warp& warp, const TileLoop& loop, const TileSkip& skip, std::int64_t tiles, Cycle began);
  void note_spans(Cycle now);
  [[nodiscard]] Coordinates later(const Warp& warp, const ItemSkip& skip) const;
  void count_item_phases(const Warp& warp, const ItemSkip& skip, std::vector<std::int64_t>& phases) const;

  // Completions (complete.cpp)
  void arriving(std::uint32_t handle, Cycle now);
  void delivered(std::uint32_t handle, Cycle now);
  void finished(std::int32_t transaction, Cycle now);
  void written(std::int32_t transaction, Cycle now);
  void leave_engine(Cycle now);

  const SmConfig& config_;
  SmId id_;
  std::span<Observer* const> observers_;
  Kernel* kernel_ = nullptr;
  KernelId kernel_id_;
  /// Each SM has few events: lists of four cycles keep the rings small.
  template <class Item>
  using Queue = core::EventQueue<Item, 4>;
  Queue<Event> events_;
  Queue<std::uint32_t> replies_;  ///< handles
  Queue<Delivery> deliveries_;
  std::deque<CtaStart> starts_;          ///< in order of arrival, as they are sent
  Queue<ClusterRelease> releases_;       ///< relaxed ones overtake others
  Cycle next_message_ = Cycle::never();  ///< when the first of all messages arrives
  std::vector<CtaExit> exits_;
  std::vector<ClusterArrival> arrivals_;
  std::vector<PeerArrival> peer_arrivals_;
  std::vector<Delivery> landings_;  ///< those that event `lands` is about
  std::vector<std::int32_t> free_landings_;
  Border border_;
  LoadStoreUnit lsu_;
  BulkEngine bulk_;
  InstructionFetch fetch_;
  std::vector<SubPartition> subs_;
  std::vector<Warp> warps_;
  std::vector<Cta> ctas_;
  std::vector<std::int32_t> moved_;  ///< scratch
  Cycles issue_unit_;
  std::uint64_t next_age_ = 0;
  std::int64_t resident_ = 0;
  Cycle active_since_;
  std::optional<Cycle> began_;  ///< its first CTA of the kernel, with what was skipped since
  Cycles skipped_;              ///< what observers see is so much later
  Counters counters_;
};

}  // namespace gpusim::sm
