// Tables of measured kernels: what their texts mean, and which rows cannot be read.
#include <doctest/doctest.h>

#include "gpusim/validate_kernels.h"

namespace gpusim::validate_kernel_table_test {

using namespace gpusim::validate;

namespace {

const std::string header = "gpu,op,shape,dtype,time_us,source\n";

KernelTable table_of(const std::string& rows) { return read_kernels(header + rows, "t.csv"); }

/// The only row, which can be read.
MeasuredKernel row_of(const std::string& op, const std::string& shape, const std::string& dtype = "fp32") {
  const KernelTable table = table_of("V100,\"" + op + "\",\"" + shape + "\"," + dtype + ",10,\n");
  REQUIRE(table.problems.empty());
  REQUIRE(table.rows.size() == 1);
  return table.rows.front();
}

/// What is wrong with the only row.
std::string problem_of(const std::string& row) {
  const KernelTable table = table_of(row + "\n");
  REQUIRE(table.problems.size() == 1);
  CHECK(table.problems.front().where == "t.csv:2");
  return table.problems.front().what;
}

}  // namespace

TEST_CASE("an op is a kernel's name and who wrote it") {
  const auto apart = [](const std::string& op) {
    const MeasuredKernel row = row_of(op, "8x8");
    return row.name + "|" + row.library + "|" + row.kernel;
  };
  CHECK(apart("add(fwd,torch2.1)") == "add|torch2.1|elementwise");
  CHECK(apart("softmax fwd (liger)") == "softmax|liger|softmax");
  CHECK(apart("Softmax") == "softmax||softmax");
  CHECK(apart("rms_norm(Emmy codegen)") == "rms_norm|Emmy codegen|rmsnorm");
  CHECK(apart("mlp_act(SiluAndMul)") == "mlp_act(siluandmul)||elementwise");
  CHECK(apart("reduce_sum 2^30 (cub)") == "reduce_sum|cub|reduce");
  CHECK(apart("reduce_sum reduce6") == "reduce_sum|reduce6|reduce");
  CHECK(apart("rope fwd (huggingface)") == "rope|huggingface|rope");
}

TEST_CASE("shapes are rows and columns, one row, or named numbers") {
  const auto sizes = [](const std::string& op, const std::string& shape) {
    const KernelShape read = row_of(op, shape).shape;
    return std::pair{read.rows, read.columns};
  };
  CHECK(sizes("relu", "16384x1280") == std::pair<std::int64_t, std::int64_t>{16384, 1280});
  CHECK(sizes("copy", "65536") == std::pair<std::int64_t, std::int64_t>{1, 65536});
  CHECK(sizes("softmax", "N=256 {M: 2048, dtype: torch.bfloat16}") == std::pair<std::int64_t, std::int64_t>{2048, 256});
  CHECK(sizes("rms_norm", "H=1024 {S: 4096, B: 2, eps: 1e-06}") == std::pair<std::int64_t, std::int64_t>{8192, 1024});
}

TEST_CASE("attention has batch, length, heads and the head's elements; decode has one query") {
  const KernelShape prefill =
      row_of("attention_prefill_causal(TRT-LLM)", "b4 s64 h8 kvh1 d128 (causal TFLOPS=1.9)").shape;
  CHECK(prefill.batch == 4);
  CHECK(prefill.queries == 64);
  CHECK(prefill.keys == 64);
  CHECK(prefill.heads == 8);
  CHECK(prefill.kv_heads == 1);
  CHECK(prefill.head_dim == 128);
  const KernelShape decode = row_of("attention_decode", "b2 kvlen4096 h32 d64").shape;
  CHECK(decode.queries == 1);
  CHECK(decode.keys == 4096);
  CHECK(decode.kv_heads == 32);
}

TEST_CASE("types may be spelt out, and the result's may differ") {
  CHECK(row_of("relu", "8x8", "bfloat16").dtype == "bf16");
  const MeasuredKernel cast = row_of("cast", "8x8", "bf16->fp8");
  CHECK(*cast.input == DType::bf16);
  CHECK(cast.result == DType::fp8);
  CHECK_FALSE(row_of("relu", "8x8", "?").input);
}

TEST_CASE("a row that cannot be read says what is wrong") {
  CHECK(problem_of("V100,sofmax,8x8,fp32,1,") == "op: unknown kernel 'sofmax'; did you mean 'softmax'?");
  CHECK(problem_of("V100,softmax,8by8,fp32,1,") == "shape: '8by8' is no rows x columns such as 4096x1024");
  CHECK(problem_of("V100,decode,b1 h8 d64,fp16,1,").find("has no kvlen") != std::string::npos);
  CHECK(problem_of("V100,softmax,8x8,fp33,1,").find("did you mean 'fp32'?") != std::string::npos);
  CHECK(problem_of("V100,softmax,8x8,fp32,,") == "time_us: '' is not a number");
  CHECK(problem_of("V1000,softmax,8x8,fp32,1,").find("gpu: ") == 0);
}

TEST_CASE("a column that is missing is named with the nearest") {
  const KernelTable table = read_kernels("gpu,op,shapes,dtype,time_us\nV100,relu,8x8,fp32,1\n", "t.csv");
  REQUIRE(table.problems.size() == 1);
  CHECK(table.problems.front().what == "there is no column 'shape'; is it 'shapes'?");
  const auto missing = [](const std::string& header) { return read_kernels(header, "t.csv").problems.at(0).what; };
  CHECK(missing("gpu,op,shape,dtype,tme_us\n") == "there is no column 'time_us'; is it 'tme_us'?");
  // Whoever renamed another unit's column would be a thousand times off.
  CHECK(missing("gpu,op,shape,dtype,time_ms\n") == "there is no column 'time_us'");
}

}  // namespace gpusim::validate_kernel_table_test
