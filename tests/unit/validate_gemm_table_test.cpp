#include <doctest/doctest.h>

#include "gpusim/validate.h"

namespace gpusim::validate_gemm_table_test {

using namespace gpusim::validate;

namespace {

const std::string header = "gpu,m,n,k,batch,dtype_in,dtype_acc,schedule_notes,time_us,tier,source\n";

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Of a table whose second line is `row` and whose third is good.
Problem problem_of(const std::string& row) {
  const GemmTable table = read_gemms(header + row + "\nA100,8,8,8,1,fp16,fp32,,1,A,x\n", "t.csv");
  REQUIRE(table.problems.size() == 1);
  CHECK(table.problems[0].where == "t.csv:2");
  CHECK(table.rows.size() == 1);
  return table.problems[0];
}

}  // namespace

TEST_CASE("columns are found by name in any order, and unknown ones are kept") {
  const GemmTable table = read_gemms("time_us,note,k,n,m,dtype_in,gpu\n2.5,\"a, b\",3,2,1,bf16,RTX 3090\n", "t.csv");
  CHECK(table.problems.empty());
  REQUIRE(table.rows.size() == 1);
  const MeasuredGemm& row = table.rows[0];
  CHECK(row.gpu == "RTX 3090");
  CHECK(row.m == 1);
  CHECK(row.n == 2);
  CHECK(row.k == 3);
  CHECK(row.input == DType::bf16);
  CHECK(row.time_us == 2.5);
  CHECK(row.fields[1] == "a, b");
}

TEST_CASE("what is left empty has a default") {
  const GemmTable table = read_gemms(header + "A100,8,8,8,,int8,,,1,,\nA100,8,8,8,,fp8,,,1,,\n", "t.csv");
  REQUIRE(table.rows.size() == 2);
  CHECK(table.rows[0].batch == 1);
  CHECK(table.rows[0].accumulate == DType::int32);
  CHECK(table.rows[0].tier == "B");
  CHECK(table.rows[1].accumulate == DType::fp32);
}

TEST_CASE("the type of C may be told") {
  const GemmTable table =
      read_gemms("gpu,m,n,k,dtype_in,time_us,dtype_out\nL40S,8,8,8,fp8,1,fp32\nL40S,8,8,9,fp8,1,\n", "t.csv");
  REQUIRE(table.rows.size() == 2);
  CHECK(table.rows[0].result == DType::fp32);
  CHECK_FALSE(table.rows[1].result);
}

TEST_CASE("who made the kernel is kept: what was timed beside it depends on that") {
  const GemmTable table =
      read_gemms("gpu,m,n,k,dtype_in,time_us,library_or_kernel\nL40S,8,8,8,fp8,1,fp8_static\n", "t.csv");
  REQUIRE(table.rows.size() == 1);
  CHECK(table.rows[0].library == "fp8_static");
}

TEST_CASE("a bad row is told with its line and what is wrong; the good ones stay") {
  CHECK(has(problem_of("A100,x,8,8,1,fp16,fp32,,1,A,x").what, "m: 'x' is not a whole number"));
  CHECK(has(problem_of("A100,8,0,8,1,fp16,fp32,,1,A,x").what, "n: '0' is not between 1 and"));
  CHECK(has(problem_of("A100,8,8,,1,fp16,fp32,,1,A,x").what, "k: '' is not a whole number"));
  CHECK(has(problem_of("A100,8,8,8,-2,fp16,fp32,,1,A,x").what, "batch: '-2'"));
  CHECK(has(problem_of("A100,8,8,8,1,fp17,fp32,,1,A,x").what, "dtype_in: unknown type 'fp17'; did you mean 'fp16'?"));
  CHECK(has(problem_of("A100,8,8,8,1,fp16,fp32,,fast,A,x").what, "time_us: 'fast' is not a number"));
  CHECK(has(problem_of("A100,8,8,8,1,fp16,fp32,,0,A,x").what, "time_us: '0' is not above 0"));
  CHECK(has(problem_of("A100,8,8,8,1,fp16,fp32,,1e-7,A,x").what, "time_us: '1e-7' is too small: below 1e-6"));
  CHECK(has(problem_of("A100,8,8,8,1,fp16,fp32,,1e999,A,x").what, "time_us: '1e999' is not a number"));
  CHECK(has(problem_of("A100,8,8,8,1,fp16").what, "has 6 fields; the table has 11 columns"));
  CHECK(has(problem_of("\"A100,8,8,8,1,fp16,fp32,,1,A,x").what, "a quote that is never closed"));
}

TEST_CASE("a layout or note that cannot be read is a bad row") {
  const GemmTable table = read_gemms(
      "gpu,m,n,k,dtype_in,time_us,layout,schedule_notes\nA100,8,8,8,fp16,1,TT,\nA100,8,8,8,fp16,1,\"TN "
      "(x[m,k])\",free\n"
      "A100,8,8,8,fp16,1,NN,cta_tile=128x64 splitK=x\n",
      "t.csv");
  CHECK(table.rows.size() == 1);
  REQUIRE(table.problems.size() == 2);
  CHECK(table.problems[0].where == "t.csv:2");
  CHECK(has(table.problems[0].what, "layout: unknown layout 'TT'; did you mean 'tt'?"));
  CHECK(table.problems[1].where == "t.csv:4");
  CHECK(has(table.problems[1].what, "schedule_notes: 'splitK=x' is not splitK=N"));
}

TEST_CASE("a table of semicolons or tabs is told what separates columns") {
  const auto only_problem = [](std::string_view csv) { return read_gemms(csv, "t.csv").problems.at(0); };
  CHECK(only_problem("gpu;m;n;k;dtype_in;time_us\nA100;8;8;8;fp16;1\n").where == "t.csv:1");
  CHECK(only_problem("gpu;m;n;k\n").what == "columns are separated by commas, not by semicolons");
  CHECK(only_problem("gpu\tm\tn\n").what == "columns are separated by commas, not by tabs");
}

TEST_CASE("a column called almost like one that would be read is remarked on, and its rows are good") {
  const std::string columns = "gpu,m,n,k,dtype_in,time_us,";
  const auto remarks = [&](const std::string& more) {
    const GemmTable table = read_gemms(columns + more + "\nA100,8,8,8,fp16,1,x\n", "t.csv");
    CHECK(table.problems.empty());
    CHECK(table.rows.size() == 1);
    return table.remarks;
  };
  REQUIRE(remarks("layuot").size() == 1);
  CHECK(remarks("layuot")[0].where == "t.csv:1");
  CHECK(remarks("layuot")[0].what == "column 'layuot' is not read; did you mean 'layout'?");
  for (const std::string slip : {"layou", "llayout", "lay_out", "layowt", "tiers"}) {
    CAPTURE(slip);
    CHECK(remarks(slip).size() == 1);
  }
  for (const std::string other : {"source", "operator", "date", "tile", "time", "measured_us", "dtype_c", "notes"}) {
    CAPTURE(other);
    CHECK(remarks(other).empty());
  }
}

TEST_CASE("an unknown GPU is refused with the nearest name") {
  const std::string what = problem_of("A1000,8,8,8,1,fp16,fp32,,1,A,x").what;
  CHECK(has(what, "gpu: "));
  CHECK(has(what, "did you mean"));
  CHECK(has(problem_of(",8,8,8,1,fp16,fp32,,1,A,x").what, "gpu: is empty"));
}

TEST_CASE("the GPUs that are out of scope are known") {
  CHECK(read_gemms(header + "P100-PCIE-16GB,8,8,8,1,fp32,fp32,,1,A,x\n", "t.csv").problems.empty());
}

TEST_CASE("a row that equals another in every column is refused; the same shape measured twice is not") {
  const std::string row = "A100,8,8,8,1,fp16,fp32,,1,A,x\n";
  const GemmTable table = read_gemms(header + row + "A100,8,8,8,1,fp16,fp32,,2,A,x\n" + row, "t.csv");
  CHECK(table.rows.size() == 2);
  REQUIRE(table.problems.size() == 1);
  CHECK(table.problems[0] == Problem{"t.csv:4", "equals line 2 in every column"});
}

TEST_CASE("a table without a needed column is refused as a whole, naming each and what may be meant") {
  const GemmTable table = read_gemms("gpu,m,n,kk,dtype_in,time\nA100,8,8,8,fp16,1\n", "t.csv");
  CHECK(table.rows.empty());
  REQUIRE(table.problems.size() == 2);
  CHECK(has(table.problems[0].what, "there is no column 'k'"));
  CHECK(has(table.problems[1].what, "there is no column 'time_us'"));
  CHECK(read_gemms("gpu,m,m,n,k,dtype_in,time_us\n", "t.csv").problems.size() == 1);
  CHECK(has(read_gemms("", "t.csv").problems.at(0).what, "is empty"));
}

}  // namespace gpusim::validate_gemm_table_test
