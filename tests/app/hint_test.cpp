// Hints: what they say helps does, and who has chosen is left alone.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "support/command.h"

namespace gpusim::hint_test {

using namespace gpusim::testing;

namespace {

/// What stands between quotes behind "Hint", first; empty without a hint.
std::string hinted(const std::string& run) {
  const Said said = gpusim_command("run " + run);
  CAPTURE(run);
  CAPTURE(said.err);
  REQUIRE(said.code == 0);
  const std::size_t hint = said.out.find("\nHint\n");
  if (hint == std::string::npos) return "";
  const std::size_t begin = said.out.find("'--", hint) + 1;
  return said.out.substr(begin, said.out.find('\'', begin) - begin);
}

double time_us(const std::string& run) {
  const Said said = gpusim_command("run " + run + " --json -");
  CAPTURE(run);
  CAPTURE(said.err);
  REQUIRE(said.code == 0);
  return nlohmann::json::parse(said.out)["time_us"].get<double>();
}

}  // namespace

TEST_CASE("what a hint names is faster") {
  for (const std::string run :
       {"matmul --arch hopper --m 1024 --n 1024 --k 512", "matmul --arch hopper --m 256 --n 256 --k 2048",
        "matmul --arch turing --m 256 --n 128 --k 1024", "matmul --arch ada --dtype fp32 --m 128 --n 256 --k 1024",
        "reduce --arch ada --rows 8 --columns 200000", "reduce --arch volta --rows 1 --columns 1000000"}) {
    CAPTURE(run);
    const std::string option = hinted(run);
    CAPTURE(option);
    CHECK(option.starts_with("--"));
    CHECK(time_us(run + " " + option) < 0.9 * time_us(run));
  }
}

TEST_CASE("where slices of k keep idle SMs busy, that is what is hinted at") {
  CHECK(hinted("matmul --arch ampere --m 128 --n 128 --k 2048").starts_with("--split-k "));
  CHECK(hinted("reduce --arch ampere --rows 2 --columns 300000").starts_with("--splits "));
}

TEST_CASE("who has chosen the schedule is told of idle SMs alone; JSON has the same") {
  CHECK(hinted("matmul --arch hopper --m 256 --n 256 --k 2048 --schedule wgmma").starts_with("--split-k "));
  const auto hint_of = [](const std::string& run) {
    return nlohmann::json::parse(gpusim_command("run " + run + " --json -").out).value("hint", "");
  };
  CHECK(hint_of("reduce --arch ampere --rows 2 --columns 300000").find("'--splits ") != std::string::npos);
  CHECK(hint_of("reduce --arch ampere --rows 2 --columns 300000 --splits 90").empty());
  CHECK(gpusim_command("run reduce --arch ampere --rows 2 --columns 300000 --json -").err.empty());
}

TEST_CASE("fewer shares than there are SMs are tried, and what cannot be shared is not") {
  const std::string short_row = "reduce --arch hopper --rows 1 --columns 100000";
  CHECK(time_us(short_row + " " + hinted(short_row)) < 0.3 * time_us(short_row));
  CHECK(hinted("reduce --arch hopper --rows 4 --columns 300000 --operation maximum").empty());
  CHECK(hinted("matmul --arch ampere --m 128 --n 128 --k 2048 --view text,derivation").empty());
}

TEST_CASE("where mma.sync is the limit wgmma is named, and by its option only where the tile at hand is faster so") {
  const Said large = gpusim_command("run matmul --arch hopper");
  CHECK(has(large.out, "wgmma has all of it, and '--schedule auto'"));
  CHECK_FALSE(has(large.out, "'--schedule wgmma'"));
  CHECK(hinted("matmul --arch hopper --m 640 --n 33 --k 32 --layout nt --batch 2 --sparse").empty());
}

TEST_CASE("where tensor cores do not take bf16, fp16 is named, whoever chose the schedule") {
  const std::string product = "matmul --arch t4 --m 256 --n 256 --k 256 --dtype bf16";
  CHECK(hinted(product) == "--dtype fp16");
  CHECK(hinted(product + " --schedule auto") == "--dtype fp16");
  CHECK(time_us("matmul --arch t4 --m 256 --n 256 --k 256 --dtype fp16") < 0.9 * time_us(product));
  CHECK(hinted("matmul --arch ampere --m 2048 --n 2048 --k 64 --dtype bf16").empty());
}

TEST_CASE("who has chosen, or could not do better, gets no hint") {
  for (const char* run :
       {"matmul --arch ada --m 2048 --n 2048 --k 512", "matmul --arch hopper --m 1024 --n 1024 --k 512 --schedule tma",
        "matmul --arch hopper --m 512 --n 512 --k 512 --schedule auto",
        "matmul --arch textbook-2023 --m 32 --n 32 --k 320 --tile 32", "matmul --arch ampere --m 128 --n 128 --k 64",
        "reduce --arch ampere --rows 2 --columns 300000 --splits 4", "reduce --arch ampere --rows 2 --columns 500",
        "reduce --arch turing --rows 500 --columns 1000"}) {
    CAPTURE(run);
    CHECK(hinted(run).empty());
  }
}

}  // namespace gpusim::hint_test
