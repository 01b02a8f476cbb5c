#include "validate/csv.h"

#include <doctest/doctest.h>

namespace gpusim::validate_csv_test {

using namespace gpusim::validate;

namespace {

using Fields = std::vector<std::string>;

Fields only_record(std::string_view text) {
  const std::vector<CsvRecord> records = parse_csv(text);
  REQUIRE(records.size() == 1);
  CHECK(records[0].problem.empty());
  return records[0].fields;
}

}  // namespace

TEST_CASE("fields end at commas, records at line ends of either kind, and the last line needs none") {
  const std::vector<CsvRecord> records = parse_csv("a,b\r\n1,2\n3,4");
  REQUIRE(records.size() == 3);
  CHECK(records[0].fields == Fields{"a", "b"});
  CHECK(records[1].fields == Fields{"1", "2"});
  CHECK(records[2].fields == Fields{"3", "4"});
  CHECK(records[2].line == 3);
}

TEST_CASE("a quoted field holds commas, doubled quotes and line ends") {
  CHECK(only_record("\"a,b\",\"say \"\"x\"\"\",\"two\nlines\"\n") == Fields{"a,b", "say \"x\"", "two\nlines"});
}

TEST_CASE("empty fields are fields, blanks belong to them, empty lines are none") {
  CHECK(only_record("\n,,\n\n") == Fields{"", "", ""});
  CHECK(only_record(" a , b ") == Fields{" a ", " b "});
  CHECK(only_record("\"\",x") == Fields{"", "x"});
}

TEST_CASE("a byte order mark is not part of the first field") {
  CHECK(only_record("\xEF\xBB\xBFgpu,m") == Fields{"gpu", "m"});
}

TEST_CASE("lines are counted through quoted line ends and empty lines") {
  const std::vector<CsvRecord> records = parse_csv("\"a\nb\"\n\nc\n");
  REQUIRE(records.size() == 2);
  CHECK(records[0].line == 1);
  CHECK(records[1].line == 4);
}

TEST_CASE("a record that cannot be read says why, and costs its first line only") {
  for (const auto& record : {std::pair{"1,\"never closed", "a quote that is never closed"},
                             std::pair{"1,\"closed\"early", "text after a closing quote"},
                             std::pair{"1,in\"side", "a quote within a field that does not begin with one"}}) {
    const std::string line = record.first;
    CAPTURE(line);
    const std::vector<CsvRecord> records = parse_csv("x\n" + line + "\n2,3\n4,5\n");
    REQUIRE(records.size() == 4);
    CHECK(records[1].problem == record.second);
    CHECK(records[1].line == 2);
    CHECK(records[2].fields == Fields{"2", "3"});
    CHECK(records[3].fields == Fields{"4", "5"});
  }
}

TEST_CASE("what is written reads back as it was") {
  const Fields fields{"", "plain", "a,b", "say \"x\"", "two\nlines", " blank "};
  CHECK(csv_line(fields) == ",plain,\"a,b\",\"say \"\"x\"\"\",\"two\nlines\", blank \n");
  CHECK(only_record(csv_line(fields)) == fields);
}

}  // namespace gpusim::validate_csv_test
