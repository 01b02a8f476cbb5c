// Law: of a kernel whose CTAs stride over an array in a loop, and of which only the first have a last trip, no wave
// stands for another that asks for less.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
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

}  // namespace

TEST_CASE("borders lie where a trip's elements end") {
  const auto strided_borders = [](const Schedule& schedule) { return machine::strided_borders(schedule, 1000); };
  CHECK(strided_borders(strided(ctas * span * 2)).empty());
  CHECK(strided_borders(strided(ctas * span * 2 - 8)) == std::vector<std::int64_t>{});  // within the last CTA
  CHECK(strided_borders(strided(ctas * span + 100 * span)) == std::vector<std::int64_t>{100});
  CHECK(strided_borders(strided(ctas * span * 3 + 100 * span + 8)) == std::vector<std::int64_t>{101});
  CHECK(strided_borders(schedules::copy({.elements = ctas * span})).empty());
  CHECK(strided_borders(strided(ctas / 2 * span)) == std::vector<std::int64_t>{ctas / 2});  // the others have nothing
  CHECK(machine::strided_borders(strided(ctas * span + 100 * span), ctas).empty());         // all of it is one wave
}

TEST_CASE("borders come again in each row of CTAs that is more than a wave") {
  const Schedule rows = schedules::elementwise({.operation = schedules::ElementwiseOperation::relu,
                                                .rows = 2,
                                                .columns = ctas * span + 100 * span,
                                                .dtype = DType::bf16,
                                                .by_row = true},
                                               {.vector = 8, .threads = 256, .ctas = ctas});
  CHECK(machine::strided_borders(rows, 1000) == std::vector<std::int64_t>{100, ctas, ctas + 100});
  CHECK(machine::strided_borders(rows, ctas).empty());
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
