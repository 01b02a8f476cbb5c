#include <cmath>
#include <limits>

#include "schedules/gemm_plan.h"

namespace gpusim::schedules {
namespace {

constexpr std::int64_t most_extent = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t most_buffer_bytes = std::int64_t{1} << 47;
constexpr int most_tile_extent = 1024;
constexpr int most_stages = 1024;

class Collector {
 public:
  void require(bool holds, const std::string& where, const std::string& what) {
    if (!holds) problems.push_back({where, what});
  }
  void within(std::int64_t value, std::int64_t low, std::int64_t high, const std::string& where) {
    require(value >= low && value <= high, where,
            "it must be " + std::to_string(low) + " to " + std::to_string(high) + ", not " + std::to_string(value));
  }

  std::vector<Problem> problems;
};

bool is_float(DType type) { return type == DType::fp32 || type == DType::fp16 || type == DType::bf16; }

void check_buffer(const std::string& name, std::int64_t rows, std::int64_t columns, int element, Collector& collect) {
  const double bytes = static_cast<double>(rows) * (static_cast<double>(columns) + 16) * element;
  collect.require(bytes < static_cast<double>(most_buffer_bytes), name,
                  std::to_string(rows) + " x " + std::to_string(columns) + " elements are more than 2^47 bytes");
}

void check_problem(const GemmProblem& problem, Collector& collect) {
  collect.within(problem.m, 1, most_extent, "m");
  collect.within(problem.n, 1, most_extent, "n");
  collect.within(problem.k, 1, most_extent, "k");
  collect.require(std::isfinite(problem.alpha), "alpha", "it must be a finite number");
  collect.require(std::isfinite(problem.beta), "beta", "it must be a finite number");
  collect.require(is_storable(problem.dtype), "dtype",
                  std::string(name(problem.dtype)) + " exists in the fragments of tensor cores only, not in memory");
  if (!collect.problems.empty()) return;
  const int element = size_of(problem.dtype);
  check_buffer("A", problem.m, problem.k, element, collect);
  check_buffer("B", problem.k, problem.n, element, collect);
  check_buffer("C", problem.m, problem.n, element, collect);
}

void check_simt(const GemmProblem& problem, Collector& collect) {
  collect.require(is_float(problem.dtype), "dtype",
                  "simt multiplies fp32, fp16 and bf16, not " + std::string(name(problem.dtype)));
  collect.require(problem.accumulate == DType::fp32, "accumulate",
                  "simt accumulates in fp32, not " + std::string(name(problem.accumulate)));
}

void check_instruction(const GemmTiling& tiling, Collector& collect) {
  const MmaShape& shape = tiling.instruction;
  const GemmTile& tile = tiling.tile;
  const auto divides = [&](int extent, int step, const std::string& where) {
    collect.require(step >= 1 && extent % step == 0, where,
                    std::to_string(extent) + " is not a multiple of the tensor instruction's " + std::to_string(step));
  };
  divides(tile.m, shape.m, "tile.m");
  divides(tile.n, shape.n, "tile.n");
  divides(tile.k, shape.k, "tile.k");
  if (tiling.fragment_k > 0) divides(tiling.fragment_k, shape.k, "fragment_k");
}

}  // namespace

std::string to_string(const GemmTile& tile) {
  return std::to_string(tile.m) + "x" + std::to_string(tile.n) + "x" + std::to_string(tile.k);
}

std::vector<Problem> gemm_problems(const GemmProblem& problem, const GemmTiling& tiling) {
  Collector collect;
  check_problem(problem, collect);
  collect.within(tiling.tile.m, 1, most_tile_extent, "tile.m");
  collect.within(tiling.tile.n, 1, most_tile_extent, "tile.n");
  collect.within(tiling.tile.k, 1, most_tile_extent, "tile.k");
  collect.within(tiling.fragment_k, 0, most_tile_extent, "fragment_k");
  collect.within(tiling.registers, 0, most_tile_extent, "registers");
  if (!collect.problems.empty()) return collect.problems;

  const bool staged = tiling.variant == GemmVariant::async || tiling.variant == GemmVariant::tma;
  if (staged) {
    collect.within(tiling.stages, 2, most_stages, "stages");
    const int row_bytes = size_of(problem.dtype);
    const int least = tiling.variant == GemmVariant::tma ? 16 : 4;
    for (const auto& [extent, where] : {std::pair{tiling.tile.k, "tile.k"}, std::pair{tiling.tile.n, "tile.n"}})
      collect.require(extent * row_bytes % least == 0, where,
                      std::to_string(extent * row_bytes) + " bytes a row are not a multiple of the " +
                          std::to_string(least) + " that the copies need");
  }
  collect.require(!tiling.specialize || tiling.variant == GemmVariant::tma, "specialize",
                  "only tma can leave its copies to a producer warp");
  collect.require(tiling.fragment_k == 0 || tiling.tile.k % tiling.fragment_k == 0, "fragment_k",
                  "it must divide the tile's k of " + std::to_string(tiling.tile.k));
  if (tiling.variant == GemmVariant::simt)
    check_simt(problem, collect);
  else
    check_instruction(tiling, collect);
  return collect.problems;
}

}  // namespace gpusim::schedules
