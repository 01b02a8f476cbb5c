// gpusim validate --set: other numbers in the profiles of a comparison.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "support/command.h"

namespace gpusim::validate_set_test {

using namespace gpusim::testing;

namespace {

/// A table of one row in a folder of its own.
struct Table {
  explicit Table(const std::string& row) : path(folder / "t.csv") {
    write(path, "gpu,m,n,k,dtype_in,time_us,source\n" + row + "\n");
  }

  [[nodiscard]] Said validate(const std::string& options) const {
    return gpusim_command("validate --gemm " + path + " " + options);
  }

  Folder folder;
  std::string path;
};

const std::string good = "V100,128,128,64,fp16,10,";

}  // namespace

TEST_CASE("--set changes numbers of the profiles of --gpu, which must have them") {
  const Table table(good);
  const Said slow =
      table.validate("--rows - --gpu V100 --clock boost --set clock.base_mhz=600 --set clock.boost_mhz=700");
  CHECK(slow.code == 0);
  CHECK(has(slow.out, ",700,"));
  CHECK_FALSE(has(table.validate("--rows - --gpu V100 --clock boost").out, ",700,"));
  const Said of_none = table.validate("--set clock.boost_mhz=700");
  CHECK(of_none.code == 2);
  CHECK(has(of_none.err, "--set: of which GPU? Give --gpu, too"));
  const Said misspelt = table.validate("--gpu V100 --set clock.bost_mhz=700");
  CHECK(misspelt.code == 1);
  CHECK(has(misspelt.err, "--set clock.bost_mhz=700: "));
  CHECK(has(misspelt.err, "boost_mhz"));
  CHECK(table.validate("--gpu V100 --set clock.boost_mhz=-1 --rows " + (table.folder / "r.csv")).code == 1);
  CHECK(table.folder.files() == 1);
  CHECK(has(gpusim_command("validate --kernels x.csv --set clock.boost_mhz=700").err, "--set: of which GPU?"));
  CHECK(has(gpusim_command("validate --ladders x.csv --set clock.boost_mhz=700").err, "--set: of which GPU?"));
}

TEST_CASE("what --set changed stands in the report and in JSON") {
  const Table table(good);
  const std::string changes = "--gpu V100 --set clock.base_mhz=600 --set clock.boost_mhz=700";
  CHECK(has(table.validate(changes).out, "(--set)\n  clock.base_mhz=600\n  clock.boost_mhz=700\n"));
  CHECK_FALSE(has(table.validate("--gpu V100").out, "(--set)"));
  const auto set = [&](const std::string& options) {
    return nlohmann::json::parse(table.validate("--json - " + options).out)["set"];
  };
  CHECK(set(changes) == nlohmann::json{"clock.base_mhz=600", "clock.boost_mhz=700"});
  CHECK(set("--gpu V100") == nlohmann::json::array());
}

TEST_CASE("a change that the profile of a row's own GPU cannot have leaves nothing behind") {
  const Table table("A100,128,128,64,fp16,10,microsoft/vidur:x");  // a card of 300 W, not 400
  const Said said =
      table.validate("--gpu A100 --set power.static_w=350 --rows " + (table.folder / "r.csv") + " --json -");
  CHECK(said.code == 1);
  CHECK(said.out.empty());
  CHECK(has(said.err, "a100-pcie-80gb: power.static_w: leaves nothing of power.limit_w"));
  CHECK(table.folder.files() == 1);
}

}  // namespace gpusim::validate_set_test
