#include "schedules/gemm_program.h"

#include <algorithm>
#include <iterator>

#include "schedules/gemm_access.h"
#include "schedules/gemm_buffers.h"

namespace gpusim::schedules {
void append(Body& body, Action action, std::int64_t count, std::optional<Bound> guard) {
  body.emplace_back(Operation{std::move(action), count, std::move(guard)});
}

void append_overhead(Body& body, std::int64_t instructions) {
  append(body, Arithmetic{.pipe = Pipe::alu, .reads = {}, .writes = {}, .overhead = true}, instructions);
}

void append_conversion(Body& body, Token fragment, std::int64_t instructions) {
  append(body, Arithmetic{.pipe = Pipe::alu, .reads = {fragment}, .writes = fragment, .overhead = false}, instructions);
}

void append_local_passage(Body& body, const GemmPlan& plan, BufferId operand, const Access& loaded, Token vectors,
                          const std::optional<Bound>& guard) {
  const std::int64_t before = operand == buffer_b ? elements_on_the_way(plan, plan.a) : 0;
  GlobalAccess local = local_access(plan, loaded.vector, 0, 0);
  local.column += Layout(before * lanes_per_warp);
  local.lanes = loaded.lanes;
  append(body, StoreGlobal{.to = local, .from = vectors, .origin_row = {}, .origin_column = {}, .by_lane = true},
         loaded.count, guard);
  append(body, LoadGlobal{.from = local, .into = vectors}, loaded.count, guard);
}

void append_where(Body& body, Body operations, const Bound& where, std::int64_t beyond) {
  for (Statement& statement : operations) {
    if (auto* const loop = std::get_if<Loop>(&statement)) {
      // Where not all CTAs go through it, a trip is no tile of the kernel's.
      Loop guarded{loop->trips, {}, false, loop->walk};
      append_where(guarded.body, std::move(loop->body), where, beyond);
      body.emplace_back(std::move(guarded));
      continue;
    }
    auto& guard = std::get<Operation>(statement).guard;
    if (guard)
      guard->value += where.value * beyond;
    else
      guard = where;
    body.push_back(std::move(statement));
  }
}

Walker::Walker(const GemmPlan& plan)
    : plan_(plan), stages_(plan.tiling.stages), trips_(plan.tiling.split_k > 1 ? plan.slice_tiles : plan.k_tiles) {}

Loop Walker::k_loop(bool steps_tiles) const {
  const bool walks = goes_on() || plan_.restarts_k() || (plan_.slices_k() && !plan_.persistent());
  return {trips_, {}, steps_tiles, walks ? Walk::k_tiles : Walk::none};
}

std::int64_t Walker::most_items() const {
  const GemmTile& tile = plan_.tiling.tile;
  const std::int64_t tiles = pieces(plan_.problem.m, tile.m) * pieces(plan_.problem.n, tile.n) * plan_.layers();
  if (plan_.tiling.stream_k)  // the ends of the range may fall within tiles
    return pieces(pieces(tiles * plan_.k_tiles, plan_.tiling.ctas), plan_.k_tiles) + 1;
  return pieces(tiles, plan_.tiling.ctas);
}

void Walker::append_items(Body& program, Body body, std::optional<int> group) const {
  if (!plan_.persistent()) {
    std::move(body.begin(), body.end(), std::back_inserter(program));
    return;
  }
  append_overhead(body, item_overhead);
  Loop items{most_items(), std::move(body), false, Walk::items};
  if (group) {
    items.turns = pingpong_groups;
    items.turn = *group;
  }
  program.emplace_back(std::move(items));
}

Layout Walker::begin() const {
  return goes_on() || plan_.restarts_k() ? along(Coordinate::k_begin) : slice_begin(plan_);
}

Layout Walker::number(std::int64_t ahead) const { return along(k()) + begin() + ahead; }

Layout Walker::stage(std::int64_t ahead) const {
  return stages_ == 1 ? Layout() : along(k(), 1, 1, stages_, ahead % stages_);
}

Layout Walker::round() const { return along(k(), 1, stages_); }

Bound Walker::inside(std::int64_t ahead) const {
  if (goes_on()) return {number(ahead), plan_.k_tiles};
  if (plan_.restarts_k()) return {along(k()) + along(Coordinate::k_count, -1) + ahead, 0};
  return {along(k()) + ahead, trips_};
}

TileStep Walker::first_step(std::int64_t count) const {
  TileStep step{along(k()) + begin(), along(k()), std::nullopt};
  if (plan_.restarts_k())
    step.guard = inside(0);
  else if (count > trips_)
    step.guard = Bound{along(k()), trips_};
  return step;
}

void GemmProgram::begin(std::int64_t copies) { append_overhead(body(), prologue_overhead + copies); }

void GemmProgram::begin_producer() { append_overhead(body(), producer_overhead); }

void GemmProgram::clear(Body& into) {
  const std::int64_t zeros = plan_.sum_registers();
  // The first wgmma of a tile writes instead of adding: a predicate says so.
  const bool told = plan_.tiling.variant == GemmVariant::wgmma && !plan_.tiling.promote;
  append(into, Arithmetic{.pipe = Pipe::alu, .reads = {}, .writes = c(), .overhead = true},
         told ? 1 : (zeros + zeros_per_instruction - 1) / zeros_per_instruction);
}

Token GemmProgram::token(const std::string& name) {
  const auto found = std::find(program_.tokens.begin(), program_.tokens.end(), name);
  if (found != program_.tokens.end()) return Token(found - program_.tokens.begin());
  return program_.token(name);
}

}  // namespace gpusim::schedules
