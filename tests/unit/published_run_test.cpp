// A published step's preset, made to fit the size it is run at.
#include <doctest/doctest.h>

#include "validate/published_run.h"

namespace gpusim::published_run_test {

using namespace gpusim::validate;
using schedules::GemmProblem;
using schedules::GemmTiling;

TEST_CASE("persistent CTAs of a preset are as many as there are tiles, in whole clusters") {
  LadderStep step;
  GemmTiling& preset = step.preset.emplace();
  preset.tile = {128, 256, 64};
  preset.cluster = {2, 1};
  preset.ctas = 132;
  const auto ctas = [&](std::int64_t m, std::int64_t n, std::int64_t batch = 1) {
    return tiling_of(step, GemmProblem{.m = m, .n = n, .k = 64, .batch = batch}).ctas;
  };
  CHECK(ctas(8192, 8192) == 132);
  CHECK(ctas(2048, 2048) == 128);
  CHECK(ctas(2048, 2048, 2) == 132);
  CHECK(ctas(128 * 3, 256) == 2);
  CHECK(ctas(64, 64) == 2);  // what does not fit a cluster is for the schedule to refuse
  preset.swap_ab = true;
  CHECK(ctas(256, 128 * 10) == 10);
  preset.split_k = 2;
  CHECK(ctas(256, 128 * 10) == 20);
  preset.stream_k = true;
  CHECK(ctas(256, 128) == 132);
  preset.ctas = 0;
  CHECK(ctas(2048, 2048) == 0);
}

}  // namespace gpusim::published_run_test
