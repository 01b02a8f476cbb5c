// Law: of a kernel whose CTAs stride over an array in a loop, and of which only the first have a last trip, no wave
// stands for another that asks for less.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"
#include "gpusim/schedules/copy.h"
#include "gpusim/schedules/elementwise.h"
#include "machine/strided_borders.h"

namespace gpusim::fast_forward_stride_test {

namespace {

constexpr std::int64_t ctas = 16384;
constexpr std::int64_t span = 256 * 8;  // elements of a CTA's trip

Schedule strided(std::int64_t elements) {
  return schedules::copy({.kind = schedules::StreamKind::copy, .elements = elements, .dtype = DType::fp16},
                         {.vector = 8, .threads = 256, .ctas = ctas});
}

/// All of a grid.
std::vector<std::int64_t> borders(const Schedule& schedule, std::int64_t wave = 1000) {
  const machine::StridedBorders all(schedule, wave);
  const std::int64_t end = schedule.grid_m * schedule.grid_n;
  std::vector<std::int64_t> found;
  for (auto next = all.after(0); next && *next < end; next = all.after(*next)) found.push_back(*next);
  return found;
}

}  // namespace

TEST_CASE("borders lie where a trip's elements end") {
  using Borders = std::vector<std::int64_t>;
  CHECK(borders(strided(ctas * span * 2)) == Borders{});
  CHECK(borders(strided(ctas * span * 2 - 8)) == Borders{});  // within the last CTA
  CHECK(borders(strided(ctas * span + 100 * span)) == Borders{100});
  CHECK(borders(strided(ctas * span * 3 + 100 * span + 8)) == Borders{101});
  CHECK(borders(schedules::copy({.elements = ctas * span})) == Borders{});
  CHECK(borders(strided(ctas / 2 * span)) == Borders{ctas / 2});         // the others have nothing
  CHECK(borders(strided(ctas * span + 100 * span), ctas) == Borders{});  // all of it is one wave
  CHECK(machine::StridedBorders().after(7) == std::nullopt);
}

TEST_CASE("borders come again in each row of CTAs that is more than a wave, however many rows there are") {
  schedules::ElementwiseProblem problem{.operation = schedules::ElementwiseOperation::relu,
                                        .rows = 2,
                                        .columns = ctas * span + 100 * span,
                                        .dtype = DType::bf16,
                                        .by_row = true};
  const schedules::StreamTiling tiling{.vector = 8, .threads = 256, .ctas = ctas};
  const Schedule rows = schedules::elementwise(problem, tiling);
  CHECK(borders(rows) == std::vector<std::int64_t>{100, ctas, ctas + 100});
  CHECK(borders(rows, ctas).empty());
  problem.rows = 30'000;
  const machine::StridedBorders many(schedules::elementwise(problem, tiling), 1000);
  CHECK(many.after(-5) == 100);
  CHECK(many.after(29'999 * ctas + 50) == 29'999 * ctas + 100);
}

TEST_CASE("of a loop that stores nothing is skipped: its CTAs come ever further apart [long]") {
  const Gpu gpu(load_profile("a100-sxm-80gb"));
  const Schedule kernel = schedules::copy({.elements = 50'000'000}, {.ctas = 432});
  RunOptions exact;
  exact.exact = true;
  CHECK(gpu.run(kernel).kernels.front().cycles == gpu.run(kernel, exact).kernels.front().cycles);
}

TEST_CASE("CTAs that have something to do stand for none that have nothing") {
  const Gpu gpu(load_profile("rtx-3090"));
  const Schedule kernel = schedules::elementwise(
      {.operation = schedules::ElementwiseOperation::add, .rows = 30, .columns = 459520, .dtype = DType::fp16},
      {.ctas = 49163});
  const auto cycles = [&](bool exact) {
    RunOptions options;
    options.exact = exact;
    return static_cast<double>(gpu.run(kernel, options).kernels.front().cycles.count());
  };
  CHECK(std::abs(cycles(false) / cycles(true) - 1) < 0.03);  // 5 times as long, if they do
}

TEST_CASE("CTAs that have a trip more stand for none that have not [long]") {
  const Gpu gpu(load_profile("h100-sxm"));
  const Schedule kernel = schedules::elementwise({.operation = schedules::ElementwiseOperation::cast,
                                                  .rows = 1,
                                                  .columns = 4 * ctas * span * 5 / 4,
                                                  .dtype = DType::bf16,
                                                  .result = DType::fp8},
                                                 {.vector = 8, .threads = 256, .ctas = 4 * ctas});
  RunOptions options;
  options.l2_by_buffer = {{"A", L2State::cold}, {"Y", L2State::dirty}};
  const auto cycles = [&](bool exact) {
    options.exact = exact;
    return static_cast<double>(gpu.run(kernel, options).kernels.front().cycles.count());
  };
  CHECK(std::abs(cycles(false) / cycles(true) - 1) < 0.03);  // 1.6 as long, if they do
}

}  // namespace gpusim::fast_forward_stride_test
