// Tilings of one product in the order of their measured times: what tile, thread tile, vectors and staging are worth.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "gpusim/validate.h"
#include "support/command.h"

namespace gpusim::kernel_tuner_test {

namespace {

/// Every 64th of the sorted times of each GPU, without tilings that spill registers: one of the best, and others up to
/// seven times as slow.
validate::GemmTable sample() {
  const std::string name = "/tests/validation/data/kernel_tuner_sample.csv";
  return validate::read_gemms(testing::contents(std::string(GPUSIM_SOURCE_DIR) + name), name);
}

void check_order(const std::string& gpu) {
  const validate::GemmTable table = sample();
  REQUIRE(table.problems.empty());
  const validate::SelectedRows selected = select(table, {.gpus = {gpu}});
  REQUIRE(selected.rows.size() >= 4);
  validate::GemmRun run;
  run.waves = true;
  const auto outcomes = compare(table, selected.rows, run);
  REQUIRE(outcomes);
  CHECK(report(table, selected, *outcomes).overall.over->kendall.value() == 1);

  const auto simulated = [&](std::size_t i) { return (*outcomes)[i].simulated_us.value(); };
  std::size_t chosen = 0;
  double best = table.rows[selected.rows.front()].time_us;
  for (std::size_t i = 0; i < outcomes->size(); ++i) {
    if (simulated(i) < simulated(chosen)) chosen = i;
    best = std::min(best, table.rows[selected.rows[i]].time_us);
  }
  CHECK(table.rows[selected.rows[chosen]].time_us <= 1.1 * best);
}

}  // namespace

TEST_CASE("CLBlast's tilings on the RTX 2080 Ti rank as measured, the best among the best") {
  check_order("RTX 2080 Ti");
}

TEST_CASE("CLBlast's tilings on the RTX 3090 rank as measured, the best among the best") { check_order("RTX 3090"); }

}  // namespace gpusim::kernel_tuner_test
