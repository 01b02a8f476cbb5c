// What the programs of all GEMM variants are written with: loops over items and k tiles, their overhead, fragments.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gpusim/program.h"
#include "schedules/gemm_access.h"
#include "schedules/gemm_plan.h"

namespace gpusim::schedules {

using Body = std::vector<Statement>;

// Index and loop arithmetic, in instructions a warp; docs/schedules.md says what they are.
inline constexpr std::int64_t prologue_overhead = 24;
inline constexpr std::int64_t producer_overhead = 16;
inline constexpr std::int64_t epilogue_overhead = 8;
inline constexpr std::int64_t item_overhead = 4;        ///< a persistent CTA's next tile: its number, and where it lies
inline constexpr std::int64_t loop_overhead = 3;        ///< counter, comparison, branch
inline constexpr std::int64_t stage_overhead = 2;       ///< step and wrap
inline constexpr std::int64_t coordinate_overhead = 2;  ///< of the boxes of A and B, or of C's
inline constexpr std::int64_t zeros_per_instruction = 2;
inline constexpr std::int64_t narrowed_per_instruction = 2;

/// More than any limit of a guard: no k tile's number comes near it.
inline constexpr std::int64_t beyond_all = std::int64_t{1} << 40;

/// Appends one operation.
void append(Body& body, Action action, std::int64_t count = 1, std::optional<Bound> guard = std::nullopt);
/// Index or loop arithmetic.
void append_overhead(Body& body, std::int64_t instructions);
/// Arithmetic on every element of a fragment, or on several at a time.
void append_conversion(Body& body, Token fragment, std::int64_t instructions);

/// What the lanes have loaded of A or B by `loaded` goes to local memory and comes back.
void append_local_passage(Body& body, const GemmPlan& plan, BufferId operand, const Access& loaded, Token vectors,
                          const std::optional<Bound>& guard);

/// Appends operations that happen only where `where` holds, beside their own guards. Its limit is 1: its value is 0
/// where it holds. What guards the operations already stays below `beyond`.
void append_where(Body& body, Body operations, const Bound& where, std::int64_t beyond = beyond_all);

/// The schedule's grid, and how its CTAs walk it.
void set_walk(const GemmPlan& plan, Schedule& schedule);

/// A k tile as a copy sees it: its number, the stage it goes to, and when it is one at all.
struct TileStep {
  Layout number;
  Layout stage;
  std::optional<Bound> guard;  ///< depends on no warp
};

/// How the programs of a plan walk k tiles, and those of persistent CTAs the items before that.
class Walker {
 public:
  explicit Walker(const GemmPlan& plan);

  /// The loop over k tiles, empty yet.
  [[nodiscard]] Loop k_loop(bool steps_tiles) const;
  /// `body`, once for each item of a persistent CTA, or (pingpong) for those of one of its groups.
  void append_items(Body& program, Body body, std::optional<int> group = std::nullopt) const;

  /// Number of the k tile the loop stands at, or `ahead` of it.
  [[nodiscard]] Layout number(std::int64_t ahead = 0) const;
  /// Its place in a ring of stages, and how often the ring has been filled before.
  [[nodiscard]] Layout stage(std::int64_t ahead = 0) const;
  [[nodiscard]] Layout round() const;
  [[nodiscard]] TileStep step() const { return {number(), stage(), std::nullopt}; }
  /// The tile so many ahead; it may be beyond the last.
  [[nodiscard]] TileStep step(std::int64_t ahead) const { return {number(ahead), stage(ahead), inside(ahead)}; }
  /// Holds where the k tile so many ahead is one of the item.
  [[nodiscard]] Bound inside(std::int64_t ahead) const;
  /// The item's first.
  [[nodiscard]] TileStep first_step() const { return {begin(), 0, std::nullopt}; }
  /// Of the first `count` k tiles, which a loop of their own brings before the loop over k.
  [[nodiscard]] TileStep first_step(std::int64_t count) const;

  /// Holds at all k tiles of a whole item but the first; at the last.
  [[nodiscard]] Bound behind_first() const { return {number() * -1, 0}; }
  [[nodiscard]] Bound at_last() const { return {along(Coordinate::k_count) + number() * -1, 2}; }

  /// Number of the CTA's item.
  [[nodiscard]] Layout item() const { return plan_.persistent() ? along(Coordinate::loop0) : Layout(); }
  /// Its number among those of the warp's group.
  [[nodiscard]] Layout own_item() const {
    return plan_.tiling.pingpong ? along(Coordinate::loop0, 1, pingpong_groups) : item();
  }
  /// Index of the loop over k.
  [[nodiscard]] Coordinate k() const { return plan_.persistent() ? Coordinate::loop1 : Coordinate::loop0; }

 private:
  /// From item to item the index goes on, and with it stages and phases. Where copies run ahead of the loop it does
  /// not: each item's first tiles are brought before it.
  [[nodiscard]] bool goes_on() const {
    return plan_.persistent() && (plan_.tiling.specialize || (plan_.tiling.stream_k && !plan_.restarts_k()));
  }
  /// Number of the item's first k tile, less where the loop's index begins.
  [[nodiscard]] Layout begin() const;
  [[nodiscard]] std::int64_t most_items() const;

  const GemmPlan& plan_;
  std::int64_t stages_;
  std::int64_t trips_;  ///< of the loop over k, at most
};

/// A warp role's program with what every variant's begins with.
class GemmProgram {
 public:
  explicit GemmProgram(const GemmPlan& plan) : walker(plan), plan_(plan) {}

  /// Index arithmetic before the first tile, and an address for each copy of a warp.
  void begin(std::int64_t copies);
  /// Index arithmetic of a warp that only copies.
  void begin_producer();
  /// The accumulators' zeros.
  void clear(Body& into);

  /// The fragment of that name.
  Token token(const std::string& name);
  [[nodiscard]] Token c() { return token("c"); }
  [[nodiscard]] Body& body() { return program_.body; }
  [[nodiscard]] Program take() { return std::move(program_); }

  Walker walker;

 private:
  const GemmPlan& plan_;
  Program program_;
};

}  // namespace gpusim::schedules
