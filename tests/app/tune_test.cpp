// gpusim tune matmul, and --schedule auto: ways to cut a product, tried and told.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "support/command.h"

namespace gpusim::tune_test {

using namespace gpusim::testing;

namespace {

const std::string product = "matmul --arch turing --m 256 --n 256 --k 256 ";

}  // namespace

TEST_CASE("a ranking is told, and saved as JSON and CSV") {
  const Folder folder;
  const std::string path = folder / "ranking.csv";
  const Said said = gpusim_command("tune " + product + "--top 2 --jobs 2 --json - --csv " + path);
  CAPTURE(said.err);
  REQUIRE(said.code == 0);
  const auto json = nlohmann::json::parse(said.out);
  REQUIRE(json["trials"].size() > 3);
  for (std::size_t i = 0; i < 3; ++i) CHECK(json["trials"][i]["simulated_us"].is_number());  // and what run would take
  CHECK(json["trials"][3]["simulated_us"].is_null());
  CHECK(json["trials"][0]["simulated_us"] <= json["trials"][1]["simulated_us"]);
  CHECK(has(contents(path), "rank,summary,quick_us,simulated_us"));
  CHECK(has(gpusim_command("tune " + product + "--top 2").out, "the fastest of 3 simulated"));
}

TEST_CASE("auto says what was tried and why, and runs what it chose") {
  const Said said = gpusim_command("run " + product + "--schedule auto --json -");
  CAPTURE(said.err);
  REQUIRE(said.code == 0);
  const auto json = nlohmann::json::parse(said.out);
  CHECK(has(json["choice"]["reason"].get<std::string>(), "simulated"));
  CHECK(json["choice"]["trials"][0]["choices"]["tile"] == json["kernels"][0]["choices"]["tile"]);
  // What was simulated to choose it is what a run of it gives.
  const Said anew = gpusim_command("run " + product + "--schedule auto --max-ctas 1000000 --json -");
  CHECK(nlohmann::json::parse(anew.out)["kernels"] == json["kernels"]);
  CHECK(has(gpusim_command("run " + product + "--tile auto --schedule tensor").out, "\nChoice\n"));
}

TEST_CASE("what was chosen is told as options, with which it is what runs") {
  for (const std::string posed :
       {"--arch turing --m 256 --n 256 --k 256", "--arch volta --m 16 --n 1024 --k 2048 --layout nt --beta 1",
        "--arch ampere --m 100 --n 640 --k 512 --dtype int8 --library cublas-12",
        "--arch hopper --m 200 --n 512 --k 1024 --dtype bf16", "--arch hopper --m 64 --n 768 --k 512 --dtype fp8",
        "--arch hopper --m 192 --n 512 --k 256 --dtype fp8 --library vllm-fp8"}) {
    CAPTURE(posed);
    const Said chosen = gpusim_command("run matmul " + posed + " --schedule auto");
    CAPTURE(chosen.err);
    REQUIRE(chosen.code == 0);
    const std::string mark = "\n  as options: ";
    const std::size_t begin = chosen.out.find(mark);
    REQUIRE(begin != std::string::npos);
    const std::size_t options = begin + mark.size();
    const std::string asked = chosen.out.substr(options, chosen.out.find('\n', options) - options);
    CAPTURE(asked);
    CHECK(has(asked, " --stages "));
    const std::string product_alone = posed.substr(0, posed.find(" --library"));
    const Said anew = gpusim_command("run matmul " + product_alone + " " + asked + " --json -");
    CAPTURE(anew.err);
    REQUIRE(anew.code == 0);
    const Said once_more = gpusim_command("run matmul " + posed + " --schedule auto --json -");
    const auto kernels = [](const Said& said) { return nlohmann::json::parse(said.out)["kernels"]; };
    REQUIRE(kernels(anew).size() == kernels(once_more).size());
    for (std::size_t i = 0; i < kernels(anew).size(); ++i)
      CHECK(kernels(anew)[i]["choices"] == kernels(once_more)[i]["choices"]);
  }
  CHECK(has(gpusim_command("tune " + product + "--top 2").out, "\n  as options: --schedule "));
}

TEST_CASE("of the options that are told none but the stages could be left out") {
  const std::string told = gpusim_command("tune " + product + "--top 2").out;
  const std::string mark = "as options: ";
  const std::size_t begin = told.find(mark) + mark.size();
  const std::string all = told.substr(begin, told.find('\n', begin) - begin);
  const auto choices = [](const std::string& options) {
    const Said said = gpusim_command("run " + product + options + " --max-cycles 1 --json -");
    return said.code == 0 ? nlohmann::json::parse(said.out)["kernels"][0]["choices"].dump() : said.err;
  };
  std::size_t left_out = 0;
  for (std::size_t at = all.find(" --"); at != std::string::npos; at = all.find(" --", at + 1)) {
    const std::size_t end = std::min(all.find(" --", at + 1), all.size());
    const std::string option = all.substr(at, end - at);
    CAPTURE(option);
    if (option.starts_with(" --stages") || option.starts_with(" --tile")) continue;
    CHECK(choices(all.substr(0, at) + all.substr(end)) != choices(all));
    ++left_out;
  }
  CHECK(left_out >= 4);
}

TEST_CASE("an instruction is known by either spelling") {
  const std::string run = "run matmul --arch ampere --m 64 --n 64 --k 64 --tile 64x64x32 --json - --instruction ";
  const Said by_letters = gpusim_command(run + "m16n8k8");
  CHECK(by_letters.code == 0);
  CHECK(by_letters.out == gpusim_command(run + "16x8x8").out);
}

TEST_CASE("auto keeps what is fixed, and without auto nothing is tried") {
  const Said fixed = gpusim_command("run " + product + "--schedule auto --tile 64x64x32 --json -");
  CAPTURE(fixed.err);
  CHECK(nlohmann::json::parse(fixed.out)["kernels"][0]["choices"]["tile"] == "64x64x32");
  CHECK_FALSE(nlohmann::json::parse(gpusim_command("run " + product + "--json -").out).contains("choice"));
}

TEST_CASE("an older library has other kernels to choose from") {
  const std::string large = "tune matmul --arch hopper --m 1024 --n 1024 --k 512 --top 2 --csv - ";
  const Said recent = gpusim_command(large);
  const Said older = gpusim_command(large + "--library cublas-12.1");
  CAPTURE(older.err);
  REQUIRE(older.code == 0);
  CHECK(has(recent.out, "128x192"));
  CHECK_FALSE(has(older.out, "128x192"));
  CHECK(has(gpusim_command("run " + product + "--library recent").err, "--library: nothing is chosen by trying"));
  CHECK(has(gpusim_command(large + "--library cublas").err, "unknown library 'cublas'"));
}

TEST_CASE("what is wrong is told before anything is tried") {
  CHECK(gpusim_command("tune " + product + "--top 1").code == 1);
  CHECK(gpusim_command("tune " + product + "--json - --csv -").code == 1);
  CHECK(has(gpusim_command("tune " + product + "--schedule tensor --stages 90").err, "stages"));
  CHECK(gpusim_command("tune").code == 2);
  CHECK(gpusim_command("tune matrix").code == 2);
}

}  // namespace gpusim::tune_test
