// Values to text and back.
#include "profile/value_text.h"

#include <doctest/doctest.h>

namespace gpusim::profile_value_text_test {

using namespace gpusim::profile_detail;

namespace {

template <class T>
std::optional<T> read(std::string_view text, const Field& field = {}) {
  T value{};
  return from_text(text, field, value) ? std::optional(value) : std::nullopt;
}

}  // namespace

TEST_CASE("sizes are written in the largest binary unit and read in any") {
  CHECK(to_text(Bytes(72 << 20)) == "72MiB");
  CHECK(to_text(Bytes(163 << 10)) == "163KiB");
  CHECK(to_text(Bytes(0)) == "0");
  CHECK(to_text(Bytes(100)) == "100");
  CHECK(read<Bytes>("2GiB") == Bytes(std::int64_t{2} << 30));
  CHECK(read<Bytes>("5.5MiB") == Bytes(5632 << 10));
  CHECK(read<Bytes>("4096") == Bytes(4096));
}

TEST_CASE("sizes that are no whole number of bytes, negative or absurd are refused") {
  for (const auto* text :
       {"0.1KiB", "-1", "-1MiB", "MiB", "", "1e3", "99999999999999999999", "9000000000GiB", "6MB", "6 MiB"}) {
    CAPTURE(text);
    CHECK_FALSE(read<Bytes>(text));
  }
}

TEST_CASE("rates are exact") {
  CHECK(read<Rate>("64") == Rate::per_cycle(64));
  CHECK(read<Rate>("1/4") == Rate::one_every(4));
  CHECK(read<Rate>("0.25") == Rate::one_every(4));
  CHECK(read<Rate>("1555.2") == Rate::ratio(15552, 10));
  CHECK(read<Rate>("unlimited") == Rate::unlimited());
}

TEST_CASE("rates are written as a decimal when that is exact, else as a fraction") {
  CHECK(to_text(Rate::per_cycle(64)) == "64");
  CHECK(to_text(Rate::ratio(15552, 10)) == "1555.2");
  CHECK(to_text(Rate::ratio(1, 1'000'000)) == "0.000001");
  CHECK(to_text(Rate::ratio(41, 40)) == "1.025");
  CHECK(to_text(Rate::one_every(48)) == "1/48");
  CHECK(to_text(Rate::unlimited()) == "unlimited");
}

TEST_CASE("rates that are zero, negative, absurd or too fine are refused") {
  for (const auto* text : {"0", "-1", "0/4", "4/0", "-1/4", "1/-4", "1.0000001", "1000000001", "1/1000001", "nan",
                           "inf", "", ".5", "5.", "1e3", "1/2/3", "--1", "0.-5"}) {
    CAPTURE(text);
    CHECK_FALSE(read<Rate>(text));
  }
}

TEST_CASE("integers keep within the bounds of their field") {
  const Field field{"x", "", "", 2, 10};
  CHECK(read<std::int64_t>("2", field) == 2);
  CHECK(read<std::int64_t>("10", field) == 10);
  CHECK_FALSE(read<std::int64_t>("1", field));
  CHECK_FALSE(read<std::int64_t>("11", field));
  CHECK_FALSE(read<Cycles>("-3", field));
  for (const auto* text : {"2.0", "2x", " 2", "+2", "0x2", "99999999999999999999"})
    CHECK_FALSE(read<std::int64_t>(text, field));
}

TEST_CASE("limited numbers may be unlimited, others may not") {
  CHECK(read<Limited<std::int64_t>>("unlimited") == Limited<std::int64_t>::unlimited());
  CHECK(read<Limited<Bytes>>("6MiB") == Limited<Bytes>(Bytes(6 << 20)));
  CHECK_FALSE(read<Cycles>("unlimited"));
  CHECK_FALSE(read<Bytes>("unlimited"));
}

TEST_CASE("words are read by name") {
  CHECK(read<SchedulerPolicy>("lrr") == SchedulerPolicy::lrr);
  CHECK(read<DType>("tf32") == DType::tf32);
  CHECK(read<bool>("true") == true);
  CHECK_FALSE(read<DType>("fp33"));
}

}  // namespace gpusim::profile_value_text_test
