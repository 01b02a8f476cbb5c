// Maps, reductions and shuffles: JSON, digest, listing, checks and time.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>

#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"
#include "gpusim/schedule_io.h"
#include "support/probe_programs.h"

namespace gpusim::schedule_json_elements_test {

using testing::Probe;

namespace {

constexpr Token x{0}, y{1};

Map full_map() {
  return {.pipe = Pipe::sfu,
          .into = x,
          .a = x,
          .b = y,
          .combination = Combination::product,
          .alpha = 2,
          .beta = 3,
          .term = 4,
          .function = Function::tanh,
          .b_from = BroadcastFrom::row,
          .dealing = {2, 4},
          .columns = Layout(5),
          .diagonal = along(Coordinate::block_m, 6)};
}
Reduce full_reduce() {
  return {.pipe = Pipe::alu, .into = y, .from = x, .reduction = Reduction::maximum, .dealing = {2, 4}, .keep = true};
}

Schedule schedule_of(const std::vector<Action>& actions) {
  Probe probe;
  (void)probe.token("x");
  (void)probe.token("y");
  for (const Action& action : actions) probe.add(action);
  return probe.schedule();
}

Schedule everything(const Map& map, const Reduce& reduce, int distance = 2) {
  const StoreGlobal by_lane{.to = testing::one_line(0), .from = x, .by_lane = true};
  const StoreGlobal moved{.to = testing::one_line(0), .from = x, .origin_row = 1, .origin_column = 2};
  const StoreShared shared{testing::one_wavefront(), x, 3, 4};
  return schedule_of(
      {map, reduce, Shuffle{.into = y, .from = x, .distance = distance}, TransposeMatrices{y}, by_lane, moved, shared});
}

}  // namespace

TEST_CASE("element arithmetic reads back as it was saved") {
  const Schedule schedule = everything(full_map(), full_reduce());
  const std::string text = to_json(schedule);
  const Schedule again = parse_schedule(text, "saved.json");
  CHECK(to_json(again) == text);
  CHECK(digest(again) == digest(schedule));
  CHECK(to_string(again) == to_string(schedule));
}

TEST_CASE("the digest sees each field of element arithmetic") {
  const std::uint64_t before = digest(everything(full_map(), full_reduce()));
  const std::vector<std::function<void(Map&)>> of_map{
      [](Map& m) { m.pipe = Pipe::fma; },
      [](Map& m) { m.b.reset(); },
      [](Map& m) { m.combination = Combination::sum; },
      [](Map& m) { m.alpha = 1; },
      [](Map& m) { m.beta = 1; },
      [](Map& m) { m.term = 0; },
      [](Map& m) { m.function = Function::exp; },
      [](Map& m) { m.b_from = BroadcastFrom::column; },
      [](Map& m) { m.dealing.slots = 8; },
      [](Map& m) { m.columns.reset(); },
      [](Map& m) { m.diagonal = Layout(1); },
  };
  for (const auto& change : of_map) {
    Map map = full_map();
    change(map);
    CHECK(digest(everything(map, full_reduce())) != before);
  }
  const std::vector<std::function<void(Reduce&)>> of_reduce{
      [](Reduce& r) { r.pipe = Pipe::fma; },
      [](Reduce& r) { r.reduction = Reduction::sum; },
      [](Reduce& r) { r.dealing.vector = 1; },
      [](Reduce& r) { r.keep = false; },
  };
  for (const auto& change : of_reduce) {
    Reduce reduce = full_reduce();
    change(reduce);
    CHECK(digest(everything(full_map(), reduce)) != before);
  }
  CHECK(digest(everything(full_map(), full_reduce(), 1)) != before);
}

TEST_CASE("the listing says what is computed of what") {
  const std::string text = to_string(everything(full_map(), full_reduce()));
  CHECK(text.find(
            "MUFU.MAP     x, 2*x product 3*y of the row (4 slots of 2) + 4, tanh, of columns < 5, of columns <= row "
            "+ 6*block_m") != std::string::npos);
  CHECK(text.find("FMNMX.REDUCE y, y, maximum of x (4 slots of 2)") != std::string::npos);
  CHECK(text.find("SHFL.BFLY    y, x, lane ^ 2") != std::string::npos);
  CHECK(text.find("MOVM         y") != std::string::npos);
}

TEST_CASE("element arithmetic that no SM does is refused") {
  const auto refusal = [](Action action) {
    const std::vector<Problem> problems = check(schedule_of({std::move(action)}));
    return problems.empty() ? std::string() : problems.front().what;
  };
  CHECK(refusal(Map{.pipe = Pipe::tensor, .into = x, .a = x}) == "the tensor pipe multiplies only");
  CHECK(refusal(Map{.into = x, .a = x, .alpha = INFINITY}) == "alpha, beta and the term must be finite");
  CHECK(refusal(Map{.into = x, .a = x, .columns = along(Coordinate::lane)}) ==
        "where elements end depends on neither lane nor repeat");
  CHECK(refusal(Reduce{.pipe = Pipe::sfu, .into = x, .from = y}) ==
        "elements are added up on the fma or alu pipe, not on sfu");
  CHECK(refusal(Shuffle{.into = x, .from = y, .distance = 32}) == "a lane shuffles with one 1 to 31 away, not 32");
  CHECK(refusal(Reduce{.into = x, .from = y, .dealing = {0, 1}}) ==
        "elements are dealt to 1 to 1024 slots, 1 to 1024 at a time");
}

TEST_CASE("a chain of shuffles, or of MOVM, takes a load from shared memory's latency each") {
  const Profile profile = load_profile("ampere");
  const auto cycles_of = [&](const Action& each, int count) {
    Probe probe;
    (void)probe.token("x");
    probe.add(Arithmetic{.pipe = Pipe::alu, .reads = {}, .writes = x, .overhead = false});
    for (int i = 0; i < count; ++i) probe.add(each);
    return cycles(Gpu(profile).run(probe.schedule()));
  };
  for (const Action& each : {Action(Shuffle{.into = x, .from = x, .distance = 1}), Action(TransposeMatrices{x})})
    CHECK(cycles_of(each, 9) - cycles_of(each, 1) == 8 * profile.shared.latency);
}

}  // namespace gpusim::schedule_json_elements_test
