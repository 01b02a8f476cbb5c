// Gains, directions and errors of a ladder, with simulations that say what they are told.
#include <doctest/doctest.h>

#include <map>

#include "gpusim/error.h"
#include "gpusim/ladders.h"

namespace gpusim::ladder_run_test {

using namespace gpusim::validate;

namespace {

constexpr std::int64_t size = 100;
constexpr double flops = 2.0 * size * size * size;

LadderStep step(const std::string& name, double gflops, const std::string& chain = "") {
  LadderStep made;
  made.name = name;
  made.chain = chain;
  made.preset.emplace();
  made.figures = {{size, size, size, gflops, "here"}};
  return made;
}

Ladder ladder(std::vector<LadderStep> steps) {
  Ladder made;
  made.name = "made";
  made.gpu = "t4";
  made.steps = std::move(steps);
  return made;
}

double us(double gflops) { return flops / gflops / 1000; }

/// GFLOPS by step.
LadderReport run_with(const Ladder& ladder, const std::map<std::string, double>& simulated,
                      const LadderRun& options = {}) {
  const auto report =
      run(ladder, options, [&](const Ladder&, const LadderStep& each, const LadderFigure&, const LadderRun&) {
        const auto found = simulated.find(each.name);
        if (found == simulated.end()) throw ScheduleError({Problem{"tile", "too large"}});
        return us(found->second);
      });
  REQUIRE(report);
  return *report;
}

}  // namespace

TEST_CASE("a report says whether every cycle was simulated") {
  for (const bool exact : {false, true})
    CHECK(run_with(ladder({step("1", 100)}), {{"1", 50}}, {.exact = exact}).exact == exact);
}

TEST_CASE("an error is of the time, a gain of the rate") {
  const auto report = run_with(ladder({step("1", 100), step("2", 200)}), {{"1", 50}, {"2", 100}});
  CHECK(report.outcomes[0].measured_us == doctest::Approx(us(100)));
  CHECK(*report.outcomes[0].error == doctest::Approx(100));
  CHECK(*report.outcomes[0].simulated_gflops == doctest::Approx(50));
  CHECK_FALSE(report.outcomes[0].gain);
  const LadderGain gain = report.outcomes[1].gain.value();
  CHECK(gain.over == "1");
  CHECK(gain.measured == doctest::Approx(100));
  CHECK(gain.simulated == doctest::Approx(100));
}

TEST_CASE("a change is right in its direction, a smaller one within 7 %") {
  const auto right = [](double measured, double simulated) {
    const auto report = run_with(ladder({step("1", 100), step("2", measured)}), {{"1", 100}, {"2", simulated}});
    return report.outcomes[1].gain.value().right;
  };
  CHECK(right(150, 101));
  CHECK_FALSE(right(150, 99));
  CHECK(right(90, 99));
  CHECK_FALSE(right(90, 101));
  CHECK(right(104, 94));
  CHECK_FALSE(right(104, 92));
  CHECK_FALSE(right(104, 108));
}

TEST_CASE("a gain is over the step before in the same chain that was simulated") {
  const Ladder two = ladder(
      {step("a1", 100, "a"), step("b1", 100, "b"), step("a2", 110, "a"), step("a3", 120, "a"), step("b2", 90, "b")});
  const auto report = run_with(two, {{"a1", 100}, {"b1", 100}, {"a3", 120}, {"b2", 90}});
  CHECK(report.outcomes[2].refused == "tile: too large");
  CHECK(report.outcomes[3].gain.value().over == "a1");
  CHECK(report.outcomes[4].gain.value().over == "b1");
  CHECK(report.summary.figures == 5);
  CHECK(report.summary.simulated == 4);
  CHECK(report.summary.changes == 2);
  CHECK(report.summary.changes_right == 2);
}

TEST_CASE("kernels side by side have errors and no gains") {
  Ladder kernels = ladder({step("1", 100), step("2", 200)});
  kernels.gains = false;
  const auto report = run_with(kernels, {{"1", 50}, {"2", 400}});
  CHECK_FALSE(report.outcomes[1].gain);
  CHECK(report.summary.changes + report.summary.steady == 0);
  CHECK(*report.summary.median_error == doctest::Approx((100 + 50) / 2.0));
}

TEST_CASE("the worst error is the largest factor, either way") {
  const auto report = run_with(ladder({step("1", 100), step("2", 100)}), {{"1", 60}, {"2", 190}});
  CHECK(*report.summary.worst_error == doctest::Approx(100 * (100.0 / 190 - 1)));
}

TEST_CASE("a library's kernel and a step without a preset are kept and not simulated") {
  LadderStep library = step("0", 300);
  library.of_library = true;
  library.preset.reset();
  LadderStep none = step("1", 100);
  none.preset.reset();
  none.note = "why";
  const auto report = run_with(ladder({library, none}), {});
  REQUIRE(report.outcomes.size() == 2);
  CHECK(report.outcomes[1].refused == "why");
  CHECK(report.summary.figures == 1);
  CHECK_FALSE(report.summary.median_error);
}

TEST_CASE("steps and sizes can be picked, and those that are not there are refused") {
  Ladder two = ladder({step("1", 100), step("2", 200)});
  two.steps[0].figures.push_back({50, 50, 50, 10, "here"});
  two.size = size;
  const std::map<std::string, double> simulated{{"1", 100}, {"2", 200}};
  CHECK(run_with(two, simulated).outcomes.size() == 2);
  CHECK(run_with(two, simulated, {.size = 0}).outcomes.size() == 3);
  CHECK(run_with(two, simulated, {.size = 50}).outcomes.size() == 1);
  CHECK(run_with(two, simulated, {.steps = {"2"}}).outcomes.size() == 1);
  CHECK_THROWS_WITH_AS((void)run_with(two, simulated, {.steps = {"3"}}), doctest::Contains("no step '3'"), InputError);
  CHECK_THROWS_WITH_AS((void)run_with(two, simulated, {.size = 7}),
                       "size: none of these steps was measured at 7 (there are 50, 100)", InputError);
  CHECK_THROWS_WITH_AS((void)run_with(two, simulated, {.steps = {"2"}, .size = 50}),
                       "size: none of these steps was measured at 50 (there are 100)", InputError);
  two.steps[0].figures = two.steps[1].figures = {{50, 50, 60, 10, "here"}};
  CHECK_THROWS_WITH_AS((void)run_with(two, simulated, {.size = 50}),
                       "size: none of these steps was measured at 50 (there is none of m = n = k; take all)",
                       InputError);
}

TEST_CASE("a step that was measured twice at a size is simulated once there") {
  Ladder twice = ladder({step("1", 100), step("2", 200)});
  twice.steps[0].figures.push_back({size, size, size, 80, "there"});
  twice.steps[0].figures.push_back({50, size, size, 80, "there"});
  int simulated = 0;
  const auto report = run(twice, {}, [&](const Ladder&, const LadderStep&, const LadderFigure&, const LadderRun&) {
    ++simulated;
    return us(100);
  });
  REQUIRE(report);
  CHECK(simulated == 3);
  REQUIRE(report->outcomes.size() == 4);
  CHECK(*report->outcomes[0].error == doctest::Approx(0));
  CHECK(*report->outcomes[1].error == doctest::Approx(-20));
  CHECK(*report->outcomes[1].simulated_gflops == doctest::Approx(100));
}

TEST_CASE("the report does not depend on the number of threads, and can be given up [threads]") {
  const Ladder many = ladder({step("1", 100), step("2", 200), step("3", 150), step("4", 170)});
  const std::map<std::string, double> simulated{{"1", 110}, {"2", 190}, {"3", 160}, {"4", 150}};
  CHECK(json(run_with(many, simulated, {.jobs = 4})) == json(run_with(many, simulated)));
  CHECK_FALSE(run(many, {.jobs = 2, .stop = [] { return true; }},
                  [](const Ladder&, const LadderStep&, const LadderFigure&, const LadderRun&) { return 1.0; }));
}

TEST_CASE("the table names every step and the verdicts") {
  const std::string table = text(run_with(ladder({step("1", 100), step("2", 200)}), {{"1", 100}, {"2", 90}}));
  CHECK(table.find("NO") != std::string::npos);
  CHECK(table.find("2 of 2 simulated") != std::string::npos);
  CHECK(table.find("0 of 1 beyond 5 %") != std::string::npos);
}

}  // namespace gpusim::ladder_run_test
