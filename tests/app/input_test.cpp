// Values, files and devices that are wrong: one clear line a problem, exit code 1, bounded memory, nothing written.
#include <doctest/doctest.h>

#include <algorithm>

#include "support/command.h"

namespace gpusim::input_test {

using namespace gpusim::testing;

namespace {

std::int64_t lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

/// Refused as input, with `problems` lines of which one contains `part`, and nothing on standard output.
void refuses(const std::string& arguments, const std::string& part, std::int64_t problems = 1) {
  CAPTURE(arguments);
  const Said said = gpusim_command(arguments, "ulimit -v 1000000;");
  CAPTURE(said.err);
  CHECK(said.code == 1);
  CHECK(said.out.empty());
  CHECK(said.err.starts_with("gpusim: "));
  CHECK(lines(said.err) == problems);
  CHECK(has(said.err, part));
}

const std::string run = "run matmul --arch ada ";

}  // namespace

TEST_SUITE("options") {
  TEST_CASE("sizes are whole, positive and not beyond reason") {
    refuses(run + "--m 0", "--m: '0' is not between 1 and");
    refuses(run + "--n -5", "--n: '-5' is not between 1 and");
    refuses(run + "--k 99999999999999999999999", "--k: '99999999999999999999999' is not between 1 and");
    refuses(run + "--m 12k", "--m: '12k' is not a whole number");
    refuses(run + "--m 1e3", "--m: '1e3' is not a whole number");
    refuses(run + "--m ''", "--m: '' is not a whole number");
    refuses(run + "--m 1099511627776", "--m: ");
  }

  TEST_CASE("all problems are told at once") {
    refuses(run + "--m 0 --tile 12y --alpha x --clock boots --l2 hot", "--alpha: 'x' is not a finite number", 5);
  }

  TEST_CASE("a product too large for any memory is refused before it runs") {
    refuses(run + "--m 2147483647 --n 2147483647 --k 2147483647",
            "--m: the 2147483647 x 2147483647 elements of C are more than 2^47 bytes", 3);
  }

  TEST_CASE("tiles have one size or three") {
    refuses(run + "--tile 128x128", "--tile: '128x128' is neither one size, as 128, nor three, as 128x128x32");
    refuses(run + "--tile 128x256", "as 128, nor three, as 128x256x32");
    refuses(run + "--tile 128X128X32", "--tile: '128X128X32' is not parted by x; did you mean '128x128x32'?");
    refuses(run + "--clock 2000MHz", "--clock: unknown clock '2000MHz'; did you mean '2000'?");
    refuses(run + "--tile 128x-1x32", "--tile: '-1' is not between 1 and");
    refuses(run + "--tile xx", "--tile: '' is not a whole number");
  }

  TEST_CASE("a tile that does not fit says by how much, and what would fit") {
    const Said said = gpusim_command(run + "--tile 1024");
    CHECK(said.code == 1);
    CHECK(has(said.err, "shared memory"));
    CHECK(has(said.err, "registers"));
    CHECK(has(said.err, "would fit"));
    refuses(run + "--stages 99", "--stages: a CTA needs ");
    refuses(run + "--stages 99", " stages would fit");
    refuses(run + "--warp-tile 128x128", "--warp-tile: a thread needs ");
    refuses(run + "--reserved 100000", "--reserved: a CTA needs ");
    refuses(run + "--registers 300 --stages 99", "--registers: a thread needs 300", 2);
    refuses(run + "--registers 300", "--registers: a thread needs 300 registers; it may have 255");
    refuses(run + "--tile 1024 --stages 99", "--tile: a CTA needs ", 2);
  }

  TEST_CASE("types and schedules the GPU lacks are refused with those it has") {
    refuses("run matmul --arch volta --schedule tma", "from Hopper (sm_90) on; there are tensor, simt");
    refuses("run matmul --arch turing --dtype bf16 --schedule tensor", "on this GPU; there are simt");
    refuses(run + "--accumulate int8",
            "--accumulate: gpusim has no product of fp16 with int8 accumulation on this GPU; there are ");
    refuses(run + "--dtype fp17", "--dtype: unknown type 'fp17'; did you mean 'fp16'?");
    refuses(run + "--dtype half", "--dtype: unknown type 'half'; did you mean 'fp16'?");
    refuses("run softmax --arch ada --dtype bfloat16", "did you mean 'bf16'?");
    refuses(run + "--schedule tensr", "did you mean 'tensor'?");
    refuses(run + "--specialize", "--specialize: ");
  }

  TEST_CASE("L2 states name a buffer and a state that exist") {
    refuses(run + "--l2 hot", "--l2: unknown state 'hot' (there are cold, warm, dirty)");
    refuses(run + "--l2 A=warm,D=cold", "--l2: unknown buffer 'D'");
    refuses(run + "--l2 D=cold", "(there are A, B, C)");
    refuses(run + "--l2 A=warm,A=cold", "more than once");
    refuses(run + "--l2 A=warm,", "is not BUFFER=cold, BUFFER=warm or BUFFER=dirty");
    for (const std::string state : {"warm", "A=dirty"})
      refuses("run matmul --arch textbook-2020 --l2 " + state, "--l2: the profile 'textbook-2020' has no L2");
    refuses("run matmul --arch textbook-2020 --l2-dirty-percent 1",
            "--l2-dirty-percent: the profile 'textbook-2020' has no L2 that others could fill; take 0");
    for (const std::string percent : {"101", "-1", "half"})
      refuses(run + "--l2-dirty-percent " + percent, "--l2-dirty-percent: ");
  }

  TEST_CASE("states of code, which the profile has to say something of") {
    refuses(run + "--code repaeted", "--code: unknown state 'repaeted'; did you mean 'repeated'?");
    for (const std::string state : {"cold", "repeated"})
      refuses("run matmul --arch textbook-2023 --code " + state, "'" + state + "': the profile 'textbook-2023' says");
  }

  TEST_CASE("clocks, limits and views") {
    refuses(run + "--clock 0", "--clock: '0' is not between 1 and");
    refuses(run + "--clock boots", "did you mean 'boost'?");
    refuses(run + "--clock 1.7GHz", "did you mean '1700'?");
    refuses(run + "--clock '1700 mhz'", "did you mean '1700'?");
    refuses(run + "--clock 9999999GHz", "unknown clock '9999999GHz' (there are ");
    refuses(run + "--clock fastGHz", "unknown clock 'fastGHz' (there are ");
    refuses(run + "--max-cycles 0", "--max-cycles: '0' is not between 1 and");
    refuses(run + "--max-ctas 0", "--max-ctas: '0' is not between 1 and");
    refuses(run + "--view txt", "--view: unknown view 'txt'; did you mean 'text'?");
    refuses(run + "--schedule tensor --stages 3", "stages: ");
    refuses(run + "--check --m 16384 --n 16384 --k 16384", "--check: 16384x16384x16384 is too large");
  }

  TEST_CASE("a profile's key and value are checked when they are set") {
    refuses(run + "--set l2.capcity=6MiB", "l2.capacity");
    refuses(run + "--set l2.latency=-5", "--set l2.latency=-5: ");
    refuses(run + "--set l2.capcity=1 --set nonsense", "--set nonsense: ", 2);
    refuses("run matmul --arch ampere --set l2.slices=7 --set sm.count=2",
            "--set l2.slices=7 --set sm.count=2: l2.partitions: the 7 slices cannot be shared out evenly", 2);
  }
}

TEST_SUITE("profile files") {
  const std::string valid = R"({"base": "ada", "name": "mine", "title": "Mine", )";

  void refuses_profile(const std::string& text, const std::string& part) {
    const Folder folder;
    write(folder / "p.json", text);
    refuses("arch check " + (folder / "p.json"), part);
  }

  TEST_CASE("an unknown key is told with file, pointer and the nearest key") {
    const Folder folder;
    write(folder / "p.json", valid + R"("l2": {"capcity": 5}})");
    const Said said = gpusim_command("arch check " + (folder / "p.json"));
    CHECK(said.code == 1);
    CHECK(has(said.err, (folder / "p.json") + "#/l2/capcity: "));
    CHECK(has(said.err, "capacity"));
  }

  TEST_CASE("wrong types, negative and absurd sizes are refused at their place") {
    refuses_profile(valid + R"("l2": {"ways": {"value": "many", "method": "vendor", "source": "x"}}})", "#/l2/ways");
    refuses_profile(valid + R"("l2": {"ways": {"value": -4, "method": "vendor", "source": "x"}}})", "#/l2/ways");
    refuses_profile(valid + R"("sm": {"count": {"value": 1e30, "method": "vendor", "source": "x"}}})", "#/sm/count");
    refuses_profile(valid + R"("sm": 7})", "#/sm");
  }

  TEST_CASE("bases that go round in circles are refused") {
    const Folder folder;
    write(folder / "a.json", R"({"base": "b.json", "name": "a", "title": "A"})");
    write(folder / "b.json", R"({"base": "a.json", "name": "b", "title": "B"})");
    refuses("arch check " + (folder / "a.json"), "base");
  }

  TEST_CASE("text that is no JSON, is deeply nested, or is a hundred megabytes") {
    refuses_profile("{", "p.json");
    refuses_profile("", "p.json");
    refuses_profile(std::string(100'000, '['), "p.json");
    refuses_profile(std::string(100'000'000, ' '), "p.json");
  }

  TEST_CASE("files that are not there or are folders") {
    refuses("run matmul --arch ./nowhere.json", "nowhere.json");
    refuses("run matmul --arch /tmp", "--arch: \"/tmp\" is a directory, not a file");
    refuses("arch check /tmp", "\"/tmp\" is a directory, not a file");
    refuses("arch check /dev/null", "\"/dev/null\" is a pipe or a device, not a file");
    refuses("run matmul --arch adda", "did you mean \"ada\"");
    refuses("arch check nowhere", "nowhere");
  }
}

TEST_SUITE("schedule files") {
  TEST_CASE("files that are not there, folders, no JSON, deep or long") {
    const Folder folder;
    const auto replay = [&](const std::string& name) { return "run " + (folder / name) + " --arch ada"; };
    refuses(replay("nowhere.json"), "No such file");
    refuses("run /tmp --arch ada", "is a directory");
    write(folder / "half.json", "{");
    refuses(replay("half.json"), "half.json");
    write(folder / "deep.json", std::string(100'000, '['));
    refuses(replay("deep.json"), "deep.json");
    write(folder / "long.json", std::string(100'000'000, ' '));
    refuses(replay("long.json"), "long.json: is longer than 16 MiB");
  }

  TEST_CASE("what is a schedule is no profile, and the other way round") {
    const Folder folder;
    const std::string schedule = folder / "schedule.json";
    const std::string profile = folder / "profile.json";
    REQUIRE(gpusim_command("schedule save " + schedule + " --arch ada --m 256 --n 256 --k 64").code == 0);
    write(profile, gpusim_command("arch show ada --json").out);
    refuses("run matmul --arch " + schedule, "schedule.json#: is a schedule, not a GPU's profile");
    refuses("run " + profile + " --arch ada", "profile.json#: is a GPU's profile, not a schedule");
    write(profile, R"({"base": "ada", "name": "mine", "title": "Mine"})");
    refuses("run " + profile + " --arch ada", "profile.json#: is a GPU's profile, not a schedule");
  }

#ifndef GPUSIM_SANITIZED  // what sanitizers keep beside it needs more
  TEST_CASE("what the command reserves is no part of a limit of memory that a run fits in") {
    for (const std::string limit : {"ulimit -d 60000;", "ulimit -v 120000;"}) {
      CAPTURE(limit);
      const Said said = gpusim_command("run matmul --arch hopper --m 512 --n 512 --k 512", limit);
      CHECK(said.code == 0);
      CHECK(said.err.empty());
    }
  }
#endif

  TEST_CASE("a schedule is saved where it can be run from") {
    refuses("schedule save product --arch ada", "schedule save: 'product' is not a file that 'gpusim run' would take");
  }

  TEST_CASE("a derivation is of one schedule") {
    const Folder folder;
    const std::string file = folder / "s.json";
    REQUIRE(gpusim_command("schedule save " + file + " --arch ada --m 256 --n 256 --k 64").code == 0);
    refuses("run " + file + " " + file + " --arch ada --view derivation",
            "a derivation is of one kernel; there are 2: 'gemm 256x256x64");
  }

  TEST_CASE("a schedule whose warps wait for each other for ever says who waits") {
    const Folder folder;
    const std::string file = folder / "s.json";
    REQUIRE(gpusim_command("schedule save " + file + " --arch hopper --m 128 --n 128 --k 64").code == 0);
    std::string text = contents(file);
    const std::string arrivals = "\"arrivals\": 1";
    REQUIRE(has(text, arrivals));
    text.replace(text.find(arrivals), arrivals.size(), "\"arrivals\": 2");
    write(file, text);
    const Said said = gpusim_command("run " + file + " --arch hopper");
    CHECK(said.code == 1);
    CHECK(has(said.err, "warp"));
    CHECK(has(said.err, "wait"));
    CHECK(said.out.empty());
  }
}

}  // namespace gpusim::input_test
