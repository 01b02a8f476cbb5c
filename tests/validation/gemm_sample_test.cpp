// The measured products that lie beside: a few of every GPU, with their sources.
#include <doctest/doctest.h>

#include <map>

#include "gpusim/validate.h"
#include "support/command.h"

namespace gpusim::gemm_sample_test {

using namespace gpusim::validate;

namespace {

GemmTable sample() {
  return read_gemms(testing::contents(std::string(GPUSIM_SOURCE_DIR) + "/tests/validation/data/gemm_sample.csv"),
                    "gemm_sample.csv");
}

double multiply_adds(const MeasuredGemm& row) {
  return static_cast<double>(row.m) * static_cast<double>(row.n) * static_cast<double>(row.k) *
         static_cast<double>(row.batch);
}

}  // namespace

TEST_CASE("every measured product can be read and has a source") {
  const GemmTable table = sample();
  CHECK(table.problems.empty());
  CHECK(table.rows.size() >= 60);
  for (const MeasuredGemm& row : table.rows) {
    CAPTURE(row.line);
    CHECK_FALSE(row.source.empty());
  }
}

TEST_CASE("the smallest measured product of every GPU is simulated, most within a factor of two, none is refused") {
  const GemmTable table = sample();
  std::map<std::string, std::size_t> smallest;
  for (const std::size_t i : select(table, {}).rows) {
    const auto [found, is_new] = smallest.emplace(table.rows[i].gpu, i);
    if (!is_new && multiply_adds(table.rows[i]) < multiply_adds(table.rows[found->second])) found->second = i;
  }
  std::vector<std::size_t> rows;
  for (const auto& [gpu, row] : smallest)
    if (multiply_adds(table.rows[row]) < 5e9) rows.push_back(row);
  CHECK(rows.size() >= 10);
  const auto outcomes = compare(table, rows, {});
  REQUIRE(outcomes);
  std::size_t near = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CAPTURE(table.rows[rows[i]].line);
    CHECK((*outcomes)[i].refused == "");
    const double ratio = (*outcomes)[i].simulated_us.value_or(0) / table.rows[rows[i]].time_us;
    CHECK(ratio > 0);
    if (ratio > 0.5 && ratio < 2) ++near;
    CHECK((*outcomes)[i].roofline_us > 0);
  }
  CHECK(2 * near > rows.size());
}

}  // namespace gpusim::gemm_sample_test
