// What an automatic choice takes of the candidates.
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <string>

#include "gpusim/profile_io.h"
#include "gpusim/tune.h"

namespace gpusim::tune_choose_gemm_test {

using schedules::GemmProblem;
using schedules::GemmTiling;
using schedules::GemmVariant;

namespace {

constexpr GemmProblem small{.m = 256, .n = 512, .k = 512};

}  // namespace

TEST_CASE("what is simulated differs in more than its stages, where there is more") {
  const Gpu gpu(load_profile("a100-sxm-80gb"));
  const GemmChoice choice =
      choose_gemm(gpu, {.m = 1024, .n = 1536, .k = 512, .dtype = DType::bf16}, {.simulated = 3, .within = 1});
  std::vector<std::pair<int, int>> tiles;
  for (const GemmTrial& trial : choice.trials)
    if (trial.simulated_us) tiles.emplace_back(trial.tiling.tile.m * 1000 + trial.tiling.tile.n, trial.tiling.split_k);
  REQUIRE(tiles.size() == 3);
  CHECK(tiles[0] != tiles[1]);
  CHECK(tiles[0] != tiles[2]);
  CHECK(tiles[1] != tiles[2]);
}

TEST_CASE("of those the quick model cannot tell apart, the fastest when simulated is chosen") {
  const Gpu gpu(load_profile("turing"));
  const GemmChoice choice = choose_gemm(gpu, small, {.simulated = 3, .within = 0.5});
  REQUIRE(choice.trials.size() > 3);
  CHECK(std::count_if(choice.trials.begin(), choice.trials.end(),
                      [](const GemmTrial& each) { return each.simulated_us.has_value(); }) == 3);
  double fastest = std::numeric_limits<double>::infinity();
  for (const GemmTrial& each : choice.trials) fastest = std::min(fastest, each.simulated_us.value_or(fastest));
  CHECK(choice.trials.front().simulated_us == fastest);
  CHECK(summary(choice.tiling) == summary(choice.trials.front().tiling));
  CHECK(choice.reason.find("the fastest of 3") != std::string::npos);
}

TEST_CASE("what is chosen without trying is tried, too, where that is asked for") {
  const Gpu gpu(load_profile("rtx3090"));
  const GemmTiling usual = schedules::choose(gpu.profile(), small, {});
  const auto is_usual = [&](const GemmTrial& each) { return each.choices == gemm(small, usual).choices; };
  const auto time_of_usual = [&](const GemmChoice& choice) {
    const auto found = std::find_if(choice.trials.begin(), choice.trials.end(), is_usual);
    return found != choice.trials.end() ? found->simulated_us : std::nullopt;
  };
  CHECK_FALSE(time_of_usual(choose_gemm(gpu, small, {.simulated = 2})));
  const GemmChoice choice = choose_gemm(gpu, small, {.simulated = 2, .usual = true});
  const auto time = time_of_usual(choice);
  REQUIRE(time);
  CHECK(choice.trials.front().simulated_us <= time);
  CHECK(std::count_if(choice.trials.begin(), choice.trials.end(), is_usual) == 1);
  CHECK(std::count_if(choice.trials.begin(), choice.trials.end(),
                      [](const GemmTrial& each) { return each.simulated_us.has_value(); }) == 3);
  // It is that of what else is fixed.
  const GemmChoice simt =
      choose_gemm(gpu, small, {.request = {.variant = GemmVariant::simt}, .simulated = 1, .usual = true});
  for (const GemmTrial& each : simt.trials) CHECK(each.tiling.variant == GemmVariant::simt);
}

TEST_CASE("a variant or tile that was fixed is kept; one that no candidate has is refused") {
  const Gpu gpu(load_profile("hopper"));
  CHECK(choose_gemm(gpu, small, {.request = {.variant = GemmVariant::async}, .simulated = 0}).tiling.variant ==
        GemmVariant::async);
  CHECK(choose_gemm(gpu, small, {.tile = schedules::GemmTile{64, 128, 64}, .simulated = 0}).tiling.tile ==
        schedules::GemmTile{64, 128, 64});
  CHECK_THROWS_AS(static_cast<void>(choose_gemm(gpu, small, {.tile = schedules::GemmTile{7, 7, 7}})), ScheduleError);
}

TEST_CASE("a product is simulated by a piece, and comes out as the whole does") {
  Profile few_sms = load_profile("volta");
  few_sms.sm.count = 6;  // many waves of a small product
  const Gpu gpu(few_sms);
  const GemmProblem large{.m = 1024, .n = 1024, .k = 3072};
  GemmChoiceOptions options{.simulated = 2, .within = 10};
  options.request.split_k = 1;
  options.request.warp_tile = schedules::GemmShape{64, 32};
  options.run.exact = true;  // the piece is what is looked at
  const GemmChoice by_piece = choose_gemm(gpu, large, options);
  options.whole = true;
  const GemmChoice whole = choose_gemm(gpu, large, options);
  REQUIRE(by_piece.trials.front().piece);
  CHECK(by_piece.trials.front().piece->k_long < large.k);
  CHECK_FALSE(whole.trials.front().piece);
  CHECK(summary(by_piece.tiling) == summary(whole.tiling));
  CHECK(*by_piece.trials.front().simulated_us == doctest::Approx(*whole.trials.front().simulated_us).epsilon(0.1));
}

TEST_CASE("of a product of few waves k alone is cut, and it comes out as the whole does [long]") {
  const Gpu gpu(load_profile("ampere"));
  const GemmProblem deep{.m = 512, .n = 768, .k = 6144};
  for (const L2State l2 : {L2State::cold, L2State::warm}) {
    GemmChoiceOptions options{.simulated = 2, .within = 10};
    options.request.split_k = 1;
    options.run.l2 = l2;
    options.run.exact = true;
    options.watts = [](double) { return 150; };
    const GemmTrial by_piece = choose_gemm(gpu, deep, options).trials.front();
    REQUIRE(by_piece.piece);
    CHECK(by_piece.piece->m == deep.m);
    CHECK(by_piece.piece->n == deep.n);
    CHECK(by_piece.piece->k_long < deep.k);
    options.whole = true;
    const std::vector<GemmTrial> wholes = choose_gemm(gpu, deep, options).trials;
    const auto whole = std::find_if(wholes.begin(), wholes.end(), [&](const GemmTrial& each) {
      return summary(each.tiling) == summary(by_piece.tiling);
    });
    CHECK(*by_piece.simulated_us == doctest::Approx(whole->simulated_us.value()).epsilon(0.1));
    CHECK(static_cast<double>(*by_piece.clock_mhz) ==
          doctest::Approx(static_cast<double>(whole->clock_mhz.value())).epsilon(0.05));
  }
}

TEST_CASE("a piece does not find in L2 a C that is read and does not fit, however the whole begins [long]") {
  const Gpu gpu(load_profile("t4"));
  GemmChoiceOptions options{.library = schedules::GemmLibrary::cublas_10, .simulated = 2};
  const auto us = [&](L2State before) {
    options.run.l2_by_buffer["C"] = before;
    const GemmProblem problem{
        .m = 24000, .n = 512, .k = 2048, .dtype = DType::fp16, .beta = 1, .layout = schedules::GemmLayout::nt};
    const GemmTrial trial = choose_gemm(gpu, problem, options).trials.front();
    REQUIRE(trial.piece);
    return trial.simulated_us.value();
  };
  CHECK(us(L2State::dirty) == doctest::Approx(us(L2State::cold)).epsilon(0.02));
}

TEST_CASE("results of whole products are kept where they are asked for [long]") {
  const Gpu gpu(load_profile("ampere"));
  GemmChoiceOptions options{.simulated = 2, .within = 0.5};
  CHECK_FALSE(choose_gemm(gpu, small, options).trials.front().result);
  options.keep_results = true;
  const GemmTrial kept = choose_gemm(gpu, small, options).trials.front();
  REQUIRE(kept.result);
  CHECK(kept.result->kernels.size() == gemm_kernels(small, kept.tiling).size());
  CHECK(kept.result->digest == gpu.run(gemm_kernels(small, kept.tiling), options.run).digest);
  const GemmChoice by_piece = choose_gemm(gpu, {.m = 4096, .n = 4096, .k = 2048}, options);
  REQUIRE(by_piece.trials.front().piece);
  CHECK_FALSE(by_piece.trials.front().result);
}

TEST_CASE("what pieces cannot tell from the best is simulated whole, and the fastest of that is chosen [long]") {
  Profile few_sms = load_profile("volta");
  few_sms.sm.count = 6;
  const Gpu gpu(few_sms);
  const GemmProblem large{.m = 1024, .n = 1024, .k = 1024};
  GemmChoiceOptions options{.simulated = 3, .within = 10};
  options.request.split_k = 1;
  const GemmChoice by_piece = choose_gemm(gpu, large, options);
  REQUIRE(by_piece.trials[1].piece);
  const double next = *by_piece.trials[1].simulated_us / *by_piece.trials[0].simulated_us - 1;
  options.settle_within = next * 1.01;
  options.keep_results = true;
  const GemmChoice settled = choose_gemm(gpu, large, options);
  for (int i = 0; i < 2; ++i) {
    const GemmTrial& trial = settled.trials[i];
    CHECK_FALSE(trial.piece);
    CHECK(trial.result->digest == gpu.run(gemm_kernels(large, trial.tiling), options.run).digest);
  }
  CHECK(*settled.trials[0].simulated_us <= *settled.trials[1].simulated_us);
  CHECK(settled.trials[2].piece);
  CHECK(*settled.trials[2].simulated_us > *settled.trials[0].simulated_us * (1 + options.settle_within));
  CHECK(settled.reason.find("the fastest of 3 simulated (1 of them on a piece), of") != std::string::npos);
  const std::string settled_text = choice_text(settled, 3);
  CHECK(settled_text.find("\n  ~: of a piece (") != std::string::npos);
  CHECK(choice_text(by_piece, 3).find("\n  ~: of a piece (") != std::string::npos);
  options.settle_within = next * 0.99;  // the best alone: nothing is left to settle
  CHECK(choose_gemm(gpu, large, options).trials.front().piece);
}

TEST_CASE("where wgmma cannot have the operands as they lie, the reason says so") {
  const Gpu gpu(load_profile("hopper"));
  GemmProblem problem{.m = 256, .n = 256, .k = 256, .dtype = DType::fp8};
  const auto reason = [&](const schedules::GemmRequest& request) {
    return choose_gemm(gpu, problem, {.request = request, .simulated = 0}).reason;
  };
  CHECK(reason({}).ends_with("; no wgmma: layout: wgmma reads fp8 with k along the rows only: nt, not nn"));
  CHECK(reason({.variant = GemmVariant::async}).find("wgmma") == std::string::npos);
  problem.layout = schedules::GemmLayout::nt;
  CHECK(reason({}).find("no wgmma") == std::string::npos);
}

TEST_CASE("threads change nothing, and a stop leaves those it reached without a time") {
  const Gpu gpu(load_profile("turing"));
  GemmChoiceOptions options{.simulated = 3, .within = 0.5, .jobs = 1};
  const std::string one = choice_json(choose_gemm(gpu, small, options));
  options.jobs = 3;
  std::size_t told = 0;
  options.progress = [&](std::size_t, std::size_t of) { told += of > 0 ? 1 : 0; };
  CHECK(choice_json(choose_gemm(gpu, small, options)) == one);
  CHECK(told == 3);
  options.run.stop = [](const Progress&) { return true; };
  const GemmChoice stopped = choose_gemm(gpu, {.m = 1024, .n = 1024, .k = 1024}, options);
  CHECK(stopped.stopped);
  CHECK(stopped.reason.ends_with("; stopped before all that should be were simulated"));
  CHECK(choice_text(stopped, 3).find("of a piece") == std::string::npos);
  CHECK_FALSE(stopped.trials.front().simulated_us);
}

TEST_CASE("options below 0, or no numbers, are refused by their names") {
  const Gpu gpu(load_profile("turing"));
  GemmChoiceOptions wrong{
      .simulated = -1, .within = std::numeric_limits<double>::quiet_NaN(), .settle_within = -0.1, .jobs = -1};
  wrong.run.clock_mhz = -5;
  try {
    static_cast<void>(choose_gemm(gpu, small, wrong));
    FAIL("taken");
  } catch (const ScheduleError& error) {
    CHECK(std::string(error.what()) ==
          "simulated: must be at least 0\nwithin: must be at least 0\nsettle_within: must be at least 0\n"
          "jobs: must be at least 0\nclock: a clock is 1 to 100000 MHz");
  }
}

TEST_CASE("a choice's table has a line for each trial, and its choices by name") {
  const GemmChoice choice = choose_gemm(Gpu(load_profile("turing")), small, {.simulated = 0});
  const std::string csv = choice_csv(choice);
  CHECK(std::count(csv.begin(), csv.end(), '\n') == static_cast<std::ptrdiff_t>(choice.trials.size()) + 1);
  CHECK(csv.starts_with("rank,summary,quick_us,simulated_us,m,n,k,"));
  CHECK(choice_text(choice, 2).ends_with("  and " + std::to_string(choice.trials.size() - 2) + " more\n"));
}

TEST_CASE("the text says that times of slices are of two kernels, where one is shown") {
  const Gpu gpu(load_profile("turing"));
  const auto text = [&](int slices) {
    const schedules::GemmRequest request{.split_k = slices};
    return choice_text(choose_gemm(gpu, {.m = 128, .n = 128, .k = 4096}, {.request = request, .simulated = 0}), 3);
  };
  CHECK(text(4).find("\n  slices of k: two kernels, with the launch between them\n") != std::string::npos);
  CHECK(text(1).find("two kernels") == std::string::npos);
}

}  // namespace gpusim::tune_choose_gemm_test
