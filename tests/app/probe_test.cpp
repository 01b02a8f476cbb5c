// gpusim probe: tables, CSV, JSON, and what is refused.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "support/command.h"

namespace gpusim::probe_test {

using gpusim::testing::contents;
using gpusim::testing::Folder;
using gpusim::testing::gpusim_command;
using gpusim::testing::has;
using gpusim::testing::Said;

TEST_CASE("a probe prints a table with a row for each point") {
  const Said said = gpusim_command("probe shared --arch hopper --ways 1,4");
  CHECK(said.code == 0);
  CHECK(said.err.empty());
  CHECK(has(said.out, "h100-sxm at "));
  CHECK(has(said.out, "ways"));
  CHECK(has(said.out, "latency (cycles)"));
  CHECK(has(said.out, "\n1 "));
  CHECK(has(said.out, "\n4 "));
}

TEST_CASE("CSV has parameters, then quantities, one row a point, sizes in bytes") {
  const Said said = gpusim_command("probe latency --arch volta --footprint 16KiB,32KiB --csv -");
  CHECK(said.code == 0);
  CHECK(said.out.starts_with("footprint,via,home,state,latency,time\n16384,ldg,any,warm-steady,"));
  CHECK(std::count(said.out.begin(), said.out.end(), '\n') == 3);
}

TEST_CASE("a quantity that a point does not have leaves its place empty") {
  const Said said = gpusim_command("probe memory-op --arch volta --op stg --width 32 --address lanes --csv -");
  CHECK(said.code == 0);
  CHECK(has(said.out, "op,width,address,raw,war\nstg,32,lanes,,"));
}

TEST_CASE("JSON has the readings with their parameters, clock and units") {
  const Folder folder;
  const std::string path = folder / "shared.json";
  const Said said = gpusim_command("probe shared --arch hopper --clock base --ways 2 --json " + path);
  CHECK(said.code == 0);
  CHECK(has(said.out, "ways 2"));
  const auto json = nlohmann::json::parse(contents(path));
  CHECK(json["probe"] == "shared");
  CHECK(json["gpu"] == "h100-sxm");
  CHECK(json["units"]["latency"] == "cycles");
  REQUIRE(json["readings"].size() == 1);
  CHECK(json["readings"][0]["parameters"]["ways"] == "2");
  CHECK(json["readings"][0]["clock_mhz"].is_number_integer());
  CHECK(json["readings"][0]["quantities"]["latency"].get<double>() > 0);
}

TEST_CASE("--json - prints JSON alone") {
  const Said said = gpusim_command("probe shared --arch hopper --ways 1 --json -");
  CHECK(said.code == 0);
  CHECK(nlohmann::json::accept(said.out));
  CHECK(said.err.empty());
}

TEST_CASE("a profile's numbers can be changed first") {
  const std::string arguments = "probe shared --arch hopper --ways 1 --csv -";
  const Said changed = gpusim_command(arguments + " --set shared.latency=77");
  CHECK(changed.code == 0);
  CHECK(has(changed.out, "\n1,77,"));
}

TEST_CASE("a GPU that cannot run a probe says so and names those that can") {
  const Said said = gpusim_command("probe tma --arch rtx3090");
  CHECK(said.code == 1);
  CHECK(said.out.empty());
  CHECK(has(said.err, "rtx3090 cannot run it: it has no tensor memory accelerator; "));
  CHECK(has(said.err, "h100-sxm"));
}

TEST_CASE("wrong values are refused at the option that has them") {
  const Said said = gpusim_command("probe latency --arch ada --footprint 16KB,x --via ldx");
  CHECK(said.code == 1);
  CHECK(has(said.err, "--footprint: '16KB' is not a size"));
  CHECK(has(said.err, "--footprint: 'x' is not a size"));
  CHECK(has(said.err, "--via: "));
}

TEST_CASE("what a point has no use for, or has less of, is refused") {
  const Said reads = gpusim_command("probe dram --arch ada --kernel read --reads 2");
  CHECK(reads.code == 1);
  CHECK(has(reads.err, "--reads: only kernel mix has it, not read"));
  CHECK(has(gpusim_command("probe dram --arch ada --kernel triad --writes 1").err, "--writes: only kernel mix"));
  const Said sms = gpusim_command("probe noc --arch ada --level tpc --sms 7");
  CHECK(sms.code == 1);
  CHECK(has(sms.err, "--sms: level tpc has 2 SMs"));
}

TEST_CASE("unknown probes and options are refused as usage, with the nearest") {
  CHECK(has(gpusim_command("probe latncy --arch ada").err, "did you mean 'latency'?"));
  CHECK(gpusim_command("probe latncy --arch ada").code == 2);
  CHECK(has(gpusim_command("probe latency --arch ada --footprnt 1MiB").err, "did you mean '--footprint'?"));
  CHECK(has(gpusim_command("probe latency").err, "--arch"));
  CHECK(gpusim_command("probe").code == 2);
}

TEST_CASE("help lists the probes, and each probe's parameters") {
  const Said all = gpusim_command("probe --help");
  CHECK(all.code == 0);
  for (const char* kind : {"latency", "bandwidth", "stride", "shared", "l2", "dram", "tma", "dsm", "registers", "mma",
                           "wgmma", "barrier", "atomic", "launch", "dispatch"})
    CHECK(has(all.out, std::string("\n  ") + kind + " "));
  const Said one = gpusim_command("probe latency --help");
  CHECK(one.code == 0);
  CHECK(has(one.out, "--footprint"));
  CHECK(has(one.out, "gpu-latency"));
}

TEST_CASE("Ctrl-C within a reading, the last one too, stops it, leaves no file behind, and ends with 130") {
  const Folder folder;
  const auto begin = std::chrono::steady_clock::now();
  const Said said = gpusim_command("probe bandwidth --arch hopper --footprint 64MiB --csv " + (folder / "b.csv"),
                                   "timeout --preserve-status --signal=INT 1");
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::minutes(1));  // the whole reading takes minutes
  CHECK(said.code == 130);
  CHECK(said.err == "gpusim: interrupted; nothing was written\n");
  CHECK(said.out.empty());
  CHECK(folder.files() == 0);
}

TEST_CASE("standard output cannot hold JSON and CSV both") {
  const Said said = gpusim_command("probe shared --arch ada --json - --csv -");
  CHECK(said.code == 1);
  CHECK(has(said.err, "--csv"));
}

}  // namespace gpusim::probe_test
