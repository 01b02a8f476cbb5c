// Barriers and atomics in loops.
#include "schedules/probe_parts.h"

namespace gpusim::schedules {
namespace {

constexpr std::int64_t words_a_line = 32;

std::vector<Statement> barrier(const BarrierLoop& choices) {
  const BarrierSlot slot{BarrierId(0), 0};
  switch (choices.kind) {
    case BarrierKind::cta:
      return {run_of(CtaBarrier{})};
    case BarrierKind::mbarrier:
      return {run_of(BarrierArrive{slot, Bytes(0)}), run_of(BarrierWait{slot, along(Coordinate::loop0)})};
    case BarrierKind::grid:
      return {run_of(GridBarrier{})};
    case BarrierKind::cluster:
    case BarrierKind::cluster_relaxed:
      break;
  }
  return {run_of(ClusterBarrier{choices.kind == BarrierKind::cluster_relaxed})};
}

}  // namespace

Schedule barrier_loop(const BarrierLoop& choices) {
  Program program;
  program.body = {loop(choices.trips, barrier(choices))};
  const std::int64_t ctas = choices.kind == BarrierKind::grid ? choices.ctas : choices.cluster;
  Schedule schedule = kernel("barriers", ctas, choices.warps, std::move(program));
  schedule.cluster = choices.cluster;
  if (choices.kind == BarrierKind::mbarrier) schedule.barriers = {{"phase", 1, choices.warps}};
  return schedule;
}

Schedule atomic_loop(const AtomicLoop& choices) {
  using Target = AtomicLoop::Target;
  const std::int64_t threads = std::int64_t{choices.warps} * lanes_per_warp;
  Layout word;
  std::int64_t words = choices.ctas * threads;
  switch (choices.target) {
    case Target::lane:
      word = along(Coordinate::block_m, threads) + along(Coordinate::warp, lanes_per_warp) + along(Coordinate::lane);
      break;
    case Target::cta:
      word = along(Coordinate::block_m, words_a_line);
      words = choices.ctas * words_a_line;
      break;
    case Target::words:
      word = along(Coordinate::lane, words_a_line, 1, choices.words);
      words = choices.words * words_a_line;
      break;
  }
  Program program;
  const Token added = program.token("added");
  std::vector<Statement> body;
  for (int i = 0; i < choices.ilp; ++i) {
    AtomicAdd atomic{at(0, 0, word), added, {}};
    if (choices.returns || choices.chained) atomic.into = program.token("old" + std::to_string(i));
    if (choices.chained) atomic.to.address = atomic.into;
    body.emplace_back(run_of(atomic));
  }
  program.body = {loop(choices.trips, std::move(body))};
  Schedule schedule = kernel("atomics", choices.ctas, choices.warps, std::move(program));
  schedule.buffers = {{"words", 1, words, words, DType::int32, Placement::linear, 0}};
  return schedule;
}

}  // namespace gpusim::schedules
