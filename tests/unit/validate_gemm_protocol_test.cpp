#include "validate/gemm_protocol.h"

#include <doctest/doctest.h>

namespace gpusim::validate_gemm_protocol_test {

using namespace gpusim::validate;

TEST_CASE("a board has been busy with the warm-up and half of what is timed") {
  const Repeats repeats{.warm_up = 3, .timed = 6};
  CHECK(busy_us(repeats, 1e9, 100) == doctest::Approx(600));
}

TEST_CASE(
    "a source that repeats until so many multiply-adds are done keeps the board busy longer with small products") {
  const Repeats repeats{.warm_up = 1, .timed = 10, .multiply_adds = 1e11};
  CHECK(busy_us(repeats, 1e9, 100) == doctest::Approx(5100));
  CHECK(busy_us(repeats, 1e12, 100) == doctest::Approx(600));
}

TEST_CASE("sources that locked the clock say so") {
  CHECK(protocol_of("alexarmbr/matmul-playground:x").locked_mhz == 1590);
  CHECK_FALSE(protocol_of("nobody/knows").locked_mhz);
}

}  // namespace gpusim::validate_gemm_protocol_test
