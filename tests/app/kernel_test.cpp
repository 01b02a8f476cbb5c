// gpusim run copy, elementwise, reduce, transpose, softmax, layernorm, gemv, attention; schedule show and save of them.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "support/command.h"

namespace gpusim::kernel_test {

using gpusim::testing::Folder;
using gpusim::testing::gpusim_command;
using gpusim::testing::Said;

namespace {

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("every kernel runs, and checks itself first when it is told to") {
  const std::vector<std::string> kernels{
      "copy --kind triad --elements 5000",
      "elementwise --operation silu --gated --rows 8 --columns 64 --dtype fp16",
      "elementwise --operation add --by-row --rows 8 --columns 64 --ctas 1",
      "reduce --rows 4 --columns 500 --splits 2",
      "transpose --rows 64 --columns 40 --variant plain",
      "softmax --rows 8 --columns 100 --place shared --threads 32 --online --load-instructions 2",
      "softmax --rows 8 --columns 64 --threads 64 --twice --meeting first_warp --element-instructions 4",
      "layernorm --rows 8 --columns 64 --scalar-weights --begin-instructions 50 --store-instructions 0",
      "reduce --rows 1 --columns 5000 --splits 3 --finish last_cta --meeting halving_warps --meet-instructions 9",
      "reduce --rows 40 --columns 100 --threads 32 --rows-per-cta 8",
      "transpose --rows 300 --columns 40 --variant gathered",
      "layernorm --rows 8 --columns 128 --norm rms --residual --rows-per-cta 2 --threads 32",
      "gemv --m 3 --n 50 --k 1000 --dtype bf16 --result fp32 --columns 4 --threads 64",
      "attention --heads 2 --queries 128 --head-dim 64 --causal",
      "attention --heads 4 --kv-heads 2 --queries 1 --keys 300 --head-dim 64 --splits 2",
  };
  for (const std::string& kernel : kernels) {
    CAPTURE(kernel);
    const Said said = gpusim_command("run " + kernel + " --arch ampere --check");
    CHECK(said.code == 0);
    CHECK(says(said.out, "elements equal"));
    CHECK(said.err.empty());
  }
}

TEST_CASE("JSON says the choices that were made") {
  const Said said = gpusim_command("run softmax --arch ampere --rows 8 --columns 1024 --json -");
  REQUIRE(said.code == 0);
  const auto json = nlohmann::json::parse(said.out);
  CHECK(json["cycles"].get<std::int64_t>() > 0);
  CHECK(says(said.out, "\"threads\": \"256\""));
}

TEST_CASE("what is wrong is said by the option's name, all at once") {
  const Said said = gpusim_command("run softmax --arch ampere --columns 64 --place registers --online");
  CHECK(said.code == 1);
  CHECK(says(said.err, "--online"));
  const Said attention = gpusim_command("run attention --arch ampere --head-dim 40 --kv-heads 5");
  CHECK(says(attention.err, "--head-dim"));
  CHECK(says(attention.err, "--kv-heads"));
  CHECK(says(gpusim_command("run softmax --arch ampere --place disk").err, "unknown place 'disk'"));
  CHECK(says(gpusim_command("run reduce --arch ampere --load-instructions 5000").err, "--load-instructions"));
  CHECK(gpusim_command("run softmax --arch ampere --colums 64").code == 2);
  const Said gemv = gpusim_command("run gemv --arch ampere --m 17 --columns 3");
  CHECK(says(gemv.err, "--m: it must be 1 to 16, not 17"));
  CHECK(says(gemv.err, "--columns: it must be 1, 2, 4 or 8, not 3"));
  CHECK(says(gpusim_command("run gemv --arch ampere --n 2147483648").err, "--n: it must be 1 to 2147483647"));
}

TEST_CASE("what the GPU lacks is named, with the GPUs that have it and what would do") {
  const auto refusal = [](const std::string& options) { return gpusim_command("run attention --arch " + options).err; };
  const std::string from_ampere = "needs asynchronous copies (cp.async), which GPUs have from Ampere (sm_80) on; ";
  const std::string of_hopper = "needs warp-group multiplies (wgmma), which Hopper (sm_90) has; ";
  CHECK(refusal("t4 --queries 128") ==
        "gpusim: --variant: flash2 " + from_ampere + "with one query a sequence, mmha would do\n");
  CHECK(refusal("v100-sxm2 --queries 1 --keys 128 --variant flash2") ==
        "gpusim: --variant: flash2 " + from_ampere + "mmha would do\n");
  CHECK(refusal("ampere --queries 128 --variant flash3") ==
        "gpusim: --variant: flash3 " + of_hopper + "flash2 would do\n");
}

TEST_CASE("what a GPU has too little of is told by the option that needs less, with a value that fits") {
  struct Case {
    std::string options, refusal;
  };
  const std::vector<Case> cases{
      {"transpose --tile 128", "--tile: a CTA needs 66048 bytes of shared memory; there are 65536; 96 would do"},
      {"softmax --rows 8 --columns 65536 --place shared",
       "--place: a CTA needs 262400 bytes of shared memory; there are 65536; memory would do"},
      {"softmax --rows 8 --columns 1000000 --place shared",
       "--place: a CTA needs 4063488 bytes of shared memory: the number of columns is 1015808; it must be 1 to 65536; "
       "memory would do"},
      {"softmax --columns 100000000000 --place memory",
       "--columns: X: the buffer is larger than 2^47 bytes; 381469 would do"},
      {"layernorm --rows 1000000000 --columns 1024",
       "--rows: the buffers take 8192000008192 bytes; the GPU has 17179869184; 1953125 would do"},
      {"copy --elements 1000000000000",
       "--elements: the buffers take 8000000000000 bytes; the GPU has 17179869184; 1953125000 would do"},
      {"reduce --threads 1024 --registers 255",
       "--registers: 32 warps of 255 registers a thread need 262144 registers; an SM has 65536, 64 for each of their "
       "threads; 64 would do"},
      {"elementwise --rows 1000000000 --columns 10000000",
       "--rows: 10000000000000000 elements are more than 2^40; fewer rows, or columns, would do"},
      {"gemv --threads 1024 --registers 255",
       "--threads: 32 warps of 255 registers a thread need 262144 registers; an SM has 65536, 64 for each of their "
       "threads; 256 would do"},
      {"gemv --n 2000000000 --k 4096",
       "--n: the buffers take 16388000008192 bytes; the GPU has 17179869184; 1953125 would do"},
      {"attention --arch hopper --stages 8",
       "--stages: a CTA needs 557320 bytes of shared memory; there are 232448; 3 would do"},
      {"attention --arch ampere --queries 10000000",
       "--queries: 10000000 keys are 156250 blocks of 64 for a CTA, which has 65536 at most; 4194304 keys would do"},
  };
  for (const Case& each : cases) {
    const std::string& options = each.options;
    const std::string& refusal = each.refusal;
    CAPTURE(options);
    const std::string gpu = says(options, "--arch") ? "" : " --arch t4";
    const Said said = gpusim_command("run " + options + gpu);
    CHECK(said.code == 1);
    CHECK(said.err == "gpusim: " + refusal + "\n");
  }
}

TEST_CASE("a row is where there is room for it, unless a place is asked for") {
  const auto place = [](const std::string& run) {
    const Said said = gpusim_command("run " + run);
    CAPTURE(said.err);
    const std::size_t at = said.out.find("place=");
    return at == std::string::npos ? said.err : said.out.substr(at + 6, said.out.find(' ', at) - at - 6);
  };
  CHECK(place("softmax --arch t4 --rows 4 --columns 1000") == "registers");
  CHECK(place("softmax --arch ampere --rows 4 --columns 40000 --threads 128") == "shared");
  CHECK(place("layernorm --arch t4 --rows 4 --columns 100000") == "memory");
  CHECK(says(place("softmax --arch t4 --rows 4 --columns 100000 --place registers"), "memory would do"));
  CHECK(says(place("softmax --arch hopper --rows 4 --columns 12000 --threads 32 --place registers"),
             "--threads: 376 elements a thread do not fit its registers, which hold 233; 64 would do"));
  // Of 1024 threads each would have 236 elements; shared memory holds less than such a row.
  CHECK(says(place("softmax --arch hopper --rows 1 --columns 238000 --threads 256 --place registers"),
             "--place: 932 elements a thread do not fit its registers, which hold 233; memory would do"));
  CHECK(says(place("softmax --arch t4 --rows 0"), "--rows"));
}

TEST_CASE("where no option would do, the resource is named, never a place in a schedule that nobody wrote") {
  const Said said = gpusim_command("run softmax --arch t4 --columns 1000000 --place shared");
  CHECK(said.err ==
        "gpusim: shared memory: a CTA needs 4063488 bytes of shared memory: the number of columns is 1015808; it must "
        "be 1 to 65536\n");
}

TEST_CASE("a kernel that is none is refused with the nearest") {
  const Said said = gpusim_command("run sofmax --arch ampere");
  CHECK(said.code == 2);
  CHECK(says(said.err, "did you mean 'softmax'?"));
}

TEST_CASE("a kernel's schedule is shown, saved and replayed") {
  const Folder folder;
  const std::string file = folder / "norm.json";
  CHECK(says(gpusim_command("schedule show layernorm --arch ampere --rows 4 --columns 256").out, "SHFL.BFLY"));
  CHECK(gpusim_command("schedule save " + file + " layernorm --arch ampere --rows 4 --columns 256").code == 0);
  CHECK(gpusim_command("run " + file + " --arch ampere").code == 0);
}

TEST_CASE("a number that what it counts cannot hold is refused, not cut") {
  const Said said = gpusim_command("run attention --arch ampere --warps 4294967297");
  CHECK(said.code == 1);
  CHECK(said.err.find("--warps") != std::string::npos);
}

}  // namespace gpusim::kernel_test
