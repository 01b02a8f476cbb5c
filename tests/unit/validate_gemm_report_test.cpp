#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "gpusim/validate.h"
#include "validate/statistics.h"

namespace gpusim::validate_gemm_report_test {

using namespace gpusim::validate;

namespace {

const std::string header = "gpu,m,n,k,dtype_in,time_us,notes\n";

GemmOutcome simulated(double us, double roofline_us = 50) {
  return {us, roofline_us, "async 128x128x32, 4 stages", "sm.tensor", ""};
}

GemmOutcome refused(const std::string& why) { return {std::nullopt, 0, "", "", why}; }

/// Measured 100 us each; errors of +10, -20, +40 percent on V100, and a refusal and a P4 beside.
struct Sample {
  GemmTable table = read_gemms(header +
                                   "V100,1,8,8,fp16,100,\"a, b\"\nV100,2,8,8,fp16,100,\nV100,3,8,8,fp16,100,\n"
                                   "T4,4,8,8,bf16,100,\nP4,5,8,8,fp32,100,\n",
                               "t.csv");
  SelectedRows selected = select(table, {});
  std::vector<GemmOutcome> outcomes{simulated(110), simulated(80), simulated(140), refused("dtype: no bf16, \"none\"")};
};

}  // namespace

TEST_CASE("errors are those of simulated against measured, in percent") {
  const Sample sample;
  const ErrorReport report = validate::report(sample.table, sample.selected, sample.outcomes);
  REQUIRE(report.groups.size() == 2);
  CHECK(report.groups[0].gpu == "V100");
  CHECK(report.groups[0].dtype == "fp16");
  const RowErrors& errors = report.groups[0].errors;
  CHECK(errors.attempted == 3);
  CHECK(errors.simulated == 3);
  REQUIRE(errors.over);
  CHECK(errors.over->mape == doctest::Approx((10 + 20 + 40) / 3.0));
  CHECK(errors.over->median_abs == doctest::Approx(20));
  CHECK(errors.over->median_signed == doctest::Approx(10));
  CHECK(errors.over->max == doctest::Approx(40));
  CHECK(errors.over->roofline_mape == doctest::Approx(50));
}

TEST_CASE("p95 is interpolated between ranks") {
  const Sample sample;
  const ErrorReport report = validate::report(sample.table, sample.selected, sample.outcomes);
  const double rank = 0.95 * 2;  // of 10, 20, 40, counted from 0
  CHECK(report.groups[0].errors.over->p95 == doctest::Approx(20 + (rank - 1) * (40 - 20)));
}

TEST_CASE("a refused row counts as 100 percent; GPUs out of scope are listed and not counted") {
  const Sample sample;
  const ErrorReport report = validate::report(sample.table, sample.selected, sample.outcomes);
  CHECK(report.groups[1].errors.refused == 1);
  REQUIRE(report.groups[1].errors.over);
  CHECK(report.groups[1].errors.over->mape == doctest::Approx(100));
  CHECK_FALSE(report.groups[1].errors.over->median_signed);
  CHECK(report.overall.attempted == 4);
  CHECK(report.overall.simulated == 3);
  CHECK(report.overall.over->mape == doctest::Approx((10 + 20 + 40 + 100) / 4.0));
  CHECK(report.overall.over->median_signed == doctest::Approx(10));
  CHECK(report.out_of_scope == std::vector<std::pair<std::string, std::size_t>>{{"P4", 1}});
  CHECK(report.refusals == std::vector<std::pair<std::string, std::size_t>>{{"dtype: no bf16, \"none\"", 1}});
}

TEST_CASE("the scaled roofline has one factor for each GPU and type") {
  const GemmTable table = read_gemms(
      header + "V100,1,8,8,fp16,100,\nV100,2,8,8,fp16,200,\nV100,3,8,8,fp16,400,\nT4,4,8,8,fp16,100,\n", "t.csv");
  const std::vector<GemmOutcome> outcomes{simulated(100, 50), simulated(100, 80), simulated(100, 200),
                                          simulated(100, 25)};
  const ErrorReport report = validate::report(table, select(table, {}), outcomes);
  // Of 0.5, 0.4 and 0.5 of the measured time the median is 0.5: 0.4 is left 20 % short.
  CHECK(report.groups[0].errors.over->scaled_roofline_mape == doctest::Approx(20 / 3.0));
  CHECK(report.groups[1].errors.over->scaled_roofline_mape == doctest::Approx(0));
  CHECK(report.overall.over->scaled_roofline_mape == doctest::Approx(20 / 4.0));
  CHECK(report.overall.over->roofline_mape == doctest::Approx((50 + 60 + 50 + 75) / 4.0));
}

TEST_CASE("rank correlation looks at order alone") {
  const GemmTable table =
      read_gemms(header + "V100,1,8,8,fp16,100,\nV100,2,8,8,fp16,200,\nV100,3,8,8,fp16,400,\n", "t.csv");
  const auto correlation = [&](double a, double b, double c) {
    const std::vector<GemmOutcome> outcomes{simulated(a), simulated(b), simulated(c)};
    return validate::report(table, select(table, {}), outcomes).overall.over->spearman;
  };
  CHECK(correlation(1, 2, 30) == doctest::Approx(1));
  CHECK(correlation(3, 2, 1) == doctest::Approx(-1));
  CHECK(correlation(1, 3, 2) == doctest::Approx(0.5));
  CHECK_FALSE(correlation(5, 5, 5));
}

TEST_CASE("Kendall's tau counts pairs in the same order, less those that are not") {
  CHECK(*validate::kendall({1, 2, 3, 4}, {1, 2, 3, 9}) == doctest::Approx(1));
  CHECK(*validate::kendall({1, 2, 3, 4}, {2, 1, 3, 4}) == doctest::Approx((5 - 1) / 6.0));
  CHECK(*validate::kendall({1, 1, 2}, {1, 2, 3}) == doctest::Approx(2 / std::sqrt(2.0 * 3)));
  CHECK_FALSE(validate::kendall({1, 2}, {5, 5}));
}

TEST_CASE("changes of the profiles stand in text and JSON") {
  const Sample sample;
  const ErrorReport report = validate::report(sample.table, sample.selected, sample.outcomes, {"l2.capacity=6MiB"});
  CHECK(validate::text(report).find("\nChanged in the profiles (--set)\n  l2.capacity=6MiB\n") != std::string::npos);
  CHECK(nlohmann::json::parse(validate::json(report))["set"] == nlohmann::json{"l2.capacity=6MiB"});
}

TEST_CASE("JSON has the same numbers, and null where there is none") {
  const Sample sample;
  const auto json =
      nlohmann::json::parse(validate::json(validate::report(sample.table, sample.selected, sample.outcomes)));
  CHECK(json["set"].empty());
  CHECK(json["groups"][0]["gpu"] == "V100");
  CHECK(json["groups"][0]["median_abs"].get<double>() == doctest::Approx(20));
  CHECK(json["groups"][1]["mape"] == 100);
  CHECK(json["groups"][1]["median_signed"].is_null());
  CHECK(json["overall"]["n"] == 4);
  CHECK(json["overall"]["refused"] == 1);
  CHECK(json["out_of_scope"][0]["gpu"] == "P4");
}

TEST_CASE("rows come back with their own columns and what became of them") {
  const Sample sample;
  const GemmTable again = read_gemms(csv(sample.table, sample.selected.rows, sample.outcomes), "rows.csv");
  CHECK(again.problems.empty());
  CHECK(again.columns == std::vector<std::string>{"gpu", "m", "n", "k", "dtype_in", "time_us", "notes", "simulated_us",
                                                  "error", "clock_mhz", "schedule", "bound", "refused"});
  REQUIRE(again.rows.size() == 4);
  CHECK(again.rows[0].fields[6] == "a, b");
  CHECK(again.rows[0].fields[7] == "110");
  CHECK(std::stod(again.rows[1].fields[8]) == doctest::Approx(80 / 100.0 - 1));
  CHECK(again.rows[2].fields[11] == "sm.tensor");
  CHECK(again.rows[3].fields[7].empty());
  CHECK(again.rows[3].fields[12] == "dtype: no bf16, \"none\"");
}

TEST_CASE("rows compared a second time lose their first outcome") {
  const Sample sample;
  const std::string once = csv(sample.table, sample.selected.rows, sample.outcomes);
  const GemmTable again = read_gemms(once, "rows.csv");
  CHECK(csv(again, select(again, {}).rows, sample.outcomes) == once);
}

TEST_CASE("the text has a line for each group and one for all") {
  const Sample sample;
  const std::string text = validate::text(validate::report(sample.table, sample.selected, sample.outcomes));
  CHECK(text.find("V100  fp16 ") != std::string::npos);
  CHECK(text.find("\nall ") != std::string::npos);
  CHECK(text.find("1 row: P4") != std::string::npos);
  CHECK(text.find("1 row: dtype: no bf16") != std::string::npos);
}

}  // namespace gpusim::validate_gemm_report_test
