// How the threads that share a row bring together what each has of it.
#include <algorithm>
#include <utility>

#include "schedules/row_plan.h"

namespace gpusim::schedules {
namespace {

constexpr std::int64_t word_bytes = 4;
constexpr std::int64_t least_tile = 16;
/// Of a step of a tree, on every warp, as clang 14 compiles the loop for sm_70: halving the distance, two comparisons
/// and two branches, a move for the next trip; and two with which Volta's warps meet again behind the work (BSSY,
/// BSYNC).
constexpr std::int64_t step_instructions = 8;
constexpr std::int64_t doubling_instructions = 2;  ///< and the thread's first element: a product, and its address
/// And to find every 2^n-th thread by a remainder, as compilers write it where they do not know the power: two
/// conversions and a reciprocal of the sfu pipe, and integer products.
constexpr std::int64_t remainder_instructions = 16;
constexpr std::int64_t remainder_functions = 3;

Combination combined(Reduction reduction) {
  return reduction == Reduction::maximum ? Combination::maximum : Combination::sum;
}

Bound first_warps(std::int64_t warps) { return {along(Coordinate::warp), warps}; }

/// Number `threads` in turn: threads beyond, which do nothing, have places within the tile all the same.
Layout first_threads(std::int64_t threads) {
  if (threads <= lanes_per_warp) return along(Coordinate::lane, 1, 1, threads);
  return along(Coordinate::lane) + along(Coordinate::warp, lanes_per_warp, 1, threads / lanes_per_warp);
}

/// The threads at work in a step of a tree, the shared elements each takes together, and who knows the sum.
struct TreeStep {
  Bound lanes;
  std::optional<Bound> warps;
  Layout column;
  Dealing dealing;
};

TreeStep halving_step(std::int64_t distance, const Layout& thread) {
  return {{thread, distance},
          first_warps(divided_up(distance, lanes_per_warp)),
          first_threads(distance),
          {1, static_cast<int>(distance)}};
}

TreeStep doubling_step(std::int64_t distance, std::int64_t threads, const Layout& thread) {
  const std::int64_t pairs = threads / (2 * distance);
  return {{thread, pairs},
          first_warps(divided_up(pairs, lanes_per_warp)),
          first_threads(pairs) * (2 * distance),
          {static_cast<int>(2 * distance), static_cast<int>(pairs)}};
}

TreeStep divergent_step(std::int64_t distance, std::int64_t threads) {
  const std::int64_t every = 2 * distance;
  const Dealing dealing{static_cast<int>(every), static_cast<int>(threads / every)};
  if (every <= lanes_per_warp)
    return {{along(Coordinate::lane, 1, 1, every), 1},
            std::nullopt,
            along(Coordinate::lane, every, every) + along(Coordinate::warp, lanes_per_warp),
            dealing};
  const std::int64_t warps = every / lanes_per_warp;
  const Layout warp = along(Coordinate::warp, 1, 1, warps);
  return {{along(Coordinate::lane) + warp, 1}, Bound{warp, 1}, along(Coordinate::warp, every, warps), dealing};
}

}  // namespace

SharedTile RowWriter::meeting_tile(int stages, TileId id) {
  meeting_ = id;
  const RowMeeting meeting = plan_.tiling.meeting;
  const bool by_shuffles = meeting == RowMeeting::shuffles;
  const bool of_warps = by_shuffles || meeting == RowMeeting::first_warp;
  const int numbers = of_warps ? plan_.warps_per_row() : plan_.tiling.threads;
  return {"partials",  plan_.tiling.rows_per_cta, numbers,
          DType::fp32, by_shuffles ? stages : 1,  Bytes(std::max(word_bytes * numbers, least_tile))};
}

void RowWriter::meet(Token value, Reduction reduction, int stage, std::int64_t values) {
  append_beside(body(), plan_.tiling.beside.meet);
  switch (plan_.tiling.meeting) {
    case RowMeeting::shuffles:
      return meet_by_shuffles(value, reduction, stage, values);
    case RowMeeting::first_warp:
      return meet_in_first_warp(value, reduction, values);
    case RowMeeting::one_warp:
      return meet_in_one_warp(value, reduction);
    case RowMeeting::halving:
    case RowMeeting::doubling:
    case RowMeeting::divergent:
    case RowMeeting::halving_warps:
      return meet_in_tree(value, reduction);
  }
}

void RowWriter::meet_by_shuffles(Token value, Reduction reduction, int stage, std::int64_t values) {
  shuffle(value, reduction, plan_.slots(), values);
  const int warps = plan_.warps_per_row();
  if (warps == 1) return;
  const Layout warp_of_row = along(Coordinate::warp, 1, 1, warps);
  const Layout row = plan_.tiling.rows_per_cta > 1 ? along(Coordinate::warp, 1, warps) : Layout();
  append(body(),
         StoreShared{.to = {.tile = meeting_,
                            .stage = stage,
                            .row = row,
                            .column = warp_of_row,
                            .lanes = Bound{along(Coordinate::lane), 1}},
                     .from = value,
                     .origin_row = {},
                     .origin_column = warp_of_row},
         values);
  append(body(), CtaBarrier{});
  append(
      body(),
      LoadShared{.from = {.tile = meeting_, .stage = stage, .row = row, .column = along(Coordinate::lane, 1, 1, warps)},
                 .into = value},
      values);
  shuffle(value, reduction, warps, values);
}

/// Of several values that go along one has a meaning, the same as of one.
void RowWriter::meet_in_first_warp(Token value, Reduction reduction, std::int64_t values) {
  shuffle(value, reduction, lanes_per_warp, values);
  const int warps = plan_.warps_per_row();
  const Layout warp = along(Coordinate::warp);
  append(body(), CtaBarrier{});
  append(body(),
         StoreShared{.to = {.tile = meeting_, .column = warp, .lanes = Bound{along(Coordinate::lane), 1}},
                     .from = value,
                     .origin_row = {},
                     .origin_column = warp},
         values);
  append(body(), CtaBarrier{});
  append(body(), LoadShared{.from = {.tile = meeting_, .column = along(Coordinate::lane, 1, 1, warps)}, .into = value},
         values, first_warps(1));
  shuffle_in_first_warp(value, reduction, warps, values);
  tell_all(value, values);
}

void RowWriter::shuffle_in_first_warp(Token value, Reduction reduction, int slots, std::int64_t values) {
  Body before = std::exchange(body(), {});
  shuffle(value, reduction, slots, values);
  Body shuffles = std::exchange(body(), std::move(before));
  append_where(body(), std::move(shuffles), first_warps(1));
}

/// What the first thread knows.
void RowWriter::tell_all(Token value, std::int64_t values) {
  append(body(), StoreShared{.to = {.tile = meeting_, .lanes = Bound{along(Coordinate::lane), 1}}, .from = value},
         values, first_warps(1));
  read_result(value, values);
}

Layout RowWriter::thread_of_row() const { return along(Coordinate::lane) + along(Coordinate::warp, lanes_per_warp); }

/// Each thread's number, once nobody reads the last ones any more.
void RowWriter::store_own(Token value) {
  if (has_met_) append(body(), CtaBarrier{});
  has_met_ = true;
  append(body(), StoreShared{.to = {.tile = meeting_, .column = thread_of_row()},
                             .from = value,
                             .origin_row = {},
                             .origin_column = along(Coordinate::warp, lanes_per_warp)});
  append(body(), CtaBarrier{});
}

void RowWriter::read_result(Token value, std::int64_t values) {
  append(body(), CtaBarrier{});
  append(body(), LoadShared{.from = {.tile = meeting_}, .into = value}, values);
}

void RowWriter::meet_in_one_warp(Token value, Reduction reduction) {
  constexpr std::int64_t read_at_a_time = 4;  // of the loop of one thread, as it is unrolled
  const std::int64_t warps = plan_.warps_per_row();
  const Pipe pipe = pipe_of(reduction);
  const Bound one_warp = first_warps(1);
  store_own(value);
  const Token gathered = token_once("gathered");
  const Bound lanes{along(Coordinate::lane), warps};
  append(body(),
         LoadShared{.from = {.tile = meeting_,
                             .column = along(Coordinate::lane, lanes_per_warp, 1, warps) + along(Coordinate::repeat),
                             .lanes = lanes},
                    .into = gathered},
         lanes_per_warp, one_warp);
  append(body(),
         Reduce{.pipe = pipe,
                .into = value,
                .from = gathered,
                .reduction = reduction,
                .dealing = {lanes_per_warp, static_cast<int>(warps)}},
         lanes_per_warp, one_warp);
  append(body(),
         StoreShared{.to = {.tile = meeting_, .column = along(Coordinate::lane, 1, 1, warps), .lanes = lanes},
                     .from = value},
         1, one_warp);
  append(body(), CtaBarrier{});
  clear(value, reduction);
  const std::int64_t at_a_time = std::min(warps, read_at_a_time);
  Body piece;
  append(piece,
         LoadShared{.from = {.tile = meeting_,
                             .column = along(Coordinate::repeat) + along(Coordinate::loop0, at_a_time),
                             .lanes = Bound{along(Coordinate::lane), 1}},
                    .into = gathered},
         at_a_time, one_warp);
  append(piece,
         Reduce{.pipe = pipe, .into = value, .from = gathered, .reduction = reduction, .dealing = {1, 1}, .keep = true},
         at_a_time, one_warp);
  body().emplace_back(Loop{warps / at_a_time, std::move(piece), true});
  tell_all(value, 1);
}

void RowWriter::meet_in_tree(Token value, Reduction reduction) {
  const std::int64_t threads = plan_.tiling.threads;
  const Layout thread = thread_of_row();
  const RowMeeting meeting = plan_.tiling.meeting;
  const bool to_warp = meeting == RowMeeting::halving_warps;
  const bool halving = meeting == RowMeeting::halving || to_warp;
  const std::int64_t steps = to_warp ? threads / lanes_per_warp : threads;
  store_own(value);
  const Token pair = token_once("pair");
  for (std::int64_t step = 1; step < steps; step *= 2) {
    const std::int64_t distance = halving ? threads / (2 * step) : step;
    const TreeStep work = halving                           ? halving_step(distance, thread)
                          : meeting == RowMeeting::doubling ? doubling_step(distance, threads, thread)
                                                            : divergent_step(distance, threads);
    if (step > 1) append(body(), CtaBarrier{});
    append_overhead(body(), step_instructions + (meeting == RowMeeting::doubling ? doubling_instructions : 0));
    if (meeting == RowMeeting::divergent) {
      append_cost(body(), Pipe::alu, value, remainder_instructions);
      append_cost(body(), Pipe::sfu, value, remainder_functions);
    }
    append(body(),
           LoadShared{.from = {.tile = meeting_,
                               .column = work.column + along(Coordinate::repeat, distance),
                               .lanes = work.lanes},
                      .into = pair},
           2, work.warps);
    append(
        body(),
        Reduce{
            .pipe = pipe_of(reduction), .into = value, .from = pair, .reduction = reduction, .dealing = work.dealing},
        1, work.warps);
    // What a pair comes to lies where its first number was.
    if (!halving)
      append(body(),
             Map{.pipe = Pipe::alu,
                 .into = pair,
                 .a = pair,
                 .b = value,
                 .combination = Combination::sum,
                 .alpha = 0,
                 .b_from = BroadcastFrom::row,
                 .dealing = work.dealing},
             1, work.warps);
    append(body(),
           StoreShared{.to = {.tile = meeting_, .column = work.column, .lanes = work.lanes},
                       .from = halving ? value : pair},
           1, work.warps);
  }
  if (!to_warp) return read_result(value);
  shuffle_in_first_warp(value, reduction, lanes_per_warp, 1);
  tell_all(value, 1);
}

Token RowWriter::token_once(const std::string& name) {
  const auto found = std::find(program_.tokens.begin(), program_.tokens.end(), name);
  return found != program_.tokens.end() ? Token(found - program_.tokens.begin()) : token(name);
}

void RowWriter::shuffle(Token value, Reduction reduction, int slots, std::int64_t values) {
  const Token other = token_once(program_.tokens[static_cast<std::size_t>(value.index())] + "_other");
  for (int distance = slots / 2; distance >= 1; distance /= 2) {
    append(body(), Shuffle{.into = other, .from = value, .distance = distance}, values);
    append(body(),
           Map{.pipe = pipe_of(reduction), .into = value, .a = value, .b = other, .combination = combined(reduction)},
           values);
  }
}

Dealing RowWriter::known() const {
  const int warps = plan_.warps_per_row();
  if (plan_.tiling.meeting != RowMeeting::shuffles) return {};
  return warps == 1 ? own() : Dealing{1, warps};
}

}  // namespace gpusim::schedules
