#include "view/format.h"

#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>

#include "view/table.h"

namespace gpusim::view_format_test {

using namespace gpusim::view;

TEST_CASE("numbers are grouped by thousands") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1000) == "1,000");
  CHECK(grouped(-1234567) == "-1,234,567");
  CHECK(grouped(-123) == "-123");
}

TEST_CASE("ratios are percents, and no number is a dash") {
  CHECK(percent(0.8514) == "85.1 %");
  CHECK(share(1, 4) == "25.0 %");
  CHECK(share(1, 0) == "-");
  CHECK(percent(std::numeric_limits<double>::infinity()) == "-");
}

TEST_CASE("bytes and durations take the unit that suits them") {
  CHECK(byte_count(512) == "512 B");
  CHECK(byte_count(1.5e9) == "1.50 GB");
  CHECK(duration(2) == "2.000 us");
  CHECK(duration(490.06) == "490.1 us");
  CHECK(duration(123456) == "123.46 ms");
}

TEST_CASE("digests are sixteen hexadecimal digits") {
  CHECK(hexadecimal(0xabc) == "0000000000000abc");
  CHECK(hexadecimal(0xffffffffffffffff) == "ffffffffffffffff");
}

TEST_CASE("long text is cut, and words wrap at the page's width") {
  CHECK(fitted("short", 8) == "short");
  CHECK(fitted("much too long", 8) == "much ...");
  const std::string lines = wrapped(std::vector<std::string>(40, "word"), 4);
  CHECK(lines.starts_with("    word word"));
  CHECK(lines.find("\n    word") != std::string::npos);
  CHECK(lines.find('\n') <= page_width);
}

TEST_CASE("columns align and lines do not end in blanks") {
  const std::string text = Table("lr").row({"a", "1"}).row({"long", "1000"}).row({"b"}).text();
  CHECK(text == "  a        1\n  long  1000\n  b\n");
}

TEST_CASE("a row of more cells than columns is a mistake") {
  CHECK_THROWS_AS(Table("l").row({"a", "b"}), std::logic_error);
}

}  // namespace gpusim::view_format_test
