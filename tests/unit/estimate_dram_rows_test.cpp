// Rows that DRAM opens, in the quick model.
#include <doctest/doctest.h>

#include <algorithm>
#include <string_view>

#include "gpusim/estimate/quick.h"
#include "gpusim/profile_io.h"
#include "gpusim/schedules/elementwise.h"
#include "gpusim/schedules/gemm.h"

namespace gpusim::estimate_dram_rows_test {

using estimate::quick_estimate;
using estimate::QuickEstimate;
using schedules::GemmLayout;
using schedules::GemmTiling;
using schedules::GemmVariant;

namespace {

constexpr std::int64_t slow_ps = 30000;  ///< so that openings take longer than the bus

double of_dram(const QuickEstimate& estimate) {
  const auto found = std::find_if(estimate.resources.begin(), estimate.resources.end(),
                                  [](const auto& each) { return each.name == "dram.channel"; });
  return found == estimate.resources.end() ? 0 : found->cycles;
}

/// What DRAM does for 128 x 65536 x 512 in fp16, whose B is by far the largest, where each row takes so long to open.
QuickEstimate of_rows(std::int64_t activate_ps, GemmLayout layout, bool whole_lines = false) {
  Profile profile = load_profile("l40s");
  profile.dram.activate_ps = activate_ps;
  const GemmTiling tiling{
      .tile = {128, 128, 32}, .variant = GemmVariant::async, .stages = 4, .whole_lines = whole_lines};
  return quick_estimate(schedules::gemm({.m = 128, .n = 65536, .k = 512, .layout = layout}, tiling), profile);
}

}  // namespace

TEST_CASE("DRAM opens a row for every part of a line that is asked for without its neighbours") {
  const Profile profile = load_profile("l40s");
  const double cycles_a_row = slow_ps * 1e-6 * static_cast<double>(profile.clock.boost_mhz);
  const auto rows = [&](GemmLayout layout, bool whole_lines) {
    return of_dram(of_rows(slow_ps, layout, whole_lines)) / cycles_a_row * static_cast<double>(profile.dram.channels);
  };
  const double a = 128.0 * 512 * 2, b = 65536.0 * 512 * 2;
  // A k tile has 64 bytes of a row of each operand that lies along k.
  CHECK(rows(GemmLayout::nt, false) == doctest::Approx((a + b) / 64));
  CHECK(rows(GemmLayout::nt, true) == doctest::Approx((a + b) / 128));
  CHECK(rows(GemmLayout::tt, false) == doctest::Approx(b / 64));
}

TEST_CASE("where B lies along n the next CTA asks for what is beside, and the bus is what counts") {
  const double bus = of_dram(of_rows(0, GemmLayout::nn));
  CHECK(of_dram(of_rows(slow_ps, GemmLayout::nn)) == bus);
}

TEST_CASE("CTAs that stride over an array find their neighbours' rows open, however little a warp asks for") {
  for (const int vector : {1, 4}) {
    Profile profile = load_profile("l40s");
    const Schedule stream =
        schedules::elementwise({.rows = 8192, .columns = 8192}, {.vector = vector, .ctas = profile.sm.count});
    profile.dram.activate_ps = slow_ps;
    const double slow = of_dram(quick_estimate(stream, profile));
    profile.dram.activate_ps = 0;
    CHECK(slow > 0);
    CHECK(slow == of_dram(quick_estimate(stream, profile)));
  }
}

TEST_CASE("a bulk copy's rows are opened as its boxes are long") {
  Profile profile = load_profile("hopper");
  profile.dram.activate_ps = 2 * slow_ps;  // its channels are many
  const auto cycles = [&profile](int k) {
    const GemmTiling tiling{.tile = {128, 128, k}, .variant = GemmVariant::wgmma, .stages = 3, .specialize = true};
    const schedules::GemmProblem problem{.m = 128, .n = 65536, .k = 512, .layout = GemmLayout::nt};
    return of_dram(quick_estimate(schedules::gemm(problem, tiling), profile));
  };
  CHECK(cycles(32) == doctest::Approx(2 * cycles(64)).epsilon(0.01));
}

}  // namespace gpusim::estimate_dram_rows_test
