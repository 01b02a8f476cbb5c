// gpusim ladder
#include <doctest/doctest.h>

#include <algorithm>

#include "support/command.h"

namespace gpusim::ladder_test {

using gpusim::testing::gpusim_command;
using gpusim::testing::has;
using gpusim::testing::Said;

namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("list names the ladders, and the steps of one with why some have no preset") {
  const Said all = gpusim_command("ladder list");
  CHECK(all.code == 0);
  CHECK(has(all.out, "siboehm-a6000"));
  CHECK(has(all.out, "fast-cu-h100"));
  const Said one = gpusim_command("ladder list siboehm-a6000");
  CHECK(one.code == 0);
  CHECK(has(one.out, "half of the threads load"));
  CHECK(has(one.out, "licence: MIT"));
  CHECK(has(one.out, "\n3     schedule=simt tile="));
}

TEST_CASE("a ladder, step or size that is not there is refused with the nearest") {
  const auto refuses = [](const std::string& arguments, const std::string& part) {
    CAPTURE(arguments);
    const Said said = gpusim_command("ladder " + arguments);
    CAPTURE(said.err);
    CHECK(said.code == 1);
    CHECK(said.out.empty());
    CHECK(has(said.err, part));
  };
  refuses("list siboehm", "there is no such ladder");
  refuses("run siboehm-a600", "did you mean 'siboehm-a6000'?");
  refuses("run alexarmbr-t4 --steps kernel_7", "did you mean 'kernel_");
  refuses("run siboehm-a6000 --size 77", "--size: none of these steps was measured at 77 (there are 256, 512, ");
}

TEST_CASE("every preset of every ladder is listed with its parameters, one line a step") {
  const std::string all = gpusim_command("ladder list").out;
  for (std::size_t at = all.find('\n') + 1; at < all.size(); at = all.find('\n', at) + 1) {
    const std::string name = all.substr(at, all.find(' ', at) - at);
    CAPTURE(name);
    const std::string one = gpusim_command("ladder list " + name).out;
    const std::size_t begin = std::min(one.find("  parameters of the preset\n"), one.size());
    // The header of the steps has the word, too.
    CHECK(count(one.substr(begin), "  schedule=") + 1 == count(one.substr(0, begin), "  preset  "));
  }
}

TEST_CASE("run needs one ladder") {
  CHECK(gpusim_command("ladder run").code == 2);
  CHECK(has(gpusim_command("ladder rnu").err, "did you mean 'run'?"));
}

TEST_CASE("steps are simulated and compared, in any number of threads") {
  const std::string arguments = "ladder run siboehm-a6000 --steps 3,9 --size 256 --json -";
  const Said one = gpusim_command(arguments);
  CAPTURE(one.err);
  REQUIRE(one.code == 0);
  CHECK(has(one.out, "\"simulated\": 2"));
  CHECK(gpusim_command(arguments + " --jobs 2").out == one.out);
  CHECK(has(gpusim_command("ladder run siboehm-a6000 --steps 0,11 --size 256").out, "0 of 1 simulated"));
}

}  // namespace gpusim::ladder_test
