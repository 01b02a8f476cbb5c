#include <doctest/doctest.h>

#include <algorithm>

#include "gpusim/validate.h"

namespace gpusim::validate_gemm_select_test {

using namespace gpusim::validate;

namespace {

using Numbers = std::vector<std::size_t>;

GemmTable table_of(const std::string& rows) {
  GemmTable table = read_gemms("gpu,m,n,k,dtype_in,time_us,tier,source\n" + rows, "t.csv");
  REQUIRE(table.problems.empty());
  return table;
}

/// Of each GPU so many rows.
GemmTable many(int rows_of_v100, int rows_of_a100) {
  std::string rows;
  for (int i = 1; i <= rows_of_v100; ++i) rows += "V100," + std::to_string(i) + ",8,8,fp16,1,A,\n";
  for (int i = 1; i <= rows_of_a100; ++i) rows += "A100," + std::to_string(i) + ",8,8,fp16,1,A,\n";
  return table_of(rows);
}

}  // namespace

TEST_CASE("without a selection all rows are compared but those of GPUs out of scope") {
  const SelectedRows selected =
      select(table_of("V100,8,8,8,fp16,1,A,\nP4,8,8,8,fp32,1,A,\nA100,8,8,8,fp16,1,B,\n"), {});
  CHECK(selected.rows == Numbers{0, 2});
  CHECK(selected.out_of_scope == Numbers{1});
}

TEST_CASE("GPUs are selected by any of their names, tiers by their letter") {
  const GemmTable table = table_of("V100,8,8,8,fp16,1,A,\nV100-SXM2,8,8,8,fp16,1,B,\nA100,8,8,8,fp16,1,A,\n");
  CHECK(select(table, {.gpus = {"volta"}}).rows == Numbers{0, 1});
  CHECK(select(table, {.gpus = {"v100", "A100-SXM"}, .tier = "A"}).rows == Numbers{0, 2});
  CHECK_THROWS_AS((void)select(table, {.gpus = {"A1000"}}), ProfileError);
}

TEST_CASE("where a source says which GPU it was, the row is found by that name as well") {
  const GemmTable table = table_of("A100,8,8,8,fp16,1,A,triton-lang/triton:x\nA100,8,8,8,fp16,1,A,other\n");
  CHECK(select(table, {.gpus = {"a100-sxm-40gb"}}).rows == Numbers{0});
  CHECK(select(table, {.gpus = {"A100"}}).rows == Numbers{0, 1});
}

TEST_CASE("a sample is spread over the GPUs as their rows are, within one row") {
  const GemmTable table = many(60, 20);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Numbers rows = select(table, {.sample = 8, .seed = seed}).rows;
    CHECK(rows.size() == 8);
    CHECK(std::is_sorted(rows.begin(), rows.end()));
    CHECK(std::adjacent_find(rows.begin(), rows.end()) == rows.end());
    const auto of_v100 = std::count_if(rows.begin(), rows.end(), [](std::size_t row) { return row < 60; });
    CHECK(of_v100 >= 5);
    CHECK(of_v100 <= 7);
  }
}

TEST_CASE("a seed is a sample: the same again, and another for another seed") {
  const GemmTable table = many(60, 20);
  CHECK(select(table, {.sample = 8, .seed = 3}).rows == select(table, {.sample = 8, .seed = 3}).rows);
  CHECK(select(table, {.sample = 8, .seed = 3}).rows != select(table, {.sample = 8, .seed = 4}).rows);
}

TEST_CASE("a sample of at least all rows is all rows") {
  CHECK(select(many(2, 1), {.sample = 3}).rows == Numbers{0, 1, 2});
  CHECK(select(many(2, 1), {.sample = 99}).rows == Numbers{0, 1, 2});
}

}  // namespace gpusim::validate_gemm_select_test
