// gpusim run copy, elementwise, reduce, transpose, softmax, layernorm, attention; schedule show and save of them.
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
}

TEST_CASE("what the GPU lacks is named, with the GPUs that have it and what would do") {
  const auto refusal = [](const std::string& options) { return gpusim_command("run attention --arch " + options).err; };
  const std::string from_ampere = "needs asynchronous copies (cp.async), which GPUs have from Ampere (sm_80) on; ";
  const std::string of_hopper = "needs warp-group multiplies (wgmma), which Hopper (sm_90) has; ";
  CHECK(refusal("t4 --queries 128") ==
        "gpusim: --variant: flash2 " + from_ampere + "with one query a sequence, mmha would do\n");
  CHECK(refusal("v100-sxm2 --queries 1 --keys 128") == "gpusim: --variant: flash2 " + from_ampere + "mmha would do\n");
  CHECK(refusal("ampere --queries 128 --variant flash3") ==
        "gpusim: --variant: flash3 " + of_hopper + "flash2 would do\n");
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
