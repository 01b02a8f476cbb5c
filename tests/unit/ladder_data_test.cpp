// The published ladders: all rows are there, with sources and licences, and steps without a preset say why.
#include <doctest/doctest.h>

#include <map>
#include <set>

#include "gpusim/error.h"
#include "gpusim/ladders.h"
#include "gpusim/profile_io.h"
#include "validate/ladder_files.h"

namespace gpusim::ladder_data_test {

using validate::Ladder;
using validate::LadderStep;

TEST_CASE("every published figure is there") {
  const std::map<std::string, std::size_t> published{
      {"alexarmbr-t4", 27},      {"cuda-hgemm-3090", 144}, {"emmy-4090", 24},        {"emmy-h100", 11},
      {"emmy-v100", 14},         {"fast-cu-h100", 15},     {"leimao-3090-fp16", 15}, {"leimao-3090-fp32", 13},
      {"liu-v100", 12},          {"siboehm-a6000", 54},    {"tgautam03-3090", 21},   {"tgautam03-3090-fp16", 6},
      {"waynehacking8-h100", 35}};
  std::map<std::string, std::size_t> there;
  for (const Ladder& ladder : validate::ladders())
    for (const LadderStep& step : ladder.steps) there[ladder.name] += step.figures.size();
  CHECK(there == published);
}

TEST_CASE("ladders say where they come from, and are of GPUs there are") {
  for (const Ladder& ladder : validate::ladders()) {
    CAPTURE(ladder.name);
    CHECK_FALSE(ladder.title.empty());
    CHECK_FALSE(ladder.licence.empty());
    CHECK_NOTHROW((void)load_profile(ladder.gpu));
    std::set<std::string> names;
    for (const LadderStep& step : ladder.steps) {
      CAPTURE(step.name);
      CHECK(names.insert(step.name).second);
      CHECK_FALSE(step.figures.empty());
      for (const auto& figure : step.figures) CHECK(figure.source.find(':') + figure.source.find('/') > 1);
      CHECK((step.of_library || step.preset || !step.note.empty()));
    }
  }
}

TEST_CASE("a ladder's own size is one its steps were measured at") {
  for (const Ladder& ladder : validate::ladders()) {
    if (!ladder.size) continue;
    CAPTURE(ladder.name);
    std::size_t there = 0;
    for (const LadderStep& step : ladder.steps)
      for (const auto& figure : step.figures) there += figure.m == *ladder.size ? 1 : 0;
    CHECK(there > 0);
  }
}

TEST_CASE("the locked clock of the T4 is the ladder's") { CHECK(validate::ladder("alexarmbr-t4").clock_mhz == 1590); }

TEST_CASE("a name that is none is refused with the nearest") {
  CHECK_THROWS_WITH_AS((void)validate::ladder("siboehm-a600"), doctest::Contains("did you mean 'siboehm-a6000'?"),
                       InputError);
}

TEST_CASE("what is no ladder is refused with its place") {
  const std::string head =
      R"({"name": "x", "title": "x", "gpu": "t4", "source": "a/b:c", "licence": "MIT", "gains": true, "problem": {}, )";
  const auto refuses = [&](const std::string& steps, const std::string& part) {
    CAPTURE(steps);
    CHECK_THROWS_WITH_AS((void)validate::read_ladder("x", head + "\"steps\": [" + steps + "]}"),
                         doctest::Contains(part.c_str()), InputError);
  };
  const std::string figures = R"("figures": [{"m": 1, "n": 1, "k": 1, "gflops": 1}]})";
  const std::string step = R"({"name": "1", "title": "t", "published": "p", )";
  refuses(step + figures, "x#/steps/0: a step without a tiling says why");
  refuses(step + R"("tiling": {"tiel": "1x1x1"}, )" + figures, "unknown member 'tiel'");
  refuses(step + R"("tiling": {"tile": "128x128"}, )" + figures, "no shape: '128x128'");
  refuses(step + R"("tiling": {"variant": "smit"}, )" + figures, "unknown word 'smit'");
  refuses(step + R"("tiling": {"order": "rows"}, )" + figures, "unknown word 'rows'");
  refuses(step + R"("note": "n", "figures": [{"m": 1, "n": 1, "k": 1, "gflops": 0}]})", "gflops is not positive");
  refuses(step + R"("library": true, "tiling": {}, )" + figures, "a library's kernel has no preset");
}

TEST_CASE("a step's tiling may say in which pieces C leaves") {
  const Ladder ladder = validate::read_ladder(
      "x", R"({"name": "x", "title": "x", "gpu": "h100-sxm", "source": "a/b:c", "licence": "MIT", "gains": true,
               "problem": {}, "steps": [{"name": "1", "title": "t", "published": "p",
               "tiling": {"variant": "wgmma", "epilogue": "tma", "epilogue_columns": 32},
               "figures": [{"m": 1, "n": 1, "k": 1, "gflops": 1}]}]})");
  CHECK(ladder.steps.at(0).preset->epilogue_columns == 32);
}

TEST_CASE("a tiling has every choice by its name") {
  const Ladder ladder = validate::ladder("fast-cu-h100");
  const auto last = *ladder.steps[ladder.steps.size() - 2].preset;
  CHECK(last.variant == schedules::GemmVariant::wgmma);
  CHECK(last.tile == schedules::GemmTile{128, 256, 64});
  CHECK(last.instruction == MmaShape{64, 256, 16});
  CHECK(last.order == TileOrder::hilbert);
  CHECK(last.cluster == schedules::GemmShape{2, 1});
  CHECK(last.epilogue == schedules::Epilogue::tma);
  CHECK(last.consumers == 2);
  CHECK(last.consumer_registers == 240);
}

}  // namespace gpusim::ladder_data_test
