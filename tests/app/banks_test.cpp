// gpusim banks
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "support/command.h"

namespace gpusim::banks_test {

using gpusim::testing::gpusim_command;
using gpusim::testing::Said;
using Json = nlohmann::json;

namespace {

double degree(const std::string& arguments) {
  CAPTURE(arguments);
  const Said said = gpusim_command("banks " + arguments + " --json -");
  CAPTURE(said.err);
  REQUIRE(said.code == 0);
  return Json::parse(said.out).at("degree").get<double>();
}

void refuses(const std::string& arguments, int code, const std::string& part) {
  CAPTURE(arguments);
  const Said said = gpusim_command("banks " + arguments);
  CAPTURE(said.err);
  CHECK(said.code == code);
  CHECK(said.out.empty());
  CHECK(said.err.find(part) != std::string::npos);
}

}  // namespace

TEST_CASE("known degrees") {
  CHECK(degree("--layout 32x32:fp32 --access lds.32 --lanes column") == 32);
  CHECK(degree("--layout 32x32:fp32:padded --access lds.32 --lanes column") == 1);
  CHECK(degree("--layout 32x32:fp32:pitch=136 --access lds.32 --lanes column") == 2);
  CHECK(degree("--layout 32x32:fp32 --access sts.32") == 1);
  CHECK(degree("--layout 64x64:fp16 --access ldmatrix") == 8);
  CHECK(degree("--layout 64x64:fp16:swizzle128 --access ldmatrix") == 1);
  CHECK(degree("--layout 64x64:fp16:padded --access ldmatrix") == 1);
  CHECK(degree("--layout 8x128:fp32 --access lds.128 --lanes 4x8 --spacing 0x4") == 1);
}

TEST_CASE("JSON and the table say which lanes hit which bank") {
  const Said said = gpusim_command("banks --layout 32x32:fp32 --access lds.32 --lanes column --json -");
  const Json json = Json::parse(said.out);
  CHECK(json.at("wavefronts") == 32);
  CHECK(json.at("least") == 1);
  CHECK(json.at("phases").size() == 1);
  CHECK(json.at("phases")[0].at("lanes_by_bank")[0].size() == 32);
  CHECK(json.at("phases")[0].at("lanes_by_bank")[1].empty());
  const Said table = gpusim_command("banks --layout 32x32:fp32 --access lds.32 --lanes column");
  CHECK(table.out.find("32 wavefronts, 1 at the least: degree 32") != std::string::npos);
  CHECK(gpusim_command("banks --layout 64x64:fp16:swizzle128 --access ldmatrix").out.find("no conflicts") !=
        std::string::npos);
}

TEST_CASE("what makes no sense is refused with what would") {
  refuses("--access lds.32", 2, "--layout: which tile?");
  refuses("--layout 32x32:fp32", 2, "--access: how?");
  refuses("--layout 32x32 --access lds.32", 1, "is not ROWSxCOLUMNS:TYPE");
  refuses("--layout 32x32:fp33 --access lds.32", 1, "did you mean 'fp32'?");
  refuses("--layout 32x32:fp32:swizle128 --access lds.32", 1, "did you mean 'swizzle128'?");
  refuses("--layout 32x64:fp16 --access lds.32 --lanes 3x4", 1, "12 lanes, not a warp's 32; 4x8 would do");
  CHECK(gpusim_command("banks --layout 32x64:fp16 --access lds.32 --lanes 4x8").code == 0);
  refuses("--layout 32x16:fp32:swizzle128 --access lds.32", 1, "these have 64; swizzle64 would do");
  refuses("--layout 32x32:fp32:pitch=130 --access lds.32", 1, "132 would do");
  refuses("--layout 32x32:fp32 --access lds.31", 1, "did you mean 'lds.32'?");
  refuses("--layout 32x32:fp32 --access lds.16", 1, "moves 2 of the 4 bytes");
  refuses("--layout 32x32:fp32 --access lds.32 --lanes 4x4", 1, "4x8 would do");
  refuses("--layout 32x32:fp32 --access lds.32 --lanes colum", 1, "did you mean 'column'?");
  refuses("--layout 16x32:fp32 --access lds.32 --lanes column", 1, "lane 16 reaches [16, 0]");
  refuses("--layout 64x64:fp16 --access ldmatrix --lanes column", 1, "ldmatrix has its lanes");
}

}  // namespace gpusim::banks_test
