// Sources that clear L2 before each repeat leave it full, and a part of it yet to be written.
#include <doctest/doctest.h>

#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"
#include "gpusim/validate.h"
#include "gpusim/validate_kernels.h"
#include "support/measured_rows.h"
#include "validate/gemm_choice.h"
#include "validate/gemm_protocol.h"
#include "validate/kernel_choice.h"
#include "validate/measured_run.h"

namespace gpusim::validate_cleared_test {

using namespace gpusim::validate;

namespace {

constexpr const char* triton = "triton-lang/triton:x";
constexpr std::int64_t locked_mhz = 1350;

double us_of_cold(const std::vector<Schedule>& kernels, const Gpu& gpu, CodeState code) {
  RunOptions options;
  options.clock_mhz = locked_mhz;
  options.code = code;
  return time_us(gpu.run(kernels, options));
}

}  // namespace

TEST_CASE("a product of a source that clears L2 has what cleared it written first") {
  const Gpu gpu(load_profile("a100-sxm-40gb"));
  const MeasuredGemm row = testing::measured_gemm(16, 4096, 4096, DType::fp16, triton);
  const GemmProtocol protocol = protocol_of(row, row.library, row.input);
  REQUIRE(dirty_percent_at_begin(protocol, gpu.profile()) > 50);
  const GemmOutcome outcome = simulate(row, gpu, {});
  REQUIRE(outcome.simulated_us);
  const GemmKernels chosen = kernels_of(row, gpu, {}, protocol.kernels, {});
  CHECK(*outcome.simulated_us > 1.2 * us_of_cold(chosen.kernels, gpu, protocol.code));
}

TEST_CASE("so has another kernel, and none whose source runs it again and again") {
  const Gpu gpu(load_profile("a100-sxm-40gb"));
  const auto first = [](const std::string& source) {
    return read_kernels("gpu,op,shape,dtype,time_us,source\nA100,add(Triton),4194304,fp16,26.7," + source + "\n",
                        "t.csv")
        .rows.at(0);
  };
  const MeasuredKernel cleared = first(triton);
  const MeasuredKernel warm = first("somebody:x");
  const auto us = [&](const MeasuredKernel& row) {
    return *simulate(row, gpu, RowRun{.clock = RowClock::fixed, .clock_mhz = locked_mhz}).simulated_us;
  };
  const double cold = us_of_cold(kernels_of(cleared, gpu.profile()).kernels, gpu, CodeState::warm);
  CHECK(us(cleared) > 1.5 * cold);
  CHECK(us(warm) < cold);
  CHECK(dirty_percent_at_begin(protocol_of(warm, warm.name, warm.input), gpu.profile()) == 0);
}

}  // namespace gpusim::validate_cleared_test
