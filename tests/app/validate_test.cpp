// gpusim validate --gemm: tables in, errors out.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "support/gemm_table_file.h"

namespace gpusim::validate_test {

using namespace gpusim::testing;

TEST_CASE("measured products are simulated and their errors told by GPU and type") {
  const Said said = GemmTableFile(good_row + other_row).validate();
  CHECK(said.code == 0);
  CHECK(said.err.empty());
  CHECK(has(said.out, "V100      fp16 "));
  CHECK(has(said.out, "RTX 3090  fp32 "));
  CHECK(has(said.out, "roofline"));
}

TEST_CASE("--json has groups and overall, and --rows the rows with what became of them") {
  const GemmTableFile table(good_row + other_row);
  const Said said = table.validate("--json - --rows " + (table.folder / "rows.csv"));
  CHECK(said.code == 0);
  const auto json = nlohmann::json::parse(said.out);
  CHECK(json["groups"].size() == 2);
  CHECK(json["groups"][0]["gpu"] == "V100");
  CHECK(json["groups"][0]["simulated"] == 1);
  CHECK(json["overall"]["attempted"] == 2);
  CHECK(json["overall"]["mape"].is_number());
  CHECK(json["overall"]["roofline_mape"].is_number());
  const std::string rows = contents(table.folder / "rows.csv");
  CHECK(has(rows, "tier,source,simulated_us,error,clock_mhz,schedule,bound,refused\n"));
  CHECK(has(rows, "2 slices of k"));
}

TEST_CASE("rows are narrowed by GPU, tier and sample") {
  const GemmTableFile table(good_row + other_row);
  const auto attempted = [&](const std::string& options) {
    return nlohmann::json::parse(table.validate("--json - " + options).out)["overall"]["attempted"].get<int>();
  };
  CHECK(attempted("") == 2);
  CHECK(attempted("--gpu v100-sxm2") == 1);
  CHECK(attempted("--gpu V100,rtx3090 --tier B") == 1);
  CHECK(attempted("--sample 1 --seed 5") == 1);
}

TEST_CASE("threads change nothing") {
  const GemmTableFile table(good_row + other_row + "T4,64,64,64,3,fp16,fp32,,10,A,\n");
  const auto written = [&](const std::string& jobs) {
    const std::string rows = table.folder / "rows.csv";
    std::string json = table.validate("--json - --rows " + rows + " --jobs " + jobs).out;
    return json + contents(rows);
  };
  CHECK(written("4") == written("1"));
}

TEST_CASE("at half the clock a product that waits for nobody but the SM takes longer") {
  const GemmTableFile table(good_row);
  const auto time = [&](const std::string& clock) {
    const auto json = nlohmann::json::parse(table.validate("--json - --clock " + clock).out);
    return 10 * (1 + json["overall"]["median_signed"].get<double>() / 100);
  };
  CHECK(time("700") > 1.2 * time("1400"));
  CHECK(time("base") >= time("boost"));
}

TEST_CASE("a layout or note that means nothing is a bad row") {
  const Folder folder;
  write(folder / "t.csv",
        "gpu,m,n,k,dtype_in,time_us,layout,schedule_notes\nV100,128,128,64,fp16,10,MN,\n"
        "V100,128,128,64,fp16,10,NN row-major,\nV100,128,128,64,fp16,10,,cta_tile=128 stages=2\n");
  const Said said = gpusim_command("validate --gemm " + (folder / "t.csv"));
  CHECK(said.code == 1);
  CHECK(has(said.out, "V100  fp16 "));
  CHECK(has(said.err, "t.csv:2: layout: unknown layout 'MN'; did you mean 'nn'? (there are nn, "));
  CHECK(has(said.err, "t.csv:4: schedule_notes: 'cta_tile=128' is not cta_tile=MxN or MxNxK"));
}

TEST_CASE("a bad row is told with its line, the good ones run, and the exit code says so") {
  const GemmTableFile table("A1000,8,8,8,1,fp16,fp32,,1,A,\n" + good_row + "V100,x,8,8,1,fp16,fp32,,1,A,\n" + good_row +
                            "V100,8\n");
  const Said said = table.validate();
  CHECK(said.code == 1);
  CHECK(has(said.out, "V100  fp16 "));
  CHECK(has(said.err, "t.csv:2: gpu: "));
  CHECK(has(said.err, "t.csv:4: m: 'x' is not a whole number"));
  CHECK(has(said.err, "t.csv:5: equals line 3 in every column"));
  CHECK(has(said.err, "t.csv:6: has 2 fields; the table has 11 columns"));
}

TEST_CASE("a table that misses a column runs nothing") {
  const Folder folder;
  write(folder / "t.csv", "gpu,m,n,dtype_in,time_us\nV100,8,8,fp16,1\n");
  const Said said = gpusim_command("validate --gemm " + (folder / "t.csv") + " --json -");
  CHECK(said.code == 1);
  CHECK(said.out.empty());
  CHECK(has(said.err, "t.csv:1: there is no column 'k'"));
}

TEST_CASE("what a GPU lacks is refused with the reason and is no error; GPUs out of scope are listed") {
  const GemmTableFile table("V100,128,128,64,1,fp8,fp32,,10,A,\nP100-PCIE-16GB,8,8,8,1,fp32,fp32,,1,A,\n" + good_row);
  const Said said = table.validate();
  CHECK(said.code == 0);
  CHECK(has(said.out, "this GPU does not multiply fp8"));
  CHECK(has(said.out, "GPUs out of scope, not attempted\n  1 row: P100-PCIE-16GB"));
}

TEST_CASE("types that no matrix has are refused, not simulated") {
  const Said said = GemmTableFile("RTX 2080 Ti,128,128,64,1,int4,int32,,10,A,\n" + good_row).validate();
  CHECK(said.code == 0);
  CHECK(has(said.out, "no schedule has int4 matrices"));
}

TEST_CASE("bad values of options are told together, before anything runs") {
  const GemmTableFile table(good_row);
  const Said said = table.validate("--sample 0 --jobs many --clock fast --json /no/such/folder/x");
  CHECK(said.code == 1);
  CHECK(said.out.empty());
  for (const char* option : {"--sample", "--jobs", "--clock", "--json"}) CHECK(has(said.err, option));
  CHECK(has(table.validate("--gpu A1000").err, "--gpu: "));
  CHECK(has(table.validate("--gpu T4").err, "--gpu: no row of the table is left"));
  CHECK(has(table.validate("--json - --rows -").err, "--rows: standard output cannot hold --json and --rows both"));
}

TEST_CASE("files are written whole or not at all") {
  const Folder folder;
  write(folder / "rows.csv", "old");
  CHECK(gpusim_command("validate --gemm " + (folder / "none.csv") + " --rows " + (folder / "rows.csv")).code == 1);
  CHECK(contents(folder / "rows.csv") == "old");
  CHECK(folder.files() == 1);
}

TEST_CASE("measured kernels are simulated and told by GPU, kernel and type; bad rows are told with their line") {
  const Folder folder;
  write(folder / "k.csv",
        "gpu,op,shape,dtype,time_us\nV100,relu(torch),256x256,fp32,5\nV100,sofmax,8x8,fp32,1\n"
        "V100,rope(liger),H=64,fp32,5\nV100,relu(torch),256x256,fp32,5\nP4,relu,8x8,fp32,5\n");
  const Said said =
      gpusim_command("validate --kernels " + (folder / "k.csv") + " --json - --rows " + (folder / "r.csv"));
  CHECK(said.code == 1);
  CHECK(has(said.err, "k.csv:3: op: unknown kernel 'sofmax'; did you mean 'softmax'?"));
  CHECK(has(said.err, "k.csv:5: equals line 2 in every column"));
  const auto json = nlohmann::json::parse(said.out);
  REQUIRE(json["groups"].size() == 2);
  CHECK(json["groups"][0]["kernel"] == "elementwise");
  CHECK(json["groups"][0]["simulated"] == 1);
  CHECK(json["groups"][1]["kernel"] == "rope");
  CHECK(json["groups"][1]["mape"] == 100);
  CHECK(json["overall"]["attempted"] == 2);
  CHECK(json["out_of_scope"][0]["gpu"] == "P4");
  CHECK(has(contents(folder / "r.csv"), "time_us,simulated_us,error,clock_mhz,schedule,bound,refused\n"));
  CHECK(has(contents(folder / "r.csv"), "no schedule does 'rope'"));
  CHECK(folder.files() == 2);
}

TEST_CASE("measured ladders are simulated with the tile they state, and refused without") {
  const Folder folder;
  write(folder / "l.csv",
        "gpu,m,n,k,dtype,step,kernel_name,tile_params,gflops\nT4,128,128,64,fp16,1,mine,64x64x32,100\n"
        "T4,128,128,64,fp16,2,mine,,100\nT4,128,128,64,fp16,0,cuBLAS,,100\n");
  const Said said = gpusim_command("validate --ladders " + (folder / "l.csv"));
  CHECK(said.code == 0);
  CHECK(has(said.out, "1 row: tile_params: states no tile"));
  CHECK(has(said.out, "all"));
}

TEST_CASE("tables to fill in can be compared as they are") {
  const std::string folder = std::string(GPUSIM_SOURCE_DIR) + "/examples/measured/";
  for (const std::string kind : {"gemm", "kernels", "ladders"})
    CHECK(gpusim_command("validate --" + kind + " " + folder + kind + ".csv").code == 0);
}

TEST_CASE("validate says what it can do") {
  CHECK(gpusim_command("validate --help").code == 0);
  CHECK(gpusim_command("validate").code == 2);
  CHECK(gpusim_command("validate --gemm x.csv --anchors").code == 2);
  const Said help = gpusim_command("validate --gemm --help");
  CHECK(help.code == 0);
  CHECK(has(help.out, "--sample"));
  CHECK(gpusim_command("validate --gemm x.csv --sampel 3").code == 2);
}

}  // namespace gpusim::validate_test
