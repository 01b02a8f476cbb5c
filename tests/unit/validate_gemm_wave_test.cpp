// A wave in the whole product's place: when there is one, and that it adds up.
#include "validate/gemm_wave.h"

#include <doctest/doctest.h>

#include "gpusim/profile_io.h"

namespace gpusim::validate_gemm_wave_test {

using namespace gpusim::validate;
using schedules::GemmProblem;
using schedules::GemmTiling;

namespace {

const Profile turing = load_profile("rtx2080ti");
constexpr GemmProblem large{.m = 8192, .n = 8192, .k = 8192};

GemmTiling tiling() { return schedules::choose(turing, large, {.tile = {128, 128, 32}}); }

}  // namespace

TEST_CASE("a product of many waves has one, at two lengths of k, both shorter than the whole") {
  const auto wave = wave_of(large, tiling(), turing);
  REQUIRE(wave);
  CHECK(wave->k == large.k);
  CHECK(wave->waves > 10);
  CHECK(wave->parts[0].k < wave->parts[1].k);
  CHECK(wave->parts[1].k < large.k);
  for (const GemmProblem& part : wave->parts) CHECK(part.m * part.n < large.m * large.n);
}

TEST_CASE("what grows with k grows with the whole's k, and all of it with the waves") {
  auto wave = wave_of(large, tiling(), turing);
  REQUIRE(wave);
  const std::int64_t short_k = wave->parts[0].k;
  const std::int64_t long_k = wave->parts[1].k;
  const auto linear = [](std::int64_t k) { return Cycles(1000 + 10 * k); };
  CHECK(wave->whole(linear(short_k), linear(long_k)) ==
        doctest::Approx(wave->waves * static_cast<double>(linear(large.k).count())));
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
