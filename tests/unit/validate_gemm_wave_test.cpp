// A wave in the whole product's place: when there is one, and that it adds up.
#include "validate/gemm_wave.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "gpusim/profile_io.h"

namespace gpusim::validate_gemm_wave_test {

using namespace gpusim::validate;
using schedules::GemmProblem;
using schedules::GemmTiling;

namespace {

const Profile turing = load_profile("rtx2080ti");
constexpr GemmProblem large{.m = 8192, .n = 8192, .k = 8192};

std::int64_t waves_in(const GemmProblem& part, const GemmWave& wave) { return part.m / wave.part.m; }

GemmTiling tiling() { return schedules::choose(turing, large, {.tile = {128, 128, 32}}); }

}  // namespace

TEST_CASE("a product of many waves has one, at a short k") {
  const auto wave = wave_of(large, tiling(), turing);
  REQUIRE(wave);
  CHECK(wave->k == large.k);
  CHECK(wave->waves > 10);
  CHECK(wave->part.k < large.k);
  CHECK(wave->part.m * wave->part.n < large.m * large.n);
}

TEST_CASE("what grows with k grows with the whole's k, and all of it with the waves") {
  const auto wave = wave_of(large, tiling(), turing);
  REQUIRE(wave);
  std::int64_t longest = 0;
  const auto linear = [&](const GemmProblem& part) {
    longest = std::max(longest, part.k);
    return Cycles(waves_in(part, *wave) * (1000 + 10 * part.k));
  };
  CHECK(wave->whole(linear) == doctest::Approx(wave->waves * (1000 + 10.0 * static_cast<double>(large.k))));
  CHECK(longest < large.k / 4);
}

TEST_CASE("what the first wave and the end of the last take counts once") {
  const auto wave = wave_of(large, tiling(), turing);
  REQUIRE(wave);
  const auto once = [&](const GemmProblem& part) {
    return Cycles(7000 + 3 * part.k + waves_in(part, *wave) * (1000 + 10 * part.k));
  };
  const auto k = static_cast<double>(large.k);
  CHECK(wave->whole(once) == doctest::Approx(7000 + 3 * k + wave->waves * (1000 + 10 * k)));
}

TEST_CASE("parts grow until they grow evenly") {
  const auto wave = wave_of(large, tiling(), turing);
  REQUIRE(wave);
  // At a short k most of the time goes into what all CTAs do at once.
  const auto bent = [&](const GemmProblem& part) {
    const auto waves = static_cast<double>(waves_in(part, *wave));
    return Cycles(std::llround(waves * std::hypot(1'000.0, 10.0 * static_cast<double>(part.k))));
  };
  const double whole = wave->waves * 10 * static_cast<double>(large.k);
  CHECK(wave->whole(bent) == doctest::Approx(whole).epsilon(0.05));
}

TEST_CASE("parts that never grow evenly end with 16 k tiles") {
  const auto wave = wave_of(large, tiling(), turing);
  REQUIRE(wave);
  std::int64_t longest = 0;
  const auto square = [&](const GemmProblem& part) {
    longest = std::max(longest, part.k);
    return Cycles(waves_in(part, *wave) * part.k * part.k);
  };
  CHECK(wave->whole(square) > 0);
  CHECK(longest == 16 * tiling().tile.k);
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
