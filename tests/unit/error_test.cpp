#include "gpusim/error.h"

#include <doctest/doctest.h>

#include <array>

#include "gpusim/dtype.h"

namespace gpusim::error_test {

TEST_CASE("an input error says every problem on a line of its own") {
  const ProfileError error({{"a.json#/l2", "is missing"}, {"a.json#/name", "expected text"}});
  CHECK(std::string(error.what()) == "a.json#/l2: is missing\na.json#/name: expected text");
  CHECK(error.problems() == std::vector<Problem>{{"a.json#/l2", "is missing"}, {"a.json#/name", "expected text"}});
}

TEST_CASE("profile and schedule errors are both input errors") {
  CHECK_THROWS_AS(throw ProfileError({Problem{"x", "y"}}), InputError);
  CHECK_THROWS_AS(throw ScheduleError({Problem{"x", "y"}}), InputError);
}

TEST_CASE("a deadlock error names who waits") {
  const DeadlockError error({"warp 0 of CTA 3 waits for barrier 1"});
  CHECK(error.waits().size() == 1);
  CHECK(std::string(error.what()).find("warp 0 of CTA 3 waits for barrier 1") != std::string::npos);
}

TEST_CASE("types are known by what others call them, and by their letters") {
  CHECK(nearest_dtype("half") == "fp16");
  CHECK(nearest_dtype("Float32") == "fp32");
  CHECK(nearest_dtype("BFLOAT16") == "bf16");
  CHECK(nearest_dtype("float8_e4m3fn") == "fp8");
  CHECK(nearest_dtype("s8") == "int8");
  CHECK(nearest_dtype("double") == "fp64");
  CHECK(nearest_dtype("fp17") == "fp16");
  CHECK(nearest_dtype("quaternion").empty());
}

TEST_SUITE("nearest") {
  constexpr std::array<std::string_view, 5> keys{"capacity", "latency", "slices", "ways", "l2"};

  TEST_CASE("finds a name with a letter missing, added, changed or swapped") {
    CHECK(nearest("capcity", keys) == "capacity");
    CHECK(nearest("latencyy", keys) == "latency");
    CHECK(nearest("slizes", keys) == "slices");
    CHECK(nearest("wasy", keys) == "ways");
  }
  TEST_CASE("takes what is left unfinished for its beginning") {
    const std::array<std::string_view, 4> gpus{"a10", "h100-pcie", "h100", "l4"};
    CHECK(nearest("h10", gpus) == "h100");
    CHECK(nearest("H100-P", gpus) == "h100-pcie");
  }
  TEST_CASE("takes what leaves letters out for the whole") {
    const std::array<std::string_view, 3> options{"rows", "columns", "row-group"};
    CHECK(nearest("cols", options) == "columns");
    CHECK(nearest("rws", options) == "rows");
    CHECK(nearest("co", options).empty());
    CHECK(nearest("olumns", options) == "columns");
    const std::array<std::string_view, 6> of_products{"transpose-a", "load-batch", "specialize",
                                                      "dtype",       "clock",      "tile"};
    CHECK(nearest("tpe", of_products) == "dtype");
    CHECK(nearest("loc", of_products) == "clock");
    CHECK(nearest("size", of_products) == "tile");
    CHECK(nearest("scale", of_products).empty());
  }
  TEST_CASE("does not care for case") { CHECK(nearest("LATENCY", keys) == "latency"); }
  TEST_CASE("offers nothing when nothing is near") {
    CHECK(nearest("zebra", keys).empty());
    CHECK(nearest("", keys).empty());
    CHECK(nearest(std::string(100'000, 'l'), keys).empty());
  }
  TEST_CASE("takes the first of equally near names") {
    constexpr std::array<std::string_view, 2> levels{"l1", "l2"};
    CHECK(nearest("l3", levels) == "l1");
  }
  TEST_CASE("has nothing to offer without candidates") { CHECK(nearest("l2", {}).empty()); }
}

}  // namespace gpusim::error_test
