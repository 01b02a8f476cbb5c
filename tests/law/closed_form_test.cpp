// Law: on a machine of latencies alone, the engine's cycles are the closed form of the pipeline, whatever the
// latencies.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <random>
#include <stdexcept>
#include <vector>

#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"
#include "gpusim/schedules/gemm.h"

namespace gpusim::closed_form_test {

using schedules::GemmVariant;

namespace {

/// Cycles of the parts of a tile.
struct Latencies {
  std::int64_t global = 0;
  std::int64_t shared = 0;
  std::int64_t ffma = 0;
  std::int64_t mma = 0;
};

/// Eight steps of (shared access, FFMA), four elements of k each.
constexpr std::int64_t steps = 8;

std::int64_t one_after_another(std::int64_t tiles, std::int64_t tile) { return tiles * tile; }

/// Tile t begins when its copy has arrived and the tile before has ended; then the buffer of tile t - 1 is free, and
/// the copy of tile t + stages - 1 is issued into it. The first stages - 1 are issued at the start.
std::int64_t copied_ahead(std::int64_t tiles, std::int64_t stages, std::int64_t global, std::int64_t compute) {
  std::vector<std::int64_t> arrives(static_cast<std::size_t>(tiles + stages), global);
  std::int64_t end = 0;
  for (std::int64_t tile = 0; tile < tiles; ++tile) {
    const std::int64_t begin = std::max(arrives[static_cast<std::size_t>(tile)], end);
    arrives[static_cast<std::size_t>(tile + stages - 1)] = begin + global;
    end = begin + compute;
  }
  return end;
}

/// A producer of its own issues the copy of tile t as soon as tile t - stages has ended.
std::int64_t copied_when_free(std::int64_t tiles, std::int64_t stages, std::int64_t global, std::int64_t compute) {
  std::vector<std::int64_t> ends;
  for (std::int64_t tile = 0; tile < tiles; ++tile) {
    const std::int64_t issued = tile < stages ? 0 : ends[static_cast<std::size_t>(tile - stages)];
    const std::int64_t before = tile == 0 ? 0 : ends.back();
    ends.push_back(std::max(issued + global, before) + compute);
  }
  return ends.back();
}

struct Draw {
  Latencies cycles;
  std::int64_t dram = 0;
  std::int64_t stages = 2;
  std::int64_t tiles = 1;
  GemmVariant variant = GemmVariant::simt;
  bool specialize = false;
  L2State l2 = L2State::warm;
};

std::int64_t closed_form(const Draw& draw) {
  const std::int64_t global = draw.l2 == L2State::warm ? draw.cycles.global : draw.dram;
  const std::int64_t compute = draw.cycles.shared + draw.cycles.mma;
  if (draw.variant == GemmVariant::simt)
    return one_after_another(draw.tiles, global + steps * draw.cycles.shared + steps * draw.cycles.ffma);
  if (draw.variant == GemmVariant::tensor) return one_after_another(draw.tiles, global + compute);
  if (draw.specialize) return copied_when_free(draw.tiles, draw.stages, global, compute);
  return copied_ahead(draw.tiles, draw.stages, global, compute);
}

std::int64_t simulated(const Draw& draw) {
  Profile profile = load_profile("textbook-2023");
  profile.l2->latency = Cycles(draw.cycles.global);
  profile.dram.latency = Cycles(draw.dram);
  profile.shared.latency = Cycles(draw.cycles.shared);
  profile.pipes.fma.latency = Cycles(draw.cycles.ffma);
  profile.tensor.modes.at(0).latency = Cycles(draw.cycles.mma);
  const schedules::GemmProblem problem{.m = 32, .n = 32, .k = 32 * draw.tiles, .dtype = DType::fp32};
  schedules::GemmRequest request{.tile = {32, 32, 32}, .variant = draw.variant, .specialize = draw.specialize};
  request.stages = static_cast<int>(draw.stages);
  const Schedule schedule = gemm(problem, choose(profile, problem, request));
  return cycles(Gpu(profile).run(schedule, {.l2 = draw.l2})).count();
}

class Random {
 public:
  std::int64_t from(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(generator_);
  }
  /// Often small, sometimes long.
  std::int64_t latency(std::int64_t least) { return from(0, 2) == 0 ? from(least, least + 8) : from(least, 700); }

 private:
  std::mt19937_64 generator_{504};
};

}  // namespace

TEST_CASE("200 random draws of latencies, stages and tile counts equal the closed form") {
  struct Kind {
    GemmVariant variant;
    bool specialize;
  };
  constexpr std::array kinds{Kind{GemmVariant::simt, false}, Kind{GemmVariant::tensor, false},
                             Kind{GemmVariant::async, false}, Kind{GemmVariant::tma, false},
                             Kind{GemmVariant::tma, true}};
  Random random;
  for (int i = 0; i < 200; ++i) {
    Draw draw;
    draw.cycles = {random.latency(2), random.latency(0), random.latency(0), random.latency(0)};
    draw.dram = random.latency(2);
    draw.tiles = random.from(1, 40);
    const Kind kind = kinds[static_cast<std::size_t>(i) % kinds.size()];
    draw.variant = kind.variant;
    draw.specialize = kind.specialize;
    draw.stages = kind.variant == GemmVariant::async || kind.variant == GemmVariant::tma ? random.from(2, 8) : 1;
    draw.l2 = random.from(0, 1) == 0 ? L2State::warm : L2State::cold;
    CAPTURE(i);
    CAPTURE(name(draw.variant));
    CAPTURE(draw.specialize);
    CAPTURE(draw.cycles.global);
    CAPTURE(draw.dram);
    CAPTURE(draw.cycles.shared);
    CAPTURE(draw.cycles.ffma);
    CAPTURE(draw.cycles.mma);
    CAPTURE(draw.stages);
    CAPTURE(draw.tiles);
    CHECK(simulated(draw) == closed_form(draw));
  }
}

}  // namespace gpusim::closed_form_test
