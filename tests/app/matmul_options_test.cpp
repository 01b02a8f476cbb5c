// Every choice of a matrix product is an option, and every option reaches the schedule.
#include <doctest/doctest.h>

#include <cctype>

#include <string>
#include <vector>

#include "support/command.h"

namespace gpusim::matmul_options_test {

using gpusim::testing::gpusim_command;
using gpusim::testing::has;
using gpusim::testing::Said;

namespace {

/// Digests of the product's schedules, which have no part in it that only tells of the choices.
std::string schedules(const std::string& arguments) {
  const Said said = gpusim_command("run matmul --max-cycles 1 --json - " + arguments);
  CAPTURE(said.err);
  CHECK(said.code == 0);
  std::string digests;
  for (std::size_t at = said.out.find("\"schedule_digest\""); at != std::string::npos;
       at = said.out.find("\"schedule_digest\"", at + 1))
    digests += said.out.substr(at, said.out.find('\n', at) - at);
  CHECK_FALSE(digests.empty());
  return digests;
}

/// Each of `options` changes the schedule of `base`.
void each_changes(const std::string& base, const std::vector<std::string>& options) {
  const std::string without = schedules(base);
  for (const std::string& option : options) {
    CAPTURE(option);
    CHECK(schedules(base + " " + option) != without);
  }
}

void refuses(const std::string& option, const std::string& part) {
  CAPTURE(option);
  const Said said = gpusim_command("run matmul --arch ada --m 64 --n 64 --k 64 --tile 64 " + option);
  CAPTURE(said.err);
  CHECK(said.code == 1);
  CHECK(said.out.empty());
  CHECK(has(said.err, part));
}

}  // namespace

TEST_CASE("of the product") {
  each_changes("--arch ada --m 128 --n 128 --k 64 --tile 64x64x32 --schedule async",
               {"--layout nt", "--layout tn", "--layout tt", "--batch 2", "--batch-interleave 2", "--bias",
                "--activation relu", "--alpha 2", "--beta 1", "--sparse", "--dtype bf16", "--accumulate fp16"});
}

TEST_CASE("of the threads") {
  each_changes("--arch ada --dtype fp32 --m 128 --n 128 --k 64 --tile 64x64x16 --schedule simt",
               {"--warp-tile 16x32",
                "--thread-tile 2x8",
                "--cta-slices 2",
                "--order-m contiguous",
                "--order-n strided",
                "--fragment-k 8",
                "--registers 200",
                "--vector-a 1",
                "--vector-b 2",
                "--read-a 1",
                "--read-b 1",
                "--shared-a plain",
                "--shared-b padded",
                "--index-overhead 8",
                "--whole-lines yes",
                "--transpose-a",
                "--stage-a no",
                "--stage-b no",
                "--prefetch",
                "--through-local yes",
                "--stages 2",
                "--double-buffer --fragment-k 4",
                "--double-buffer --fragment-k 4 --unroll 2",
                "--double-buffer --fragment-k 4 --prefetch --stages 2",
                "--double-buffer --fragment-k 4 --prefetch --stages 2 --carry-over no",
                "--pair-lanes yes",
                "--epilogue staged"});
}

TEST_CASE("of B along k, which may be turned on its way") {
  for (const char* const schedule : {"simt --dtype fp32", "tensor"})
    each_changes(std::string("--arch ampere --m 128 --n 128 --k 64 --tile 64x64x32 --layout nt --schedule ") + schedule,
                 {"--transpose-b"});
}

TEST_CASE("of the threads that copy") {
  each_changes("--arch ada --dtype fp32 --m 128 --n 128 --k 64 --tile 128x128x16 --schedule simt",
               {"--copy-lanes-a 2", "--copy-lanes-b 16"});
}

TEST_CASE("of operands that FFMAs read anew, and of shared memory that is not used") {
  each_changes("--arch ada --dtype fp32 --m 128 --n 128 --k 64 --tile 64x64x8 --schedule simt",
               {"--reuse-operands no", "--reserved 4096"});
  each_changes("--arch ada --m 128 --n 128 --k 64 --tile 64x64x32 --schedule async", {"--reserved 4096"});
}

TEST_CASE("of threads that a tile has no vector for") {
  each_changes("--arch ada --dtype fp32 --m 128 --n 128 --k 64 --tile 64x64x8 --schedule simt", {"--overfetch yes"});
}

TEST_CASE("of tensor cores' operands on their way") {
  each_changes("--arch ada --m 128 --n 128 --k 64 --tile 64x64x32 --schedule tensor",
               {"--stage-a no", "--stage-b no", "--stage-a no --stage-b no", "--through-local yes"});
}

TEST_CASE("of the schedule and the tile") {
  each_changes("--arch ada --dtype fp32 --m 128 --n 128 --k 64",
               {"--schedule naive --tile 32x32x16", "--schedule coalesced --tile 32x32x16", "--schedule simt --tile 64",
                "--tile 64x128x32"});
}

TEST_CASE("of the grid") {
  each_changes("--arch ada --dtype fp32 --m 256 --n 256 --k 256 --tile 64x64x16 --schedule simt",
               {"--tile-order column", "--tile-order hilbert", "--tile-order grouped", "--tile-order grouped --group 2",
                "--split-k 2", "--split-k 2 --reduction atomics", "--ctas 4", "--persistent", "--ctas 4 --consecutive",
                "--ctas 4 --stream-k"});
}

TEST_CASE("of tensor cores") {
  each_changes("--arch ampere --m 128 --n 128 --k 64 --tile 64x64x32 --schedule async",
               {"--ldmatrix no", "--stages 3", "--shared-a padded", "--shared-b plain", "--warp-tile 32x32",
                "--double-buffer --fragment-k 16", "--double-buffer --fragment-k 16 --carry-over no", "--matrices-a 1",
                "--matrices-b 2", "--vector-a 4", "--vector-b 4", "--whole-lines yes", "--index-overhead 8"});
  each_changes(
      "--arch ampere --m 128 --n 128 --k 64 --tile 128x128x32 --schedule async --double-buffer --fragment-k 16",
      {"--interleave yes"});
  each_changes(
      "--arch t4 --dtype fp32 --m 128 --n 128 --k 64 --tile 64x64x8 --schedule simt --prefetch --stages 2 "
      "--double-buffer --fragment-k 1",
      {"--interleave yes"});
  each_changes("--arch ampere --m 128 --n 128 --k 64 --tile 64x64x32 --schedule tensor",
               {"--transpose-a", "--prefetch", "--load-batch 1", "--prefetch --stages 2", "--whole-lines yes",
                "--index-overhead 8"});
}

TEST_CASE("of warp groups and clusters") {
  const std::string base =
      "--arch hopper --dtype bf16 --layout nt --m 512 --n 512 --k 256 --tile 128x128x64 --schedule wgmma --stages 3";
  each_changes(base, {"--no-specialize", "--double-buffer", "--consumers 1", "--cluster 2x1", "--epilogue tma",
                      "--epilogue staged", "--instruction m64n64k16", "--persistent", "--promote"});
  each_changes(base + " --cluster 2x1", {"--multicast no", "--multicast-by first"});
  each_changes(base + " --specialize", {"--producer-registers 24 --consumer-registers 240", "--consumers-arrive"});
}

TEST_CASE("a tile of more elements than threads is refused where each has one, also the usual tile") {
  const Said said =
      gpusim_command("run matmul --arch ampere --m 256 --n 200 --k 128 --schedule naive --tile 128x128x32");
  CHECK(said.code == 1);
  CHECK(said.err == "gpusim: --tile: 128x128x32 has more elements than a CTA has threads; 32x32x32 is the most\n");
  CHECK(gpusim_command("run matmul --arch ampere --m 256 --n 200 --k 128 --schedule naive").code == 0);
}

TEST_CASE("what cannot be used is refused by name, given as its default, chosen by trying or not") {
  const auto refuses_to = [](const std::string& arguments, const std::string& part) {
    for (const std::string command : {"run", "tune"}) {
      if (command == "tune" && has(arguments, "--schedule auto")) continue;
      CAPTURE(command + " matmul " + arguments);
      const Said said = gpusim_command(command + " matmul --m 256 --n 200 --k 128 " + arguments);
      CHECK(said.code == 1);
      CHECK(said.err == "gpusim: " + part + "\n");
    }
  };
  refuses_to("--arch ampere --schedule auto --persistent --ctas 5",
             "--persistent: how many CTAs there are is said already (--ctas)");
  refuses_to("--arch ampere --persistent --ctas 5", "--persistent: how many CTAs there are is said already (--ctas)");
  refuses_to("--arch hopper --dtype bf16 --schedule wgmma --instruction m16n8k16",
             "--instruction: wgmma of bf16 has m 64 and k 16, not m 16 and k 16");
  refuses_to("--arch ampere --dtype fp32 --schedule simt --ldmatrix yes",
             "--ldmatrix: it means nothing to simt; tensor, async, tma have it");
  refuses_to(
      "--arch volta --schedule tensor --matrices-a 1",
      "--matrices-a: the GPU has no ldmatrix, which GPUs have from Turing (sm_75) on; its fragments are read with LDS");
  refuses_to("--arch volta --schedule tensor --whole-lines yes",
             "--whole-lines: the GPU has no loads with .L2::128B, which GPUs have from Turing (sm_75) on; what L2 "
             "lacks comes in sectors");
}

TEST_CASE("what is said of a choice has the names of options, wherever it is said") {
  const std::string simt = "--schedule simt --dtype fp32 ";
  refuses(simt + "--unroll 2", "--unroll: without --double-buffer no fragments are read ahead");
  refuses(simt + "--stage-a no --vector-a 2", "(--stage-a); --read-a says what is read");
  refuses("--reduction atomics", "there is one slice of k (--split-k)");
  refuses("--consecutive", "--consecutive: only persistent CTAs (--ctas) walk tiles");
  refuses(simt + "--double-buffer --fragment-k 4 --carry-over yes", "2 stages with prefetch would do");
  refuses("--schedule async --double-buffer --fragment-k 32", "--fragment-k must be less than the tile's k of 32");
  const Said part = gpusim_command(
      "run matmul --arch hopper --dtype bf16 --layout nt --m 256 --n 256 --k 256 --schedule wgmma --tile 96x128x64");
  CHECK(has(part.err, "--tile: m: a warp group needs a multiple of 64 rows"));
  const Said attention = gpusim_command("run attention --arch ampere --heads 8 --kv-heads 3");
  CHECK(has(attention.err, "--kv-heads: "));
}

TEST_CASE("fragments are carried over where stages allow it, also where their number is not given") {
  const Said said = gpusim_command(
      "run matmul --m 256 --n 256 --k 128 --arch ampere --dtype fp32 --schedule simt --double-buffer --prefetch "
      "--carry-over yes");
  CHECK(said.code == 1);
  CHECK(has(said.err, "--carry-over: the next tile is not in shared memory"));
  CHECK(has(said.err, "2 stages with prefetch would do"));
}

TEST_CASE("all kernels of a product are listed, run and checked") {
  const std::string product =
      "--arch ada --dtype fp32 --m 64 --n 64 --k 128 --tile 32x32x16 --schedule simt --split-k 2 ";
  const Said run = gpusim_command("run matmul " + product + "--check");
  CAPTURE(run.err);
  CHECK(run.code == 0);
  CHECK(has(run.out, "all 4096 elements of C equal"));
  const Said which = gpusim_command("schedule save - " + product);
  CHECK(which.code == 1);
  CHECK(has(which.err, "--kernel: the product takes 2 kernels"));
  const Said second = gpusim_command("schedule save - --kernel 2 " + product);
  CHECK(second.code == 0);
  CHECK(second.out != gpusim_command("schedule save - --kernel 1 " + product).out);
}

TEST_CASE("values that are none are refused with the nearest") {
  refuses("--schedule asynch", "did you mean 'async'?");
  refuses("--layout nm", "did you mean 'nn'?");
  refuses("--activation rellu", "did you mean 'relu'?");
  refuses("--shared-a swizzle12", "did you mean 'swizzle128'?");
  refuses("--order-m stridded", "did you mean 'strided'?");
  refuses("--tile-order rows", "did you mean 'row'?");
  refuses("--reduction kernal", "did you mean 'kernel'?");
  refuses("--epilogue stage", "did you mean 'staged'?");
  refuses("--schedule simt --dtype fp32 --transpose-b",
          "--transpose-b: B lies in memory with n along its rows already (layout nn)");
  refuses("--schedule simt --dtype fp32 --layout nt --stage-b no --transpose-b",
          "--transpose-b: the operand does not go through shared memory (--stage-b)");
  refuses("--schedule simt --dtype fp16 --layout nt --transpose-b --stages 3",
          "--transpose-b: what is turned is stored an element at a time, and cp.async moves 4 bytes at least, not 2");
  refuses("--schedule tensor --dtype int8 --layout nt --transpose-b --matrices-b 2",
          "--matrices-b: B lies across k, and ldmatrix turns 16-bit elements only");
  refuses("--stage-a true", "--stage-a: unknown answer 'true'");
  refuses("--warp-tile 64", "--warp-tile: '64' is not rows by columns");
  refuses("--cluster 2x", "--cluster: '' is not a whole number");
  refuses("--instruction 16x8", "is no shape of an instruction, as m16n8k16");
  refuses("--instruction m16x8x16", "is no shape of an instruction, as m16n8k16");
  refuses("--double-buffer --no-double-buffer", "--no-double-buffer: --double-buffer stands beside it");
  refuses("--split-k 0", "--split-k: '0' is not between 1 and");
}

TEST_CASE("the help of an option has every word that it takes") {
  const auto has_word = [](const std::string& text, const std::string& word) {
    const auto is_letter = [&](std::size_t at) {
      return at < text.size() && std::isalnum(static_cast<unsigned char>(text[at])) != 0;
    };
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
      if (!is_letter(at - 1) && !is_letter(at + word.size())) return true;
    return false;
  };
  const auto lists_all = [&](const std::string& kernel, const std::vector<std::string>& options) {
    std::string help = gpusim_command("run " + kernel + " --help").out;
    for (const std::string& option : options) {
      const std::size_t begin = help.find("  --" + option + " ");
      REQUIRE(begin != std::string::npos);
      const std::string entry = help.substr(begin, help.find("\n  --", begin) - begin);
      const std::string err = gpusim_command("run " + kernel + " --arch ada --" + option + " ?").err;
      const std::string list = "(there are ";
      REQUIRE(has(err, list));
      std::string words = err.substr(err.find(list) + list.size());
      words = words.substr(0, words.find(')')) + ", ";
      for (std::size_t end = words.find(", "); end != std::string::npos; end = words.find(", ")) {
        CAPTURE(option + ": " + words.substr(0, end));
        CHECK(has_word(entry, words.substr(0, end)));
        words.erase(0, end + 2);
      }
    }
  };
  lists_all("matmul", {"layout", "activation", "schedule", "order-m", "shared-a", "multicast-by", "tile-order",
                       "reduction", "epilogue", "library", "l2", "code", "clock", "view"});
  lists_all("copy", {"kind", "l2"});
  lists_all("elementwise", {"operation"});
  lists_all("reduce", {"operation", "meeting"});
  lists_all("transpose", {"variant"});
  lists_all("softmax", {"place", "meeting"});
  lists_all("layernorm", {"norm"});
  lists_all("attention", {"variant"});
}

TEST_CASE("the help lists the options under headings") {
  const Said said = gpusim_command("run matmul --help");
  for (const std::string heading : {"Product C", "How it is cut", "Operands", "Pipeline", "Grid and result", "Run"}) {
    CAPTURE(heading);
    CHECK(has(said.out, "\n" + heading));
  }
}

}  // namespace gpusim::matmul_options_test
