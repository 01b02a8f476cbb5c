// Law: how long a kernel must be for anything of it to be skipped.
#include <doctest/doctest.h>

#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"
#include "gpusim/schedules/gemm.h"
#include "machine/fast_forward.h"

namespace gpusim::fast_forward_length_test {

namespace {

Schedule product_of(const Profile& profile, std::int64_t side) {
  const schedules::GemmProblem problem{.m = side, .n = side, .k = side};
  return schedules::gemm(problem, schedules::choose(profile, problem, {}));
}

}  // namespace

TEST_CASE("a kernel of fewer than 2^22 warp instructions is simulated whole, a longer one is not") {
  const Gpu ampere(load_profile("ampere"));
  for (const std::int64_t side : {1024, 2048}) {
    const Schedule product = product_of(ampere.profile(), side);
    const bool is_short = warp_instructions(product) * cta_count(product) < machine::fewest_instructions;
    CHECK(is_short == (side == 1024));
    CHECK(exact(ampere.run(product)) == is_short);
  }
}

TEST_CASE("what is worth skipping has as many instructions as are asked for, and not one less") {
  const Schedule product = product_of(load_profile("hopper"), 768);
  const std::int64_t all = warp_instructions(product) * cta_count(product);
  CHECK(machine::worth_skipping(product, all));
  CHECK_FALSE(machine::worth_skipping(product, all + 1));
}

}  // namespace gpusim::fast_forward_length_test
