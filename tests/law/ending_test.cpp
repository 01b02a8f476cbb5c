// Laws of runs that end early: by a limit, by a wish, or because they cannot go on.
#include <doctest/doctest.h>

#include <string>

#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"
#include "gpusim/schedules/attention.h"
#include "gpusim/schedules/gemm.h"
#include "support/mixed_runs.h"

namespace gpusim::ending_test {

using namespace gpusim::testing;

namespace {

void check_conserved(const Result& result) {
  for (const KernelResult& kernel : result.kernels)
    for (const RoleRow& role : kernel.roles) CHECK(role.stalls.total() == role.warp_cycles);
}

/// What a run that hangs says.
std::string deadlock(const Profile& profile, const Schedule& schedule) {
  try {
    (void)Gpu(profile).run(schedule);
  } catch (const DeadlockError& error) {
    CHECK(!error.waits().empty());
    return error.what();
  }
  return "";
}

void check_says(const std::string& message, std::initializer_list<const char*> parts) {
  CAPTURE(message);
  for (const char* const part : parts) {
    CAPTURE(part);
    CHECK(message.find(part) != std::string::npos);
  }
}

}  // namespace

TEST_CASE("a run longer than max_cycles ends there, says so, and has charged every cycle") {
  for (MixedRun run : mixed_runs()) {
    CAPTURE(run.name);
    const Cycles whole = run.run().kernels.front().cycles;
    for (const std::int64_t part : {2, 5}) {
      run.options.max_cycles = whole / part;
      const Result result = run.run();
      CHECK(result.termination == Termination::max_cycles);
      REQUIRE(result.kernels.size() == 1);
      const KernelResult& kernel = result.kernels.front();
      CHECK(kernel.ctas_done <= kernel.ctas);
      CHECK(kernel.cycles == whole / part);
      std::int64_t charged = 0;
      for (const RoleRow& role : kernel.roles) charged += role.warp_cycles;
      CHECK(charged > 0);
      check_conserved(result);
    }
  }
}

TEST_CASE("where a run ends does not depend on the window") {
  for (MixedRun run : mixed_runs()) {
    CAPTURE(run.name);
    run.options.max_cycles = run.run().kernels.front().cycles / 3;
    const std::uint64_t widest = run.run().digest;
    CHECK(run.run({.window = Cycles(1)}).digest == widest);
    CHECK(run.run({.window = Cycles(7)}).digest == widest);
  }
}

TEST_CASE("max_cycles that suffices changes nothing") {
  MixedRun run = narrow_probe();
  const Result whole = run.run();
  run.options.max_cycles = cycles(whole) + Cycles(1000);
  CHECK(run.run().digest == whole.digest);
}

TEST_CASE("the first CTAs of a grid run as a grid of no more does [long]") {
  const Gpu gpu(load_profile("ada"));
  const auto product = [&](std::int64_t rows) {
    const schedules::GemmProblem problem{.m = rows, .n = 1024, .k = 256, .dtype = DType::fp32};
    return schedules::gemm(problem, schedules::choose(gpu.profile(), problem, {.tile = {64, 64, 16}}));
  };
  for (const bool exact : {true, false}) {
    RunOptions options;
    options.exact = exact;
    const Result half = gpu.run(product(1024), options);
    options.max_ctas = half.kernels.front().ctas;
    const Result first = gpu.run(product(2048), options);
    CHECK(first.termination == Termination::max_ctas);
    CHECK(first.kernels.front().ctas_done == options.max_ctas);
    CHECK(first.kernels.front().ctas == 2 * *options.max_ctas);
    // A and C lie elsewhere in device memory.
    const auto count = [](const Result& result) { return static_cast<double>(cycles(result).count()); };
    CHECK(count(first) == doctest::Approx(count(half)).epsilon(0.02));
    CHECK(first.kernels.front().traffic.global_load_bytes == half.kernels.front().traffic.global_load_bytes);
    CHECK(first.kernels.front().traffic.shared_wavefronts == half.kernels.front().traffic.shared_wavefronts);
    check_conserved(first);
    CHECK(gpu.run(product(1024), options).termination == Termination::completed);
  }
}

TEST_CASE("the first CTAs are credited with what they do, however unequal they are") {
  const Gpu gpu(load_profile("ampere"));
  RunOptions options;
  options.max_ctas = 64;
  const schedules::AttentionProblem causal{.heads = 1, .queries = 16384, .head_dim = 64, .causal = true};
  const Result few = gpu.run(schedules::attention_kernels(causal), options);
  CHECK(few.termination == Termination::max_ctas);
  CHECK(few.kernels.front().ctas == 128);
  CHECK(few.kernels.front().work_share == doctest::Approx(0.25).epsilon(0.05));  // half of the rows see half the keys

  // Of 16 tiles the first 4 of 10 persistent CTAs have 8.
  schedules::GemmProblem problem{.m = 512, .n = 512, .k = 512};
  schedules::GemmTiling tiling = schedules::choose(gpu.profile(), problem, {.tile = {128, 128, 32}});
  tiling.ctas = 10;
  options.max_ctas = 4;
  for (options.exact = false;; options.exact = true) {
    const Result first = gpu.run(schedules::gemm_kernels(problem, tiling), options);
    CHECK(first.kernels.front().work_share == doctest::Approx(0.5).epsilon(0.01));
    CHECK(first.kernels.front().k_tiles == 8 * 16);
    check_conserved(first);
    if (options.exact) break;
  }
  tiling.ctas = 0;
  tiling.split_k = 4;
  const Result slices = gpu.run(schedules::gemm_kernels(problem, tiling), options);
  REQUIRE(slices.kernels.size() == 2);
  for (const KernelResult& kernel : slices.kernels) CHECK(kernel.ctas_done == 4);
}

TEST_CASE("clusters begin whole, however few CTAs are asked for") {
  const schedules::GemmProblem problem{.m = 512, .n = 512, .k = 256, .dtype = DType::bf16};
  const Gpu gpu(load_profile("hopper"));
  RunOptions options;
  options.max_ctas = 3;
  schedules::GemmRequest request;
  request.tile = {128, 128, 64};
  request.cluster = schedules::GemmShape{2, 1};
  request.multicast = false;
  const Schedule schedule = schedules::gemm(problem, schedules::choose(gpu.profile(), problem, request));
  CHECK(gpu.run(schedule, options).kernels.front().ctas_done == 4);
}

TEST_CASE("a run whose stop callback says so ends, says so, and has charged every cycle") {
  int stopped = 0;
  for (MixedRun run : mixed_runs()) {
    CAPTURE(run.name);
    bool asked = false;
    run.options.stop = [&](const Progress&) { return asked = true; };
    const Result result = run.run();
    CHECK(result.termination == (asked ? Termination::stopped : Termination::completed));  // short runs are not asked
    check_conserved(result);
    stopped += asked;
  }
  CHECK(stopped > 0);
}

TEST_CASE("whoever asks for an end in a kernel's last turns is not given the next kernel") {
  const Gpu ada(load_profile("ada"));
  const schedules::GemmProblem problem{.m = 64, .n = 64, .k = 64};
  schedules::GemmRequest request;
  request.variant = schedules::GemmVariant::simt;
  request.tile = {64, 64, 64};
  const Schedule kernel = schedules::gemm(problem, schedules::choose(ada.profile(), problem, request));
  // One is asked every so many turns, which is another turn of the kernel at hand each time.
  constexpr int most_calls = 24;
  constexpr std::size_t kernels_a_call = 20;  // more than run between two calls
  int in_last_turns = 0;
  for (int call = 1; call <= most_calls; ++call) {
    CAPTURE(call);
    int calls = 0;
    std::int64_t done = 0;
    RunOptions options;
    options.exact = true;
    options.stop = [&](const Progress& progress) {
      if (++calls == call) done = progress.ctas_done;
      return calls >= call;
    };
    const Result result =
        ada.run(std::vector<Schedule>(static_cast<std::size_t>(call) * kernels_a_call, kernel), options);
    REQUIRE(calls >= call);
    CHECK(result.termination == Termination::stopped);
    // A CTA that has exited is counted before its last store is acknowledged.
    const auto begun = static_cast<std::int64_t>(result.kernels.size());
    CHECK(begun >= done);
    CHECK(begun <= done + 1);
    in_last_turns += begun == done;
  }
  CHECK(in_last_turns > 0);
}

TEST_CASE("progress counts the CTAs of all schedules and time goes forward") {
  MixedRun run = narrow_probe();
  run.schedules.push_back(run.schedules.front());
  std::int64_t ctas = 0, last_done = 0;
  for (const Schedule& schedule : run.schedules) ctas += cta_count(schedule);
  Cycle last;
  run.options.stop = [&](const Progress& progress) {
    CHECK(progress.ctas == ctas);
    CHECK(progress.ctas_done >= last_done);
    CHECK(progress.now >= last);
    last_done = progress.ctas_done;
    last = progress.now;
    return false;
  };
  CHECK(run.run().termination == Termination::completed);
  CHECK(last_done > cta_count(run.schedules.front()));
}

TEST_CASE("an arrival that never comes is named: the warp, the mbarrier, what is missing") {
  Probe waiter("consumer");
  waiter.add(BarrierWait{full(1), 0});
  const std::string message = deadlock(probe_machine(), waiter.schedule());
  check_says(message, {"warp 0 (consumer) of CTA 0", "phase 0", "full[1]", "1 arrival"});
}

TEST_CASE("a copy that was expected and never issued is named by its bytes") {
  Probe producer("producer"), consumer("consumer");
  producer.add(BarrierArrive{full(), Bytes(4096)}).add(bulk_lines(0, 8, full()));  // 1024 of them
  consumer.add(BarrierWait{full(), 0});
  const std::string message = deadlock(probe_machine(), probe_schedule({producer.role(), consumer.role()}));
  check_says(message, {"warp 1 (consumer) of CTA 0", "full[0]", "0 arrivals", "3072 bytes"});
}

TEST_CASE("a bar.sync that a warp never reaches is named, with how many have") {
  Probe leaver("leaver"), waiter("waiter");
  leaver.add(Arithmetic{});
  waiter.add(CtaBarrier{});
  const std::string message = deadlock(probe_machine(), probe_schedule({leaver.role(), waiter.role(2)}));
  check_says(message, {"warp 1 (waiter) of CTA 0", "warp 2 (waiter) of CTA 0", "bar.sync", "2 of 3"});
}

TEST_CASE("a bar.sync behind an mbarrier nobody completes names both") {
  Probe first("first"), second("second");
  first.add(BarrierWait{full(), 0}).add(CtaBarrier{});
  second.add(CtaBarrier{});
  const std::string message = deadlock(probe_machine(), probe_schedule({first.role(), second.role()}));
  check_says(message, {"warp 0 (first) of CTA 0", "full[0]", "warp 1 (second) of CTA 0", "bar.sync", "1 of 2"});
}

TEST_CASE("CTAs that hang on every SM are named up to a limit") {
  Profile profile = probe_machine();
  profile.sm.count = 100;
  Probe waiter("waiter");
  waiter.add(BarrierWait{full(), 0});
  try {
    (void)Gpu(profile).run(waiter.schedule(4, 100));
    FAIL("it ended");
  } catch (const DeadlockError& error) {
    CHECK(error.waits().size() <= 16);
  }
}

}  // namespace gpusim::ending_test
