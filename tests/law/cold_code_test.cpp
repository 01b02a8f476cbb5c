// Law: with cold code a kernel's first warps wait for its instructions, once an SM; with warm code nobody does.
#include <doctest/doctest.h>

#include "gpusim/gpu.h"
#include "support/probe_machine.h"
#include "support/probe_programs.h"

namespace gpusim::cold_code_test {

using namespace gpusim::testing;

namespace {

constexpr std::int64_t fetch_latency = 50;
constexpr std::int64_t cycles_an_instruction = 16 / 2;

Profile with_code() {
  Profile profile = probe_machine();
  profile.code = CodeSpec{.fetch_latency = Cycles(fetch_latency), .bytes_per_clk = Rate::per_cycle(2)};
  return profile;
}

Result run(const Profile& profile, const Schedule& schedule, CodeState code) {
  return Gpu(profile).run(schedule, {.exact = true, .l2 = L2State::warm, .code = code});
}

std::int64_t waited(const Result& result) { return stalls(result.kernels.at(0))[Reason::no_instruction]; }

/// Runs of so many instructions that depend on nothing.
Schedule straight(std::initializer_list<int> runs, int warps = 1, std::int64_t ctas = 1) {
  Probe probe;
  for (const int count : runs) probe.add(Arithmetic{}, count);
  return probe.schedule(warps, ctas);
}

}  // namespace

TEST_CASE("warm code costs nothing, and its digest is that of a profile without code") {
  const Schedule schedule = straight({3, 4});
  const Result warm = run(with_code(), schedule, CodeState::warm);
  CHECK(waited(warm) == 0);
  CHECK(warm.digest == run(probe_machine(), schedule, CodeState::cold).digest);
}

TEST_CASE("the first instruction comes after the fetch latency and its own bytes") {
  const Result cold = run(with_code(), straight({1}), CodeState::cold);
  CHECK(waited(cold) == fetch_latency + cycles_an_instruction);
}

TEST_CASE("code streams in ahead of the warp: what follows costs its bytes, less the time the warp took") {
  constexpr int first = 3;
  constexpr int second = 4;
  const Result cold = run(with_code(), straight({first, second}), CodeState::cold);
  CHECK(waited(cold) == fetch_latency + first * cycles_an_instruction + second * cycles_an_instruction - first);
}

TEST_CASE("behind a loop code comes anew") {
  Probe probe;
  probe.add(Arithmetic{}).loop(20, Probe().add(Arithmetic{})).add(Arithmetic{});
  const Schedule schedule = probe.schedule();
  const Result cold = run(with_code(), schedule, CodeState::cold);
  // The first instruction, the loop's that follows it, and the one behind.
  CHECK(waited(cold) == 2 * (fetch_latency + cycles_an_instruction) + cycles_an_instruction - 1);
}

TEST_CASE("a second CTA of an SM finds the code there") {
  Profile profile = with_code();
  profile.sm.count = 1;
  profile.sm.ctas = 1;
  const std::int64_t one = waited(run(profile, straight({5}), CodeState::cold));
  CHECK(waited(run(profile, straight({5}, 1, 4), CodeState::cold)) == one);
}

TEST_CASE("every warp that gets there before the code waits for it") {
  const std::int64_t one = waited(run(with_code(), straight({2}), CodeState::cold));
  CHECK(waited(run(with_code(), straight({2}, 2), CodeState::cold)) == 2 * one);
}

TEST_CASE("of kernels that are repeated each finds the code of the one before") {
  const Schedule one = straight({5});
  const Schedule other = straight({7});
  const auto waits = [](const std::vector<Schedule>& schedules, CodeState code) {
    const Result result = Gpu(with_code()).run(schedules, {.exact = true, .l2 = L2State::warm, .code = code});
    std::vector<bool> waited;
    for (const KernelResult& kernel : result.kernels) waited.push_back(stalls(kernel)[Reason::no_instruction] > 0);
    return waited;
  };
  CHECK(waits({one, other}, CodeState::warm) == std::vector{false, false});
  CHECK(waits({one, other, other, one}, CodeState::repeated) == std::vector{false, true, false, true});
  CHECK(waits({one, other}, CodeState::repeated) == std::vector{true, true});
  CHECK(waits({one, one}, CodeState::repeated) == std::vector{false, false});
  CHECK(waits({one, one}, CodeState::cold) == std::vector{true, true});
}

}  // namespace gpusim::cold_code_test
