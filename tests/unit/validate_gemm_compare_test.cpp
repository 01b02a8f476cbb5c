#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>

#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"
#include "gpusim/validate.h"
#include "validate/gemm_protocol.h"
#include "validate/measured_run.h"

namespace gpusim::validate_gemm_compare_test {

using namespace gpusim::validate;

namespace {

GemmTable ten_rows() {
  std::string text = "gpu,m,n,k,dtype_in,time_us,source\n";
  for (int i = 1; i <= 10; ++i)
    text += (i % 2 == 0 ? "V100," : "A100,") + std::to_string(i) + ",8,8,fp16,1,triton-lang/triton:x\n";
  return read_gemms(text, "t.csv");
}

std::vector<std::size_t> rows_of(const GemmTable& table) { return select(table, {}).rows; }

/// Takes as many microseconds as the row has m, on the GPU it was given.
GemmOutcome by_m(const MeasuredGemm& row, const Gpu& gpu, const GemmRun&) {
  return {static_cast<double>(row.m), 1, gpu.profile().name, "", ""};
}

}  // namespace

TEST_CASE("outcomes come in the order of the rows, whatever the threads [threads]") {
  const GemmTable table = ten_rows();
  for (const int jobs : {1, 2, 7, 32}) {
    const auto outcomes = compare(table, rows_of(table), {.jobs = jobs}, by_m);
    REQUIRE(outcomes);
    REQUIRE(outcomes->size() == 10);
    for (std::size_t i = 0; i < 10; ++i) CHECK((*outcomes)[i].simulated_us == static_cast<double>(table.rows[i].m));
  }
}

TEST_CASE("a row runs on its GPU, or on the one its source says it was") {
  const GemmTable table = ten_rows();
  const auto outcomes = compare(table, rows_of(table), {}, by_m);
  CHECK((*outcomes)[0].schedule == "a100-sxm-40gb");
  CHECK((*outcomes)[1].schedule == "v100-sxm2");
}

TEST_CASE("numbers of every row's profile may be changed first") {
  const GemmTable table = ten_rows();
  const auto clock_of = [](const MeasuredGemm&, const Gpu& gpu, const GemmRun&) {
    return GemmOutcome{static_cast<double>(gpu.profile().clock.boost_mhz), 1, "", "", ""};
  };
  const auto outcomes = compare(table, rows_of(table), {.changes = {"clock.boost_mhz=1234"}}, clock_of);
  REQUIRE(outcomes);
  for (const GemmOutcome& outcome : *outcomes) CHECK(outcome.simulated_us == 1234);
  CHECK_THROWS_AS((void)compare(table, rows_of(table), {.changes = {"clock.bost_mhz=1234"}}, clock_of), ProfileError);
}

TEST_CASE("progress is told after every row [threads]") {
  const GemmTable table = ten_rows();
  std::vector<std::size_t> told;
  GemmRun run{.jobs = 3};
  run.progress = [&](std::size_t done, std::size_t of) {
    told.push_back(done);
    CHECK(of == 10);
  };
  (void)compare(table, rows_of(table), run, by_m);
  CHECK(told == std::vector<std::size_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
}

TEST_CASE("when it is stopped there are no outcomes [threads]") {
  const GemmTable table = ten_rows();
  for (const int jobs : {1, 3}) {
    std::atomic<int> rows = 0;
    GemmRun run{.jobs = jobs};
    run.stop = [&] { return rows >= 4; };
    const auto counted = [&](const MeasuredGemm& row, const Gpu& gpu, const GemmRun& how) {
      ++rows;
      return by_m(row, gpu, how);
    };
    CHECK_FALSE(compare(table, rows_of(table), run, counted));
    CHECK(rows < 4 + 2 * jobs);
  }
}

TEST_CASE("a defect is the first row's that has one, whatever the threads [threads]") {
  const GemmTable table = ten_rows();
  const auto fails = [](const MeasuredGemm& row, const Gpu&, const GemmRun&) -> GemmOutcome {
    if (row.m >= 6) throw std::logic_error("row " + std::to_string(row.m));
    return {};
  };
  for (const int jobs : {1, 4})
    CHECK_THROWS_WITH_AS((void)compare(table, rows_of(table), {.jobs = jobs}, fails), "row 6", std::logic_error);
}

TEST_CASE("sources say how they measured; of others back-to-back launches on a warm L2 are assumed") {
  CHECK(protocol_of("ai-dynamo/aiconfigurator:x").gap == Gap::graph);
  CHECK(protocol_of("microsoft/vidur:x").gap == Gap::trace);
  CHECK(protocol_of("triton-lang/triton:x").locked_mhz == 1350);
  CHECK(protocol_of("PrincetonUniversity/LLMCompass:x", "cuBLAS via PyTorch 2.0").beside_ns == 21000);
  CHECK(protocol_of("tgautam03/tGeMM:x").result == DType::fp32);
  CHECK(protocol_of("tgautam03/xGeMM:x").result == std::nullopt);
  CHECK(protocol_of("someone/else").gap == Gap::stream);
  CHECK(protocol_of("someone/else").b == L2State::warm);
  CHECK(profile_name("A100", "triton-lang/triton:x") == "a100-sxm-40gb");
  CHECK(profile_name("A100", "microsoft/vidur:x") == "a100-pcie-80gb");
  CHECK(profile_name("H100-SXM5-80GB", "microsoft/vidur:x") == "H100-SXM5-80GB");
  CHECK(profile_name("V100", "triton-lang/triton:x") == "V100");
  CHECK(profile_name("A100", "") == "A100");
}

TEST_CASE("a board that multiplies by zero runs faster under its power [long]") {
  MeasuredGemm row;
  row.m = 1136;
  row.n = 1024;
  row.k = 2048;
  row.input = DType::bf16;
  row.source = "ai-dynamo/aiconfigurator:x";
  row.library = "cuBLAS(Lt) torch linear [torch_flow] (trtllm/1.3)";
  const Gpu l40s(load_profile("l40s"));
  const GemmOutcome random = simulate(row, l40s, {.clock = RowClock::power});
  row.library = "cuBLAS(Lt) torch linear [torch.nn.functional.linear] (vllm/0.24.0)";
  const GemmOutcome zero = simulate(row, l40s, {.clock = RowClock::power});
  REQUIRE(random.refused.empty());
  CHECK(zero.clock_mhz > random.clock_mhz);
  CHECK(zero.simulated_us < random.simulated_us);
}

TEST_CASE("a wave that stands for the rest runs at the clock that power leaves [long]") {
  MeasuredGemm row;
  row.m = row.n = 4096;
  row.k = 256;
  row.input = DType::fp32;
  row.layout = "NN row-major";
  row.schedule_notes = "kernel=volta_sgemm_128x128_nn grid=32x32x1 block=256 cta_tile=128x128x8";
  const Gpu t4(load_profile("t4"));
  const GemmOutcome left = simulate(row, t4, {.clock = RowClock::power, .waves = true});
  REQUIRE(left.refused.empty());
  CHECK(left.clock_mhz < 0.9 * static_cast<double>(t4.profile().clock.boost_mhz));
  const GemmOutcome there = simulate(row, t4, {.clock = RowClock::fixed, .clock_mhz = left.clock_mhz, .waves = true});
  CHECK(left.schedule == there.schedule);
  // A run at a clock up to 5 % off may have told it.
  CHECK(left.simulated_us.value() == doctest::Approx(there.simulated_us.value()).epsilon(0.02));
}

TEST_CASE("DeepBench's whole numbers are all zero, and nothing that moves them switches much") {
  const Gpu t4(load_profile("t4"));
  const GemmProtocol& protocol = protocol_of("baidu-research/DeepBench:x");
  const PowerSpec usual = *t4.profile().power;
  const PowerSpec zeros = *as_measured(t4, protocol, DType::int8).profile().power;
  const auto share = [&](std::int64_t PowerSpec::*energy) {
    return static_cast<double>(zeros.*energy) / static_cast<double>(usual.*energy);
  };
  CHECK(share(&PowerSpec::tensor_fma_fj) == doctest::Approx(0.2).epsilon(0.01));
  for (const auto energy : {&PowerSpec::shared_byte_fj, &PowerSpec::l2_byte_fj, &PowerSpec::dram_byte_fj})
    CHECK(share(energy) == doctest::Approx(0.47).epsilon(0.01));
  CHECK(zeros.fma_pj == 0);
  CHECK(zeros.instruction_pj == usual.instruction_pj);
  CHECK(as_measured(t4, protocol, DType::fp16).profile().power->fma_pj == usual.fma_pj);
}

TEST_CASE(
    "where one operand is zero, a multiply-add keeps more of its energy than where both are, and moving all of it") {
  const Gpu l40s(load_profile("l40s"));
  GemmProtocol protocol;
  protocol.zero_weights = true;
  const PowerSpec usual = *l40s.profile().power;
  const PowerSpec one = *as_measured(l40s, protocol, DType::bf16).profile().power;
  protocol.zeros_of = DType::bf16;
  const PowerSpec both = *as_measured(l40s, protocol, DType::bf16).profile().power;
  CHECK(both.tensor_fma_fj < one.tensor_fma_fj);
  CHECK(one.tensor_fma_fj < usual.tensor_fma_fj);
  CHECK(one.dram_byte_fj == usual.dram_byte_fj);
  CHECK(both.dram_byte_fj < usual.dram_byte_fj);
}

TEST_CASE("DeepBench's T4 had no check bytes in line, others' had, and what --set says counts [long]") {
  // 64 MiB of A, by columns: what DRAM takes for it.
  const auto us = [](const std::string& source, const GemmRun& run) {
    const GemmTable table = read_gemms(
        "gpu,m,n,k,dtype_in,dtype_acc,layout,time_us,source\nT4,8192,16,4096,fp16,fp32,op(A)=N op(B)=N col-major,300," +
            source + "\n",
        "t.csv");
    REQUIRE(table.problems.empty());
    const auto outcomes = compare(table, {0}, run);
    REQUIRE(outcomes);
    return (*outcomes)[0].simulated_us.value();
  };
  GemmRun as_it_was;
  as_it_was.clock = RowClock::fixed;
  as_it_was.clock_mhz = 1590;
  GemmRun changed = as_it_was;
  changed.changes = {"dram.ecc_percent=12"};
  const double without = us("baidu-research/DeepBench:x", as_it_was);
  CHECK(us("baidu-research/DeepBench:x", changed) > 1.05 * without);
  changed.changes = {"dram.ecc_percent=0"};
  const double of_others = us("somebody:x", as_it_was);
  CHECK(us("somebody:x", changed) < of_others / 1.05);
}

TEST_CASE("fp8 without a layout has k along the rows of both operands") {
  MeasuredGemm row;
  row.m = row.n = row.k = 256;
  row.input = DType::fp8;
  const GemmOutcome outcome = simulate(row, Gpu(load_profile("h100-sxm")), {.clock = RowClock::boost});
  CHECK(outcome.refused.empty());
  CHECK(outcome.schedule.starts_with("wgmma"));
}

}  // namespace gpusim::validate_gemm_compare_test
