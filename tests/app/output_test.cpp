// Where results go: whole or not at all, and never lost to a device that fails.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "support/command.h"

namespace gpusim::output_test {

using namespace gpusim::testing;

namespace {

const std::string run = "run matmul --arch textbook-2023 --m 32 --n 32 --k 32 --tile 32 --schedule simt --l2 warm ";

}  // namespace

TEST_CASE("without options the text view is printed, and nothing else") {
  const Said said = gpusim_command(run);
  CHECK(said.code == 0);
  CHECK(said.out.starts_with("gpusim "));
  CHECK(said.err.empty());
}

TEST_CASE("--json - makes standard output JSON alone; views that were asked for go to standard error") {
  const Said alone = gpusim_command(run + "--json -");
  CHECK(nlohmann::json::parse(alone.out)["cycles"] == 200 + 8 * 34 + 8 * 4);
  CHECK(alone.err.empty());
  const Said both = gpusim_command(run + "--json - --view derivation");
  CHECK(both.out == alone.out);
  CHECK(has(both.err, "504 = 200 + 8*34 + 8*4"));
}

TEST_CASE("--json FILE is written beside the views, the same bytes every time") {
  const Folder folder;
  const Said said = gpusim_command(run + "--json " + (folder / "r.json"));
  CHECK(said.code == 0);
  CHECK(has(said.out, "Speed"));
  CHECK(contents(folder / "r.json") == gpusim_command(run + "--json -").out);
  CHECK(folder.files() == 1);
}

TEST_CASE("--exact changes nothing where nothing is skipped, and the result says exact") {
  const Said said = gpusim_command(run + "--exact --json -");
  CHECK(nlohmann::json::parse(said.out)["options"]["exact"] == true);
  CHECK(said.out == gpusim_command(run + "--json -").out);
}

TEST_CASE("a file that cannot be written is told before anything runs") {
  const Folder folder;
  const Said said = gpusim_command("run matmul --arch ada --json " + (folder / "no/such/folder.json"));
  CHECK(said.code == 1);
  CHECK(said.out.empty());
  CHECK(has(said.err, "gpusim: --json: cannot write"));
  CHECK(has(gpusim_command(run + "--json /tmp").err, "Is a directory"));
}

TEST_CASE("a file that exists is replaced as a whole, and kept when the run is refused") {
  const Folder folder;
  const std::string file = folder / "r.json";
  write(file, "old");
  CHECK(gpusim_command(run + "--tile 33x33x33x33 --json " + file).code != 0);
  CHECK(contents(file) == "old");
  CHECK(gpusim_command("run matmul --arch ada --m 0 --json " + file).code == 1);
  CHECK(contents(file) == "old");
  CHECK(folder.files() == 1);
  CHECK(gpusim_command(run + "--json " + file).code == 0);
  CHECK(contents(file).starts_with("{"));
}

TEST_CASE("a full device costs only what was for it") {
  if (!std::filesystem::exists("/dev/full")) return;
  const Said json = gpusim_command(run + "--json /dev/full");
  CHECK(json.code == 1);
  CHECK(has(json.err, "--json: cannot write /dev/full: No space left"));
  CHECK(has(json.out, "Speed"));

  const Folder folder;
  const Said text = gpusim_command(run + "--json " + (folder / "r.json") + " >/dev/full");
  CHECK(text.code == 1);
  CHECK(has(text.err, "gpusim: standard output: cannot be written: No space left"));
  CHECK(contents(folder / "r.json").starts_with("{"));
}

TEST_CASE("a closed standard output is an error, and no file takes its place") {
  const Folder folder;
  const Said said = gpusim_command(run + "--json " + (folder / "r.json") + " >&-");
  CHECK(said.code == 1);
  CHECK(has(said.err, "gpusim: standard output: cannot be written"));
  CHECK(nlohmann::json::accept(contents(folder / "r.json")));
}

TEST_CASE("who reads no further is told nothing, and files are written all the same") {
  const Folder folder;
  const std::string line = "{ '" GPUSIM_COMMAND "' " + run + "--json '" + (folder / "r.json") + "' 2>'" +
                           (folder / "err") + "'; echo $? >'" + (folder / "code") + "'; } | true";
  CHECK(std::system(line.c_str()) == 0);  // NOLINT(cert-env33-c): a shell is what is asked for
  CHECK(contents(folder / "code") == "0\n");
  CHECK(contents(folder / "err").empty());
  CHECK(nlohmann::json::accept(contents(folder / "r.json")));
}

TEST_CASE("who leaves the schedule open is told that mma.sync has less than the GPU's peak") {
  const std::string product = " --m 256 --n 256 --k 256";
  const std::string hint = "'--schedule wgmma' has all of it";
  CHECK(has(gpusim_command("run matmul --arch hopper" + product).out, "mma.sync, by which 'tma' multiplies, has 65 %"));
  CHECK_FALSE(has(gpusim_command("run matmul --arch hopper --schedule tma" + product).out, hint));
  CHECK_FALSE(has(gpusim_command("run matmul --arch hopper --dtype fp32" + product).out, hint));
  CHECK_FALSE(has(gpusim_command("run matmul --arch ampere" + product).out, hint));
  // What wgmma would refuse as it was asked for.
  for (const std::string other :
       {"--dtype int8", "--instruction m16n8k16", "--tile 32x32x32", "--tile auto --dtype int8"})
    CHECK_FALSE(has(gpusim_command("run matmul --arch hopper " + other + product).out, hint));
}

TEST_CASE("the twin's check is told after the views") {
  const Said said = gpusim_command(run + "--check");
  CHECK(said.code == 0);
  CHECK(has(said.out, "all 1024 elements of C equal alpha A B + beta C"));
}

TEST_CASE("a run that reaches its cycle limit says so and is no error") {
  const Said said = gpusim_command(run + "--max-cycles 100 --json -");
  CHECK(said.code == 0);
  CHECK(nlohmann::json::parse(said.out)["termination"] == "max_cycles");
}

TEST_CASE("a saved schedule replays to the same result") {
  const Folder folder;
  const std::string file = folder / "s.json";
  const std::string product = "--arch ampere --m 256 --n 192 --k 96 --tile 64";
  REQUIRE(gpusim_command("schedule save " + file + " " + product).code == 0);
  CHECK(gpusim_command("schedule save - " + product).out == contents(file));
  const Said direct = gpusim_command("run matmul " + product + " --json -");
  const Said replayed = gpusim_command("run " + file + " --arch ampere --json -");
  CHECK(replayed.code == 0);
  CHECK(replayed.out == direct.out);
  CHECK(gpusim_command("schedule show " + file).out == gpusim_command("schedule show " + product).out);
  const Said other = gpusim_command("schedule show " + file + " --arch volta");
  CHECK(other.code == 2);
  CHECK(has(other.err, "a file says all of its schedule, and takes no options"));
}

TEST_CASE("a file that a command reads, or writes already, is not written over") {
  const Folder folder;
  const std::string product = folder / "product.json";
  REQUIRE(gpusim_command("schedule save " + product + " --arch ada --m 64 --n 64 --k 64").code == 0);
  const std::string before = contents(product);
  const Said replayed = gpusim_command("run " + product + " --arch ada --json " + (folder / "./product.json"));
  CHECK(replayed.code == 1);
  CHECK(has(replayed.err, "--json: "));
  CHECK(has(replayed.err, "product.json is read by this command, and would be lost"));
  CHECK(contents(product) == before);

  const std::string profile = folder / "own.json";
  write(profile, gpusim_command("arch show ada --json").out);
  CHECK(
      has(gpusim_command("run matmul --arch " + profile + " --m 64 --json " + profile).err, "is read by this command"));

  const std::string derived = folder / "derived.json";
  write(derived, R"({"base": "own.json", "name": "derived", "title": "Derived"})");
  const std::string own = contents(profile);
  for (const std::string command : {"run matmul --json ", "tune matmul --csv "}) {
    const Said based = gpusim_command(command + profile + " --arch " + derived + " --m 64 --n 64 --k 64");
    CHECK(based.code == 1);
    CHECK(has(based.err, "own.json is read by this command, and would be lost"));
  }
  CHECK(contents(profile) == own);

  const Said twice = gpusim_command("probe latency --arch volta --footprint 16KiB --csv " + (folder / "p") +
                                    " --json " + (folder / "p"));
  CHECK(twice.code == 1);
  CHECK(has(twice.err, "p is written because of --"));
  CHECK(has(gpusim_command(run + "--json ''").err, "--json: needs the name of a file"));
  CHECK(folder.files() == 3);
}

TEST_CASE("Ctrl-C stops a run, leaves no file behind, and ends with 130") {
  const Folder folder;
  const Said said = gpusim_command("run matmul --arch ada --m 65536 --n 65536 --k 65536 --json " + (folder / "r.json"),
                                   "timeout --preserve-status --signal=INT 1");
  CHECK(said.code == 130);
  CHECK(has(said.err, "gpusim: interrupted after"));
  CHECK(said.out.empty());
  CHECK(folder.files() == 0);
}

TEST_CASE("Ctrl-C within --check leaves no file behind") {
  const Folder folder;
  for (const std::string product : {"matmul --m 4096 --n 4096 --k 4096", "copy --elements 400000000"}) {
    const Said said = gpusim_command("run " + product + " --arch ada --check --json " + (folder / "r.json"),
                                     "timeout --preserve-status --signal=INT 0.5");
    CHECK(said.code == 130);
    CHECK(folder.files() == 0);
  }
}

}  // namespace gpusim::output_test
