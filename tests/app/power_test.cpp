// gpusim run ... --clock power, and what the views say of power.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "support/command.h"

namespace gpusim::power_command_test {

using namespace gpusim::testing;

namespace {

const std::string run = "run matmul --m 1024 --n 1024 --k 1024 --tile 128x128x32 ";

nlohmann::json json_of(const std::string& options) {
  return nlohmann::json::parse(gpusim_command(run + options + " --json -").out);
}

}  // namespace

TEST_CASE("--clock power runs at the clock that the board's limit leaves") {
  const auto boost = json_of("--arch t4");
  const auto held = json_of("--arch t4 --clock power");
  CHECK(held["options"]["clock_mhz"] < boost["options"]["clock_mhz"]);
  CHECK(held["power"]["watts"].get<double>() == doctest::Approx(70).epsilon(0.05));
  CHECK(boost["power"]["watts"] > boost["power"]["limit_watts"]);
  CHECK(held["time_us"] > boost["time_us"]);
}

TEST_CASE("with a higher limit --clock power is the boost clock") {
  const auto result = json_of("--arch t4 --clock power --set power.limit_w=1000");
  CHECK(result["options"]["clock_mhz"] == 1590);
}

TEST_CASE("tuning under power ranks at the clock that it leaves, which a profile without power has none of") {
  const std::string product = " --m 512 --n 512 --k 512 --top 2";
  const Said said = gpusim_command("tune matmul --arch t4 --clock power --set power.limit_w=40" + product);
  CHECK(said.code == 0);
  CHECK(has(said.out, "each at the clock that power leaves it"));
  CHECK_FALSE(has(gpusim_command("tune matmul --arch t4" + product).out, "that power leaves"));
  CHECK(gpusim_command("tune matmul --arch textbook-2023 --clock power" + product).code == 1);
}

TEST_CASE("the text view says what the run draws") {
  const Said said = gpusim_command(run + "--arch t4");
  CHECK(has(said.out, "\nPower\n"));
  CHECK(has(said.out, "of the board's limit of 70 W"));
  CHECK(has(said.out, "W  the board gives 70 W: in a long run "));
  CHECK_FALSE(has(gpusim_command(run + "--arch t4 --set power.limit_w=1000").out, "the board gives"));
  CHECK_FALSE(has(gpusim_command(run + "--arch t4 --clock power").out, "the board gives"));
}

TEST_CASE("a profile without power has no clock under it, and no section") {
  const std::string textbook = "run matmul --arch textbook-2023 --m 32 --n 32 --k 32 --tile 32 --schedule simt ";
  CHECK_FALSE(has(gpusim_command(textbook).out, "\nPower\n"));
  const Said refused = gpusim_command(textbook + "--clock power");
  CHECK(refused.code == 1);
  CHECK(has(refused.err, "--clock: 'power': the profile 'textbook-2023' says nothing of power"));
}

TEST_CASE("a probe, which is no run for long, does not know the word") {
  const Said said = gpusim_command("probe latency --arch t4 --clock power");
  CHECK(said.code == 1);
  CHECK(has(said.err, "unknown clock 'power'"));
}

TEST_CASE("the text says why the board gives the clock that it gives") {
  const auto said = [](const std::string& options) {
    return gpusim_command("run matmul --m 256 --n 256 --k 256 --tile 64x64x32 --schedule async " + options).out;
  };
  CHECK(has(said("--arch ada"), "nothing is held back"));
  CHECK(has(said("--arch ada --set power.limit_w=100"), "where the board settles in a long run"));
  CHECK(has(said("--arch ada --set power.tensor_max_mhz=1500"), "1,500 MHz"));
  CHECK(has(said("--arch ada --set power.tensor_max_mhz=1500"), "the most with tensor cores (power.tensor_max_mhz)"));
  CHECK(has(said("--arch ada --clock 2600"), "the most that the board gives"));
}

}  // namespace gpusim::power_command_test
