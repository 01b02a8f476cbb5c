// One 32 x 32 x 32 product on a machine of latencies alone, as it is done by hand: 504 cycles with multiply-adds, 235
// with tensor cores, and 200 for each further tile when copies run ahead. Each is shown as the sum it is.
#include <iostream>
#include <string_view>

#include "gpusim/estimate/critical_path.h"
#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"
#include "gpusim/schedules/gemm.h"
#include "gpusim/view/derivation.h"

using gpusim::schedules::GemmProblem;
using gpusim::schedules::GemmRequest;
using gpusim::schedules::GemmVariant;

namespace {

const gpusim::RunOptions warm{.l2 = gpusim::L2State::warm};

/// Prints how many cycles the product takes and why; false when simulation and closed form differ.
bool show(std::string_view title, const gpusim::Gpu& gpu, const GemmProblem& problem, const GemmRequest& request) {
  const auto tiling = gpusim::schedules::choose(gpu.profile(), problem, request);
  const auto schedule = gpusim::schedules::gemm(problem, tiling);
  const auto result = gpu.run(schedule, warm);
  const auto path = gpusim::estimate::critical_path(schedule, gpu.profile(), warm);

  std::cout << title << ": " << gpusim::cycles(result).count() << " cycles";
  const auto steady = gpusim::steady_cycles_per_tile(result.kernels.front());
  if (problem.k > request.tile.k && steady) std::cout << ", " << *steady << " a tile once under way";
  std::cout << "\n\n" << gpusim::view::derivation(result, path) << "\n";
  return gpusim::cycles(result) == path.total;
}

}  // namespace

int main() {
  const gpusim::Gpu gpu(gpusim::load_profile("textbook-2023"));
  const GemmProblem one_tile{.m = 32, .n = 32, .k = 32, .dtype = gpusim::DType::fp32};
  GemmProblem hundred_tiles = one_tile;
  hundred_tiles.k = 100 * one_tile.k;
  const gpusim::schedules::GemmTile tile{32, 32, 32};

  bool all_agree = show("Multiply-adds", gpu, one_tile, {.tile = tile, .variant = GemmVariant::simt});
  all_agree &= show("Tensor cores", gpu, one_tile, {.tile = tile, .variant = GemmVariant::tensor});
  all_agree &=
      show("Asynchronous copies", gpu, hundred_tiles, {.tile = tile, .variant = GemmVariant::async, .stages = 2});
  return all_agree ? 0 : 1;
}
