// Rows that DRAM opens, in the quick model.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "estimate/dram_rows.h"
#include "fabric/address_map.h"
#include "gpusim/estimate/quick.h"
#include "gpusim/profile_io.h"
#include "gpusim/schedules/elementwise.h"
#include "gpusim/schedules/gemm.h"
#include "sizes.h"

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

Profile striped(std::string_view gpu, std::int64_t stripe_bytes = 256, std::int64_t groups = 2) {
  Profile profile = load_profile(gpu);
  profile.l2->stripe_bytes = Bytes(stripe_bytes);
  profile.dram.interleaved_groups = groups;
  return profile;
}

constexpr int k_apart = 544;     ///< rows of as many elements lie in rows of DRAM of their own, whatever slice it is
constexpr int k_together = 512;  ///< eight of these lie in one

/// What DRAM does for 128 x 65536 in fp16, whose B is by far the largest, where each row takes so long to open.
QuickEstimate of_rows(std::int64_t activate_ps, GemmLayout layout, int k, bool whole_lines = false) {
  Profile profile = striped("l40s");
  profile.dram.activate_ps = activate_ps;
  const GemmTiling tiling{
      .tile = {128, 128, 32}, .variant = GemmVariant::async, .stages = 4, .whole_lines = whole_lines};
  return quick_estimate(schedules::gemm({.m = 128, .n = 65536, .k = k, .layout = layout}, tiling), profile);
}

/// Rows of a matrix that lie in one of DRAM, counted where the fabric puts their beginnings.
double together_by_map(std::int64_t pitch, const Profile& profile) {
  const fabric::AddressMap map(profile.l2->slices, profile.dram.channels, profile.l2->partitions,
                               profile.l2->stripe_bytes.count() / line_bytes);
  const auto lines_a_row = static_cast<std::uint64_t>(profile.dram.row_bytes.count() / line_bytes);
  std::set<std::array<std::uint64_t, 3>> rows;
  constexpr std::uint64_t count = 1 << 14;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto place = map.dram_place_of(map.place_of(i * static_cast<std::uint64_t>(pitch / line_bytes)));
    const auto groups = static_cast<std::uint64_t>(profile.dram.interleaved_groups);
    rows.insert({place.channel, place.line / (groups * lines_a_row), place.line % groups});
  }
  return static_cast<double>(count) / static_cast<double>(rows.size());
}

}  // namespace

TEST_CASE("DRAM opens a row for every part of a line that is asked for without its neighbours") {
  const Profile profile = load_profile("l40s");
  const double cycles_a_row = slow_ps * 1e-6 * static_cast<double>(profile.clock.boost_mhz);
  const auto rows = [&](GemmLayout layout, bool whole_lines) {
    const double cycles = of_dram(of_rows(slow_ps, layout, k_apart, whole_lines));
    return cycles / cycles_a_row * static_cast<double>(profile.dram.channels);
  };
  const double a = 128.0 * k_apart * 2, b = 65536.0 * k_apart * 2;
  // A k tile has 64 bytes of a row of each operand that lies along k.
  CHECK(rows(GemmLayout::nt, false) == doctest::Approx((a + b) / 64));
  CHECK(rows(GemmLayout::nt, true) == doctest::Approx((a + b) / 128));
  CHECK(rows(GemmLayout::tt, false) == doctest::Approx(b / 64));
}

TEST_CASE("rows of a matrix whose parts lie in one row of DRAM open it once") {
  const double apart = of_dram(of_rows(slow_ps, GemmLayout::nt, k_apart)) / k_apart;
  CHECK(of_dram(of_rows(slow_ps, GemmLayout::nt, k_together)) / k_together == doctest::Approx(apart / 8));
}

TEST_CASE("the quick model puts as many rows of a matrix into one of DRAM as the fabric does") {
  struct Stripes {
    const char* gpu;
    std::int64_t stripe_bytes = 256, groups = 2;
  };
  for (const Stripes& of : {Stripes{"v100-sxm2"},
                            {"t4"},
                            {"l40s"},
                            {"rtx3090"},
                            {"a100-sxm-40gb"},
                            {"h100-sxm"},
                            {"v100-sxm2", 512, 1},
                            {"v100-sxm2", 256, 4},
                            {"l40s", 128, 1},
                            {"l40s", 512, 4}}) {
    const Profile profile = striped(of.gpu, of.stripe_bytes, of.groups);
    for (const std::int64_t pitch : {2048, 3072, 4096, 5120, 5632, 8192, 20480, 1'000'064}) {
      CAPTURE(of.gpu);
      CAPTURE(of.stripe_bytes);
      CAPTURE(of.groups);
      CAPTURE(pitch);
      const double by_map = together_by_map(pitch, profile);
      const double quick = estimate::rows_together(pitch, profile);
      // Where chance has a part in it, two in three of those rows that share one do so by chance alone.
      CHECK(quick <= by_map * 1.1);
      CHECK(quick >= by_map / 2.5);
    }
  }
}

TEST_CASE("where lines are dealt at random no two rows of a matrix are taken to share one of DRAM") {
  const Profile profile = load_profile("l40s");
  REQUIRE(profile.l2->stripe_bytes == Bytes(0));
  for (const std::int64_t pitch : {2048, 8192, 20480}) CHECK(estimate::rows_together(pitch, profile) == 1);
}

TEST_CASE("where B lies along n the next CTA asks for what is beside, and the bus is what counts") {
  const double bus = of_dram(of_rows(0, GemmLayout::nn, k_together));
  CHECK(of_dram(of_rows(slow_ps, GemmLayout::nn, k_together)) == bus);
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
