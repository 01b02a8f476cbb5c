// Shared memory: bank conflicts, and other CTAs' memory in a cluster.
#include "schedules/probe_parts.h"

namespace gpusim::schedules {
namespace {

/// As many words as there are banks in each row, as many rows as a conflict needs.
SharedTile words() {
  return {"words", lanes_per_warp, bank_count, DType::fp32, 1, Bytes(bank_count * word_bytes), Swizzle::none};
}

}  // namespace

Schedule shared_loop(const SharedLoop& choices) {
  Program program;
  // `ways` lanes after one another share a bank, each in a row of its own.
  const Layout row = along(Coordinate::lane, 1, 1, choices.ways);
  const Layout column = along(Coordinate::lane, 1, choices.ways);
  std::vector<Statement> body;
  if (choices.chained) {
    const Token pointer = program.token("pointer");
    body = {run_of(LoadShared{in_tile(0, row, column, 1, pointer), pointer})};
  } else {
    for (const char* const name : {"first", "second", "third", "fourth"})
      body.emplace_back(run_of(LoadShared{in_tile(0, row, column), program.token(name)}));
  }
  program.body = {loop(choices.trips, std::move(body))};
  Schedule schedule = kernel("shared loads", 1, choices.warps, std::move(program));
  schedule.shared_tiles = {words()};
  return schedule;
}

Schedule peer_chase(const PeerChase& choices) {
  Program program;
  const Bound first_rank{along(Coordinate::block_m, 1, 1, choices.cluster), 1};
  std::vector<Statement> body;
  for (int i = 0; i < choices.ilp; ++i) {
    const Token pointer = program.token("pointer" + std::to_string(i));
    SharedAccess from = in_tile(0, 0, 0, 1, pointer);
    if (choices.peer) from.peer = Layout(*choices.peer);
    body.emplace_back(run_of(LoadShared{from, pointer}, 1, first_rank));
  }
  program.body.emplace_back(loop(choices.trips, std::move(body)));
  // Nobody leaves while its memory is read.
  if (choices.cluster > 1) program.body.emplace_back(run_of(ClusterBarrier{}));
  Schedule schedule = kernel("peer chase", choices.cluster, 1, std::move(program));
  schedule.cluster = choices.cluster;
  schedule.shared_tiles = {words()};
  return schedule;
}

}  // namespace gpusim::schedules
