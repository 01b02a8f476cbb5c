// What rows say of how they were measured.
#include <doctest/doctest.h>

#include <string>

#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"
#include "gpusim/validate.h"
#include "gpusim/validate_kernels.h"
#include "validate/gemm_protocol.h"

namespace gpusim::validate_conditions_test {

using namespace gpusim::validate;
using validate::simulate;

namespace {

const std::string header = "gpu,m,n,k,dtype_in,time_us,measured_mhz,launch,l2,data\n";

MeasuredGemm row_of(const std::string& conditions) {
  const GemmTable table = read_gemms(header + "H200,512,512,512,bf16,4," + conditions + "\n", "t.csv");
  REQUIRE(table.rows.size() == 1);
  return table.rows[0];
}

std::string problem_of(const std::string& conditions) {
  const GemmTable table = read_gemms(header + "H200,512,512,512,bf16,4," + conditions + "\n", "t.csv");
  REQUIRE(table.problems.size() == 1);
  return table.problems[0].what;
}

GemmOutcome outcome_of(const std::string& conditions, const GemmRun& run = {}) {
  const MeasuredGemm row = row_of(conditions);
  return simulate(row, Gpu(load_profile("H200")), run);
}

}  // namespace

TEST_CASE("a row's own conditions are read") {
  const MeasuredConditions all = row_of("1337,graph,cold,zeros").conditions;
  CHECK(all.clock_mhz == 1337);
  CHECK(all.gap == Gap::graph);
  CHECK(all.l2 == L2State::cold);
  CHECK(all.data == OperandData::zeros);
  const MeasuredConditions none = row_of(",,,").conditions;
  CHECK_FALSE(none.clock_mhz);
  CHECK_FALSE(none.gap);
  CHECK_FALSE(none.l2);
  CHECK_FALSE(none.data);
  CHECK(row_of(",,,random").conditions.data == OperandData::random);
}

TEST_CASE("conditions that cannot be read make a bad row, with the nearest word") {
  CHECK(problem_of("fast,,,") == "measured_mhz: 'fast' is not a number");
  for (const std::string mhz : {"1e9", "0.5", "1e-9"})
    CHECK(problem_of(mhz + ",,,") == "measured_mhz: '" + mhz + "' is not between 1 and 100000");
  CHECK(problem_of(",grahp,,") == "launch: 'grahp' is none of trace, stream, graph; did you mean 'graph'?");
  CHECK(problem_of(",,wram,") == "l2: 'wram' is none of cold, warm; did you mean 'warm'?");
  CHECK(problem_of(",,,zero") == "data: 'zero' is none of random, zeros; did you mean 'zeros'?");
}

TEST_CASE("other tables of measured times have the same columns") {
  const KernelTable table =
      read_kernels("gpu,op,shape,dtype,time_us,measured_mhz,launch\nH200,relu,64x64,fp32,2,1700,graph\n", "t.csv");
  REQUIRE(table.rows.size() == 1);
  CHECK(table.rows[0].conditions.clock_mhz == 1700);
  CHECK(table.rows[0].conditions.gap == Gap::graph);
}

TEST_CASE("what a row says goes before what its source does") {
  MeasuredGemm row = row_of("1337,stream,cold,zeros");
  row.source = "ai-dynamo/aiconfigurator:x";
  const GemmProtocol told = protocol_of(row, "cuBLAS", row.input);
  CHECK(told.locked_mhz == 1337);
  CHECK(told.gap == Gap::stream);
  CHECK(told.a == L2State::cold);
  CHECK(told.b == L2State::cold);
  CHECK(told.copies == 0);
  CHECK(told.zeros_of == DType::bf16);
  row.conditions = {};
  row.conditions.data = OperandData::random;
  row.source = "baidu-research/DeepBench:x";
  row.input = DType::int8;
  REQUIRE(protocol_of(row.source).zeros_of == DType::int8);
  CHECK_FALSE(protocol_of(row, "cuBLAS", row.input).zeros_of);
  row.source = "ai-dynamo/aiconfigurator:x";
  row.input = DType::bf16;
  REQUIRE(protocol_of(row.source, "cuBLAS(Lt) torch linear [torch.nn.functional").zero_weights);
  CHECK_FALSE(protocol_of(row, "cuBLAS(Lt) torch linear [torch.nn.functional", row.input).zero_weights);
  row.conditions = {};
  const GemmProtocol usual = protocol_of(row, "cuBLAS", row.input);
  CHECK_FALSE(usual.locked_mhz);
  CHECK(usual.gap == Gap::graph);
  CHECK_FALSE(usual.zeros_of);
}

TEST_CASE("each condition decides the time, and --clock goes before the row's [long]") {
  const GemmOutcome warm = outcome_of("1600,graph,warm,");
  GemmRun fixed;
  fixed.clock = GemmClock::fixed;
  fixed.clock_mhz = 1700;
  CHECK(warm.clock_mhz == 1600);
  CHECK(*outcome_of("1600,graph,cold,").simulated_us > *warm.simulated_us);
  CHECK(*outcome_of("1600,stream,warm,").simulated_us > *warm.simulated_us);
  CHECK(*outcome_of("1200,graph,warm,").simulated_us > *warm.simulated_us);
  CHECK(outcome_of("1600,graph,warm,", fixed).clock_mhz == 1700);
}

}  // namespace gpusim::validate_conditions_test
