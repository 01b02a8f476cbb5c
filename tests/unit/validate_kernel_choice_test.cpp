// Which kernels a measured row is simulated with.
#include <doctest/doctest.h>

#include "gpusim/profile_io.h"
#include "gpusim/validate_kernels.h"
#include "validate/kernel_choice.h"

namespace gpusim::validate_kernel_choice_test {

using namespace gpusim::validate;

namespace {

ChosenKernels chosen(const std::string& op, const std::string& shape, const std::string& dtype = "fp32") {
  const KernelTable table =
      read_kernels("gpu,op,shape,dtype,time_us\nA100,\"" + op + "\"," + shape + "," + dtype + ",10\n", "t.csv");
  REQUIRE(table.rows.size() == 1);
  return kernels_of(table.rows.front(), load_profile("A100"));
}

int threads(const Schedule& schedule) { return 32 * schedule.roles.front().warps; }

}  // namespace

TEST_CASE("PyTorch's elementwise kernels have 128 threads with four elements each, whatever the rows") {
  const ChosenKernels kernels = chosen("add(torch)", "100x512");
  REQUIRE(kernels.kernels.size() == 1);
  CHECK(threads(kernels.kernels.front()) == 128);
  CHECK(cta_count(kernels.kernels.front()) == 100);
  CHECK(kernels.description.find(", as PyTorch") != std::string::npos);
}

TEST_CASE("PyTorch's softmax has a warp a row up to 1024 columns, and beyond half a thread for 16 bytes") {
  CHECK(cta_count(chosen("softmax(torch)", "4096x1024").kernels.front()) == 4096 / 4);
  CHECK(threads(chosen("softmax(torch)", "64x2048").kernels.front()) == 2048 / 4 / 2);
  CHECK(threads(chosen("softmax(torch)", "64x65536").kernels.front()) == 512);
}

TEST_CASE("Triton's rows are in the registers of one CTA") {
  CHECK(cta_count(chosen("softmax(triton)", "64x4096").kernels.front()) == 64);
  CHECK(threads(chosen("rms_norm fwd (liger)", "64x8192").kernels.front()) == 512);
}

TEST_CASE("TensorRT-LLM prepares queries, keys and values before attention") {
  const ChosenKernels kernels = chosen("attention_prefill_causal(TRT-LLM)", "b1 s128 h4 kvh2 d64", "bf16");
  REQUIRE(kernels.kernels.size() == 2);
  CHECK(kernels.kernels.front().buffers.front().name == "QKV");
  CHECK(kernels.kernels.front().buffers.front().columns == 128 * (4 + 2 * 2) * 64);
}

TEST_CASE("what has no schedule is refused by name") {
  const auto why = [](const std::string& op) {
    try {
      (void)chosen(op, "8x8");
    } catch (const ScheduleError& error) {
      return error.problems().front().what;
    }
    return std::string();
  };
  CHECK(why("rope fwd (liger)") == "no schedule does 'rope'");
  CHECK(why("reduce_sum reduce0") == "how 'reduce0' works is not stated");
}

}  // namespace gpusim::validate_kernel_choice_test
