// Which kernels a measured row is simulated with.
#include <doctest/doctest.h>

#include "gpusim/profile_io.h"
#include "gpusim/validate_kernels.h"
#include "validate/kernel_choice.h"
#include "validate/kernel_library.h"

namespace gpusim::validate_kernel_choice_test {

using namespace gpusim::validate;

namespace {

ChosenKernels chosen(const std::string& op, const std::string& shape, const std::string& dtype = "fp32",
                     const std::string& gpu = "A100") {
  const KernelTable table =
      read_kernels("gpu,op,shape,dtype,time_us\n" + gpu + ",\"" + op + "\"," + shape + "," + dtype + ",10\n", "t.csv");
  REQUIRE(table.rows.size() == 1);
  return kernels_of(table.rows.front(), load_profile(gpu));
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

TEST_CASE("PyTorch's elementwise kernels have eight elements a thread from 2.7 on, in accesses of 16 bytes") {
  for (const char* dtype : {"fp32", "bf16"}) {
    CAPTURE(dtype);
    const Schedule kernel = chosen("add(torch2.11.0)", "100x1024", dtype).kernels.front();
    CHECK(threads(kernel) == 128);
    CHECK(cta_count(kernel) == 100);
  }
  // A thread of a copy has two loads and stores of four numbers, or one of eight.
  const auto instructions = [](const std::string& dtype) {
    return warp_instructions(chosen("copy(torch2.11.0)", "100x1024", dtype).kernels.front());
  };
  CHECK(instructions("fp32") > instructions("bf16"));
  CHECK(cta_count(chosen("relu_squared(vllm)", "100x512").kernels.front()) == 100);  // as PyTorch's, unnamed
  CHECK(cta_count(chosen("relu_squared(torch2.11.0)", "100x1024").kernels.front()) == 100);
  CHECK(chosen("add(torch2.11.0)", "100x1024").description.find(", as PyTorch from 2.7 on") != std::string::npos);
}

TEST_CASE(
    "PyTorch's softmax has a warp a row up to 1024 columns, and beyond as few rows an SM as 1024 threads each let") {
  CHECK(cta_count(chosen("softmax(torch)", "4096x1024").kernels.front()) == 4096 / 4);
  const auto ctas_an_sm = [](const std::string& columns) {
    return occupancy(chosen("softmax(torch)", "64x" + columns).kernels.front(), load_profile("A100")).ctas;
  };
  CHECK(threads(chosen("softmax(torch)", "64x2048").kernels.front()) == 2048 / 4);  // the others have nothing to do
  CHECK(ctas_an_sm("2048") == 2);
  CHECK(threads(chosen("softmax(torch)", "64x2050").kernels.front()) == 1024);
  CHECK(ctas_an_sm("2050") == 2);
  CHECK(threads(chosen("softmax(torch)", "64x65536").kernels.front()) == 1024);
}

TEST_CASE("a version of PyTorch is a whole number") {
  for (const char* old : {"torch2.1", "torch2.1.0", "PyTorch2.3+cu121"}) {
    CAPTURE(old);
    CHECK(kernel_library(old, "") == KernelLibrary::pytorch_2_3);
  }
  for (const char* later : {"torch2.6", "torch2.4", "torch", "torch2.x"}) {
    CAPTURE(later);
    CHECK(kernel_library(later, "") == KernelLibrary::pytorch);
  }
  for (const char* latest : {"torch2.7", "torch2.10", "torch2.11.0", "torch2.20"}) {
    CAPTURE(latest);
    CHECK(kernel_library(latest, "") == KernelLibrary::pytorch_2_7);
  }
  CHECK(kernel_library("vllm0.4", "") == KernelLibrary::vllm);
}

TEST_CASE("PyTorch's softmax before 2.4 has half as many threads as a long row has vectors") {
  for (const char* library : {"torch2.1", "LLMCompass"}) {
    CAPTURE(library);
    const auto kernel = [&](const std::string& columns, const std::string& dtype = "fp32") {
      return chosen("softmax(" + std::string(library) + ")", "64x" + columns, dtype).kernels.front();
    };
    CHECK(threads(kernel("1024")) == 128);  // a warp a row, as later
    CHECK(threads(kernel("1600")) == 256);
    CHECK(threads(kernel("2048")) == 256);
    CHECK(threads(kernel("2056")) == 512);
    CHECK(threads(kernel("65536")) == 512);
    CHECK(threads(kernel("4096", "fp16")) == 256);
  }
}

TEST_CASE("the steps of Harris' reduction are a CTA of 256 threads for each 256 or 512 elements") {
  for (const char* step : {"reduce0", "reduce1", "reduce2"})
    CHECK(cta_count(chosen("reduce_sum " + std::string(step), "33554432").kernels.front()) == 33554432 / 256);
  CHECK(cta_count(chosen("reduce_sum reduce3", "33554432").kernels.front()) == 33554432 / 512);
  CHECK(threads(chosen("reduce_sum reduce3", "33554432").kernels.front()) == 256);
}

TEST_CASE("Triton's rows are in the registers of one CTA") {
  CHECK(cta_count(chosen("softmax(triton)", "64x4096").kernels.front()) == 64);
  CHECK(threads(chosen("rms_norm fwd (liger)", "64x8192").kernels.front()) == 512);
}

TEST_CASE("what PyTorch squares or adds apart has a kernel of its own") {
  CHECK(chosen("relu_squared fwd (torch)", "64x4096").kernels.size() == 2);
  CHECK(chosen("relu_squared fwd (huggingface)", "64x4096").kernels.size() == 2);
  CHECK(chosen("relu_squared fwd (liger)", "64x4096").kernels.size() == 1);
  CHECK(chosen("fused_add_rms_norm fwd (Liger_RMS_Norm)", "64x4096").kernels.size() == 2);
  CHECK(chosen("fused_add_rms_norm fwd (liger_rms_norm)", "64x4096").kernels.size() == 2);
  CHECK(chosen("fused_add_rms_norm fwd (liger_fused_add_rms_norm)", "64x4096").kernels.size() == 1);
}

TEST_CASE("TensorRT-LLM counts tokens and prepares queries, keys and values before a context's attention") {
  for (const int queries : {1, 128}) {
    CAPTURE(queries);
    const ChosenKernels kernels =
        chosen("attention_prefill_causal(TRT-LLM)", "b1 s" + std::to_string(queries) + " h4 kvh2 d64", "bf16");
    REQUIRE(kernels.kernels.size() == 3);
    CHECK(kernels.kernels[0].buffers.front().columns == queries);
    CHECK(kernels.kernels[1].buffers.front().name == "QKV");
    CHECK(kernels.kernels[1].buffers.front().rows == queries);
    CHECK(kernels.kernels[1].buffers.front().columns == (4 + 2 * 2) * 64);
  }
}

TEST_CASE("TensorRT-LLM's context has the tiles that its GPU has shared memory for") {
  const auto ctas = [](const std::string& gpu, const std::string& shape) {
    return cta_count(chosen("attention_prefill_causal(TRT-LLM)", shape, "bf16", gpu).kernels.back());
  };
  CHECK(ctas("A100", "b1 s1024 h1 kvh1 d64") == 1024 / 128);
  CHECK(ctas("A100", "b1 s1024 h1 kvh1 d128") == 1024 / 64);
  CHECK(ctas("H100", "b1 s1024 h1 kvh1 d128") == 1024 / 128);
  CHECK(shared_bytes(
            chosen("attention_prefill_causal(TRT-LLM)", "b1 s1024 h1 kvh1 d256", "bf16", "L40S").kernels.back()) <
        shared_bytes(
            chosen("attention_prefill_causal(TRT-LLM)", "b1 s1024 h1 kvh1 d256", "bf16", "A100").kernels.back()));
}

TEST_CASE("a tile for which a CTA has too little shared memory is not TensorRT-LLM's, though an SM has enough") {
  CHECK(chosen("attention_prefill_causal(TRT-LLM)", "b1 s256 h4 kvh4 d160", "bf16", "L40S").kernels.size() == 3);
}

TEST_CASE("TensorRT-LLM's decode takes up to 32 heads that share keys together, else has a CTA a head") {
  const auto kernels = [](const std::string& shape) {
    return chosen("attention_decode(TRT-LLM)", shape + " d128", "bf16").kernels;
  };
  REQUIRE(kernels("b512 s1024 h32 kvh1").size() == 2);  // queries and keys are turned before
  CHECK(kernels("b512 s1024 h32 kvh1")[1].roles.size() == 2);
  CHECK(cta_count(kernels("b512 s1024 h32 kvh1")[1]) == 512);
  REQUIRE(kernels("b512 s1024 h64 kvh1").size() == 1);
  CHECK(cta_count(kernels("b512 s1024 h64 kvh1")[0]) == 512 * 64);
  CHECK(cta_count(kernels("b512 s1024 h4 kvh4")[0]) == 512 * 4);
  // Fewer CTAs than a quarter of the SMs, one for 128 keys, are not taken together.
  CHECK(kernels("b26 s128 h8 kvh1").size() == 1);
  CHECK(kernels("b27 s128 h8 kvh1").size() == 2);
}

TEST_CASE("the new token's key is one more than the cache has") {
  CHECK(chosen("attention_decode(TRT-LLM)", "b512 s1024 h4 kvh4 d128", "bf16").kernels[0].buffers[1].rows == 1025);
}

TEST_CASE("PyTorch's sums share rows out to lanes, warps and CTAs by how long and how many they are") {
  const auto reduced = [](const std::string& op, const std::string& shape, const std::string& dtype = "fp32") {
    return chosen(op + "(torch2.11.0)", shape, dtype, "H100-SXM5-80GB").kernels;
  };
  const auto rows = reduced("rowsum", "65536x4096");
  REQUIRE(rows.size() == 1);
  CHECK(threads(rows[0]) == 512);
  CHECK(cta_count(rows[0]) == 65536 / 16);  // a warp a row
  CHECK(cta_count(reduced("rowsum", "64x16384")[0]) == 64);
  CHECK(cta_count(reduced("rowsum", "8x64")[0]) == 1);  // fewer rows than a CTA has warps
  // All of them: four CTAs of 512 threads an SM, or fewer with 16 elements a thread, or more with 256.
  const auto whole = reduced("sum", "4096x4096");
  REQUIRE(whole.size() == 2);  // what counts CTAs is cleared first
  CHECK(cta_count(whole[1]) == 528);
  CHECK(cta_count(reduced("sum", "256x1024")[1]) == 32);
  CHECK(cta_count(reduced("sum", "65536x4096")[1]) == 2048);
  CHECK(reduced("sum", "16x1024").size() == 1);
  // Of other libraries sums are those of rows.
  CHECK(chosen("sum(triton)", "64x4096").kernels[0].name == "sum 64x4096 fp32");
}

TEST_CASE("PyTorch transposes by a copy of strided tensors, two or four elements a thread") {
  CHECK(cta_count(chosen("transpose(torch2.11.0)", "1024x64").kernels[0]) == 1024 / 256 * 64);
  CHECK(cta_count(chosen("transpose(torch2.11.0)", "1024x64", "bf16").kernels[0]) == 1024 / 512 * 64);
  CHECK(chosen("transpose(emmy)", "1024x64").kernels[0].name == "transpose 1024x64 fp32 padded");
}

TEST_CASE("PyTorch's softmax from 2.7 on: a warp up to 2048 columns, registers of 1024 threads, then as before") {
  const auto softmax = [](const std::string& columns, const std::string& dtype = "fp32") {
    return chosen("softmax(torch2.11.0)", "64x" + columns, dtype).kernels.front();
  };
  const auto place = [&](const std::string& columns, const std::string& dtype) {
    return softmax(columns, dtype).choices.front().second;
  };
  CHECK(cta_count(softmax("2048")) == 64 / 4);
  CHECK(cta_count(softmax("2049")) == 64);
  CHECK(threads(softmax("2049")) == 1024);
  CHECK(place("9216", "fp32") == "registers");
  CHECK(place("9220", "fp32") == "shared");
  CHECK(place("16384", "fp32") == "memory");
  CHECK(place("16384", "bf16") == "shared");
}

TEST_CASE("FlashAttention-2 is asked for by its name where its GPU has a newer one") {
  const auto attention = [](const std::string& library) {
    return chosen("attention(" + library + ")", "b1 s1024 h16 kvh16 d128", "bf16", "H100-SXM5-80GB").kernels.front();
  };
  const auto variant = [&](const std::string& library) { return attention(library).choices.front().second; };
  CHECK(variant("flash2") == "flash2");
  CHECK(variant("cudnn") == "flash3");
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
}

}  // namespace gpusim::validate_kernel_choice_test
