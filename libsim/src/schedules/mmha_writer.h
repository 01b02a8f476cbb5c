// Writes the program of masked multi-head attention, step by step.
#pragma once

#include <optional>
#include <vector>

#include "schedules/attention_mmha.h"
#include "schedules/mmha_cost.h"

namespace gpusim::schedules {

/// A run of a lane's keys: where it begins, how many there are, and how far a trip of the loop goes.
struct MmhaTrip {
  std::int64_t first = 0;   ///< key, beside the loop's
  std::int64_t rest = 0;    ///< keys there are; 0: as many as are loaded
  std::int64_t stride = 0;  ///< keys a trip of the loop; 0: there is none
  std::int64_t unroll = 0;
};

class MmhaWriter {
 public:
  explicit MmhaWriter(const AttentionPlan& plan);
  Program write();

 private:
  using Guard = std::optional<Bound>;

  // mmha_query.cpp
  /// Query and new key, their score, and the query for all.
  void begin();
  /// Both turned by their place: through shared memory there and back, a cosine and a sine a pair.
  void turn();
  // mmha_scores.cpp
  void make_scores();
  void weigh_scores();
  /// Scores as threads take them: one each, a trip after the other, and what is left.
  struct ScoreRun {
    SharedAccess place;
    std::int64_t trips = 0;
    Guard guard;
  };
  [[nodiscard]] std::vector<ScoreRun> score_runs() const;
  /// Keys that are none have no weight.
  void mask(Body& into, const Layout& columns, std::int64_t count, const Guard& guard);
  // mmha_values.cpp
  void add_values();
  /// Groups that had different keys add up their outputs, half of them storing for the other half.
  void meet();
  void leave();

  // mmha_writer.cpp: what they share
  /// Cost without a meaning of its own: it reads these, and writes the first.
  static void cost(Body& into, Pipe pipe, std::vector<Token> reads, std::int64_t count, const Guard& guard = {});
  static void multiply(Body& into, Token a, Token b, Token c, bool b_transposed, std::int64_t count,
                       const Guard& guard);
  static void clear(Body& into, Token token, const Guard& guard = {});
  /// A warp's lanes share what they know; to the twin it has been the warp's from the beginning.
  void meet_lanes(Token value, std::int64_t first, Pipe pipe, const Guard& guard = {});
  /// What warps know becomes what all know.
  void meet_warps(Token value, int stage, Combination combination);
  /// Keys or values of a trip: pages of their places, then themselves.
  void load(Body& into, BufferId buffer, Token token, const MmhaTrip& trip, const Guard& guard);
  /// The first of the heads that share keys puts the new token's row into the cache.
  void store_new(BufferId buffer, Token token, std::int64_t of_lane, std::int64_t warp);
  template <typename Write>
  void over_keys(std::int64_t unroll, Write write) {
    const std::int64_t span = unroll * shape_.of_cta();
    const std::int64_t trips = shape_.cached / span;
    if (trips > 0) {
      Loop loop{trips, {}, true};
      write(loop.body, MmhaTrip{0, 0, span, unroll});
      body().emplace_back(std::move(loop));
    }
    if (shape_.cached % span > 0) write(body(), MmhaTrip{trips * span, shape_.cached % span, 0, unroll});
  }

  [[nodiscard]] Body& body() { return program_.body; }
  [[nodiscard]] std::int64_t threads() const { return shape_.warps * lanes_per_warp; }
  [[nodiscard]] std::int64_t splits() const { return plan_.tiling.splits; }
  [[nodiscard]] std::int64_t keys_of_split() const { return divided_up(plan_.problem.keys, splits()); }
  [[nodiscard]] int elements() const { return static_cast<int>(shape_.elements); }
  /// Elements of the query and of the new key that a lane of the first warp has.
  [[nodiscard]] std::int64_t own_elements() const;
  [[nodiscard]] std::int64_t head_lanes() const { return divided_up(plan_.problem.head_dim, shape_.elements); }
  /// The new token's key, in memory and among the CTA's.
  [[nodiscard]] std::int64_t new_key() const { return plan_.problem.keys - 1; }
  [[nodiscard]] std::int64_t new_place() const { return shape_.cached; }
  [[nodiscard]] std::int64_t new_warp() const { return new_place() % shape_.of_cta() / shape_.of_warp(); }

  [[nodiscard]] static Bound warps_before(std::int64_t warps) { return {along(Coordinate::warp), warps}; }
  [[nodiscard]] static Bound one_lane() { return {along(Coordinate::lane), 1}; }
  /// 0 for that warp alone.
  [[nodiscard]] Layout beside_warp(std::int64_t warp) const;
  /// 0 for the CTA that has the sequence's last keys, the new one among them.
  [[nodiscard]] Layout beside_last() const { return along(Coordinate::block_z, 1, 1, splits(), 1); }
  [[nodiscard]] Layout first_key() const { return along(Coordinate::block_z, keys_of_split(), 1, splits()); }
  [[nodiscard]] Layout sequence() const { return along(Coordinate::block_z, 1, splits() * plan_.problem.heads); }
  /// A lane's key, of those that all warps load together, and its elements of it.
  [[nodiscard]] Layout key_of_lane() const;
  [[nodiscard]] Layout key_of(const MmhaTrip& trip) const;
  [[nodiscard]] Layout piece() const { return along(Coordinate::lane, shape_.elements, 1, shape_.lanes); }
  /// Warps all of whose keys are beyond the last, counted in runs of `granule` keys, leave the trip out.
  [[nodiscard]] Guard busy(const MmhaTrip& trip, std::int64_t granule) const;
  [[nodiscard]] Guard lanes_of(const MmhaTrip& trip) const;

  [[nodiscard]] BufferId extra(std::int64_t number) const;
  [[nodiscard]] GlobalAccess global(BufferId buffer, const Layout& row, const Layout& column, std::int64_t vector,
                                    const Layout& layer, const Guard& lanes = {}) const;
  /// The new token's row of the cache.
  [[nodiscard]] GlobalAccess cached_row(BufferId buffer, std::int64_t vector, const Guard& lanes) const;
  [[nodiscard]] static SharedAccess shared(TileId tile, const Layout& column, std::int64_t vector = 1,
                                           const Guard& lanes = {}, const Layout& stage = {});

  const AttentionPlan& plan_;
  MmhaShape shape_;
  Program program_;
  Token lengths_, page_, q_, k_, s_, other_, greatest_, p_, sum_, v_, w_, o_, part_;
};

}  // namespace gpusim::schedules
