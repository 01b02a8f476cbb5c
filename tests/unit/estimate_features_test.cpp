// The closed form of work items, bulk stores, register banks and what else belongs to whole schedules.
#include <doctest/doctest.h>

#include "gpusim/estimate/critical_path.h"
#include "support/latency_machine.h"
#include "support/probe_programs.h"

namespace gpusim::estimate_features_test {

using namespace gpusim::testing;
using estimate::critical_path;

namespace {

constexpr Cycles fma{4}, alu{5};

Loop walk(Walk which, std::vector<Statement> body) {
  Loop loop;
  loop.trips = 100;
  loop.body = std::move(body);
  loop.walk = which;
  return loop;
}

Schedule with_body(std::vector<Statement> body, std::vector<std::string> tokens = {"x"}) {
  return probe_schedule({{"worker", 1, {std::move(tokens), std::move(body)}}});
}

Cycles alone(const Schedule& schedule) { return critical_path(schedule, latency_machine(1)).cta_cycles; }

}  // namespace

TEST_CASE("a walk makes as many trips as CTA 0 has items and these have k tiles") {
  const Operation link{changes(Token(0))};
  Schedule schedule = with_body({walk(Walk::items, {walk(Walk::k_tiles, {link}), link})});
  schedule.grid_m = 5;
  schedule.ctas = 2;
  schedule.k_tiles = 7;
  CHECK(alone(schedule) == 3 * (7 + 1) * fma);
}

TEST_CASE("the index over k tiles goes on from item to item, and with k_begin it is the number of the k tile") {
  Operation first_eight{changes(Token(0))};
  first_eight.guard = Bound{along(Coordinate::loop1), 8};
  Operation first_of_k{changes(Token(0))};
  first_of_k.guard = Bound{along(Coordinate::loop1) + along(Coordinate::k_begin), 1};
  Schedule schedule = with_body({walk(Walk::items, {walk(Walk::k_tiles, {first_eight, first_of_k})})});
  schedule.grid_m = 3;
  schedule.ctas = 1;
  schedule.k_tiles = 5;
  CHECK(alone(schedule) == 8 * fma + 3 * fma);
}

TEST_CASE("items of a slice of k are partial and shorter") {
  Operation when_partial{changes(Token(0))};
  when_partial.guard = Bound{along(Coordinate::partial, -1), 0};
  Schedule schedule = with_body({walk(Walk::k_tiles, {Operation{changes(Token(0), Pipe::alu)}}), when_partial});
  schedule.grid_z = schedule.splits = 2;
  schedule.k_tiles = 8;
  CHECK(alone(schedule) == 4 * alu + fma);
}

TEST_CASE("a run of FFMAs goes no faster than the busiest register bank") {
  Profile profile = latency_machine(1);
  profile.sm.register_bank_operands_per_clk = Rate::per_cycle(1);
  const auto run = [&](std::int64_t operands, std::int64_t instructions) {
    const Multiply multiply{.pipe = Pipe::fma,
                            .a = Token(0),
                            .b = Token(1),
                            .c = Token(2),
                            .input = DType::fp32,
                            .reads = RegisterReads{operands, instructions}};
    return critical_path(with_body({Operation{multiply, 64}}, {"a", "b", "c"}), profile).total;
  };
  CHECK(run(2, 1) == 2 * Cycles(64 - 1) + fma);
  CHECK(run(3, 2) == Cycles((3 * (64 - 1) + 1) / 2) + fma);
}

TEST_CASE("a bulk store is waited for until it has read shared memory") {
  Profile profile = latency_machine(1);
  profile.tma->tensor_overhead = Cycles(60);
  profile.tma->dimension_overhead = Cycles(8);
  BulkStore store;
  store.rows = 8;
  store.columns = floats_a_line;
  const Cycles read = profile.tma->overhead + profile.tma->tensor_overhead + profile.tma->dimension_overhead;
  const Operation stored{store}, commit{BulkCommit{}}, link{changes(Token(0))};
  const auto total = [&](std::vector<Statement> body) {
    return critical_path(with_body(std::move(body)), profile).total;
  };
  CHECK(total({stored, commit, Operation{BulkWait{0}}, link}) == read + fma);
  CHECK(total({stored, commit, Operation{BulkWait{1}}, link}) == read);
  CHECK(total({stored, commit}) == read);
}

TEST_CASE("a bias is waited for, and reallocated registers are not") {
  const Schedule schedule = with_body({Operation{RegisterReallocate{40}}, Operation{changes(Token(1), Pipe::alu)},
                                       Operation{Scale{.c = Token(0), .bias = Token(1)}}},
                                      {"c", "bias"});
  CHECK(alone(schedule) == alu + fma);
}

}  // namespace gpusim::estimate_features_test
