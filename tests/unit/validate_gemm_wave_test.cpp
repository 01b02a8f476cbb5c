// A wave in the whole product's place: when there is one, and that it adds up.
#include "validate/gemm_wave.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "gpusim/profile_io.h"

namespace gpusim::validate_gemm_wave_test {

using namespace gpusim::validate;
using schedules::GemmProblem;
using schedules::GemmTiling;

namespace {

const Profile turing = load_profile("rtx2080ti");
constexpr GemmProblem large{.m = 8192, .n = 8192, .k = 8192};

/// With the part of one at the end.
double all_waves(const GemmWave& wave) {
  return static_cast<double>(wave.waves) + static_cast<double>(wave.rest) / static_cast<double>(wave.ctas);
}

GemmTiling tiling() { return schedules::choose(turing, large, {.tile = {128, 128, 32}}); }

}  // namespace

TEST_CASE("a product of many waves has one, at a short k") {
  const auto wave = wave_of(large, tiling(), turing);
  REQUIRE(wave);
  CHECK(wave->k == large.k);
  CHECK(wave->waves > 10);
  CHECK(wave->part.k < large.k);
  CHECK(wave->part.m == large.m);
  CHECK(wave->part.n == large.n);
  CHECK(wave->ctas % turing.sm.count == 0);
}

TEST_CASE("what grows with k grows with the whole's k, and all of it with the waves") {
  const auto wave = wave_of(large, tiling(), turing);
  REQUIRE(wave);
  std::int64_t longest = 0;
  const auto linear = [&](const GemmProblem& part, std::int64_t ctas) {
    longest = std::max(longest, part.k);
    return Cycles(ctas * (1000 + 1000 * part.k) / wave->ctas);
  };
  CHECK(wave->whole(linear) == doctest::Approx(all_waves(*wave) * (1000 + 1000.0 * static_cast<double>(large.k))));
  CHECK(longest < large.k / 4);
}

TEST_CASE("what the first wave and the end of the last take counts once") {
  const auto wave = wave_of(large, tiling(), turing);
  REQUIRE(wave);
  const auto once = [&](const GemmProblem& part, std::int64_t ctas) {
    return Cycles(7000 + 3 * part.k + ctas * (1000 + 1000 * part.k) / wave->ctas);
  };
  const auto k = static_cast<double>(large.k);
  CHECK(wave->whole(once) == doctest::Approx(7000 + 3 * k + all_waves(*wave) * (1000 + 1000 * k)));
}

TEST_CASE("a last wave of a few CTAs takes as long as they do") {
  const auto wave = wave_of(large, tiling(), turing);
  REQUIRE(wave);
  REQUIRE(wave->rest > 0);
  const auto in_whole_waves = [&](const GemmProblem& part, std::int64_t ctas) {
    return Cycles((ctas + wave->ctas - 1) / wave->ctas * 1000 * part.k);
  };
  CHECK(wave->whole(in_whole_waves) == doctest::Approx(static_cast<double>((wave->waves + 1) * 1000 * large.k)));
}

TEST_CASE("what all CTAs do at once at a short k counts little") {
  const auto wave = wave_of(large, tiling(), turing);
  REQUIRE(wave);
  const auto bent = [&](const GemmProblem& part, std::int64_t ctas) {
    const auto waves = static_cast<double>(ctas) / static_cast<double>(wave->ctas);
    return Cycles(std::llround(waves * std::hypot(100'000.0, 1000.0 * static_cast<double>(part.k))));
  };
  const double whole = all_waves(*wave) * 1000 * static_cast<double>(large.k);
  CHECK(wave->whole(bent) == doctest::Approx(whole).epsilon(0.1));
}

TEST_CASE("k is long enough that multiplying takes longer than writing C") {
  const auto wave = wave_of(large, tiling(), turing);
  REQUIRE(wave);
  GemmProblem wide = large;
  wide.result = DType::fp32;
  const auto with_more_to_write = wave_of(wide, tiling(), turing);
  REQUIRE(with_more_to_write);
  CHECK(with_more_to_write->part.k == 2 * wave->part.k);
  // Of a kernel that takes as long to write C as to multiply 6 k tiles, and does both at once.
  const auto stored = [&](const GemmProblem& part, std::int64_t ctas) {
    const std::int64_t k_tiles = part.k / tiling().tile.k;
    return Cycles(ctas / wave->ctas * std::max<std::int64_t>(6, k_tiles) * 8192);
  };
  const std::int64_t all_k_tiles = large.k / tiling().tile.k;
  CHECK(wave->whole(stored) == doctest::Approx(static_cast<double>(wave->waves * all_k_tiles * 8192)));
}

TEST_CASE("neither a wave nor a k tile adds less than its arithmetic takes") {
  const auto wave = wave_of(large, tiling(), turing);
  REQUIRE(wave);
  const double flops_a_cycle = 2.0 * 256 * static_cast<double>(turing.sm.count);
  const double all = 2.0 * static_cast<double>(large.m * large.n * large.k) / flops_a_cycle;
  CHECK(wave->peak_cycles * all_waves(*wave) * static_cast<double>(large.k) == doctest::Approx(all));
  const double full_waves = wave->peak_cycles * static_cast<double>(wave->waves) * static_cast<double>(large.k);
  const auto no_k = [&](const GemmProblem&, std::int64_t ctas) { return Cycles(ctas); };
  CHECK(wave->whole(no_k) / full_waves == doctest::Approx(1).epsilon(0.03));
  const auto no_waves = [](const GemmProblem& part, std::int64_t) { return Cycles(part.k); };
  CHECK(wave->whole(no_waves) / full_waves == doctest::Approx(1).epsilon(0.03));
  CHECK(wave->saves());
}

TEST_CASE("two and four waves are simulated, at a length of k, and at twice that or 16 k tiles") {
  const auto wave = wave_of(large, tiling(), turing);
  REQUIRE(wave);
  std::vector<std::pair<std::int64_t, std::int64_t>> simulated;
  const auto noted = [&](const GemmProblem& part, std::int64_t ctas) {
    simulated.emplace_back(ctas / wave->ctas, part.k / tiling().tile.k);
    return Cycles(part.k);
  };
  CHECK(wave->whole(noted) > 0);
  const std::int64_t shorter = wave->part.k / tiling().tile.k;
  const std::int64_t longer = std::max<std::int64_t>(2 * shorter, 16);
  CHECK(simulated ==
        std::vector<std::pair<std::int64_t, std::int64_t>>{{2, shorter}, {4, shorter}, {2, longer}, {4, longer}});
}

TEST_CASE("what is small, sliced, persistent or in clusters is simulated whole") {
  CHECK_FALSE(wave_of({.m = 256, .n = 256, .k = 256}, tiling(), turing));
  GemmTiling sliced = tiling();
  sliced.split_k = 2;
  CHECK_FALSE(wave_of(large, sliced, turing));
  GemmTiling persistent = tiling();
  persistent.ctas = 68;
  CHECK_FALSE(wave_of(large, persistent, turing));
  GemmProblem several = large;
  several.batch = 2;
  CHECK_FALSE(wave_of(several, tiling(), turing));
}

}  // namespace gpusim::validate_gemm_wave_test
