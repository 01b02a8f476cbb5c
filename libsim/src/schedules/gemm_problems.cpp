#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "schedules/gemm_block_scales.h"
#include "schedules/gemm_cta_slices.h"
#include "schedules/reserved_tile.h"
#include "sizes.h"

namespace gpusim::schedules {
namespace {

constexpr std::int64_t most_extent = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t most_buffer_bytes = std::int64_t{1} << 47;
constexpr int most_tile_extent = 1024;
constexpr int most_stages = 1024;
constexpr int most_overhead = 1 << 16;
constexpr int most_batch = 1 << 20;

bool is_float(DType type) { return type == DType::fp32 || type == DType::fp16 || type == DType::bf16; }

/// `side` is what to make smaller.
void check_buffer(const char* side, const std::string& name, std::int64_t rows, std::int64_t columns,
                  std::int64_t layers, int element, GemmCollector& collect) {
  const double bytes =
      static_cast<double>(rows) * (static_cast<double>(columns) + 16) * static_cast<double>(layers) * element;
  collect.require(bytes < static_cast<double>(most_buffer_bytes), side,
                  "the " + std::to_string(rows) + " x " + std::to_string(columns) + " elements of " + name +
                      (layers > 1 ? ", " + std::to_string(layers) + " times," : "") + " are more than 2^47 bytes");
}

void check_result(const GemmProblem& problem, GemmCollector& collect) {
  if (!problem.result) return;
  const std::string type(name(*problem.result));
  collect.require(is_storable(*problem.result), "result",
                  type + " exists in the fragments of tensor cores only, not in memory");
  const auto is_integer = [](DType each) { return each == DType::int8 || each == DType::int32; };
  collect.require(!is_integer(*problem.result) || is_integer(problem.accumulate), "result",
                  "sums are " + std::string(name(problem.accumulate)) + " and C cannot be " + type +
                      "; a type of floating point can");
}

void check_problem(const GemmProblem& problem, GemmCollector& collect) {
  collect.within(problem.m, 1, most_extent, "m");
  collect.within(problem.n, 1, most_extent, "n");
  collect.within(problem.k, 1, most_extent, "k");
  collect.within(problem.batch, 1, most_batch, "batch");
  collect.within(problem.batch_interleave, 1, most_batch, "batch_interleave");
  collect.require(problem.batch_interleave <= 1 || problem.batch_interleave >= problem.batch, "batch_interleave",
                  "rows of " + std::to_string(problem.batch_interleave) + " products lie by turns, but there are " +
                      std::to_string(problem.batch) + "; " + std::to_string(problem.batch) + " or more would do, or 1");
  collect.require(std::isfinite(problem.alpha), "alpha", "it must be a finite number");
  collect.require(std::isfinite(problem.beta), "beta", "it must be a finite number");
  collect.require(is_storable(problem.dtype), "dtype",
                  std::string(name(problem.dtype)) + " exists in the fragments of tensor cores only, not in memory");
  check_result(problem, collect);
  if (!collect.problems.empty()) return;
  const int element = size_of(problem.dtype);
  const std::int64_t layers = std::max(problem.batch, problem.batch_interleave);
  check_buffer("m", "A", problem.m, problem.k, layers, element, collect);
  check_buffer("n", "B", problem.k, problem.n, problem.batch, element, collect);
  check_buffer("m", "C", problem.m, problem.n, layers, size_of(result_type(problem)), collect);
}

/// DP4A takes words of four int8 along k, from shared memory: there all lanes' words lie as they are read.
void check_dot_products(const GemmProblem& problem, const GemmTiling& tiling, GemmCollector& collect) {
  collect.require(problem.layout != GemmLayout::nt || problem.k % products_of_a_dot == 0, "k",
                  "both matrices have k along their rows, and DP4A takes words of four: " + std::to_string(problem.k) +
                      " is not a multiple of 4");
  collect.require(
      tiling.tile.k % products_of_a_dot == 0, "tile.k",
      "DP4A multiplies four int8 along k at a time; " + std::to_string(tiling.tile.k) + " is not a multiple of 4");
  collect.require(tiling.stage_a, "stage_a", "int8 goes through shared memory, in words of four along k");
  collect.require(tiling.stage_b, "stage_b", "int8 goes through shared memory, in words of four along k");
  for (const auto& [where, lanes] :
       {std::pair{"copy_lanes_a", tiling.copy_lanes_a}, std::pair{"copy_lanes_b", tiling.copy_lanes_b}})
    collect.require(lanes == 0, where, "lanes copy blocks of int8 that become words of four along k");
  collect.require(!tiling.transpose_a, "transpose_a", "words of four int8 along k lie side by side along m already");
  collect.require(!tiling.transpose_b, "transpose_b", "words of four int8 along k lie side by side along n already");
}

void check_simt(const GemmProblem& problem, const GemmTiling& tiling, GemmCollector& collect) {
  const std::string variant(name(tiling.variant));
  const bool with_dot_products = tiling.variant == GemmVariant::simt;
  const bool dot_products = with_dot_products && problem.dtype == DType::int8;
  collect.require(is_float(problem.dtype) || dot_products, "dtype",
                  variant + " multiplies fp32, fp16" + (with_dot_products ? ", bf16 and int8" : " and bf16") +
                      ", not " + std::string(name(problem.dtype)));
  const DType sums = dot_products ? DType::int32 : DType::fp32;
  const bool half = problem.dtype == DType::fp16;
  collect.require(problem.accumulate == sums || (half && problem.accumulate == DType::fp16), "accumulate",
                  variant + " accumulates " +
                      (dot_products ? "int8 in int32"
                       : half       ? "fp16 in fp32 or fp16"
                                    : "in fp32") +
                      ", not " + (dot_products || half ? "in " : "") + std::string(name(problem.accumulate)));
  if (dot_products) check_dot_products(problem, tiling, collect);
  collect.require(!problem.sparse, "sparse", "2:4 sparsity needs tensor cores; " + variant + " has none");
  if (tiling.variant == GemmVariant::simt) return;
  const bool naive = tiling.variant == GemmVariant::naive;
  const int side = naive ? tiling.tile.m : tiling.tile.n;
  const bool divides = side > 0 && lanes_per_warp % side == 0 && tiling.tile.m * tiling.tile.n % lanes_per_warp == 0;
  collect.require(
      side % lanes_per_warp == 0 || divides, naive ? "tile.m" : "tile.n",
      "neighbouring threads lie along it, so it is a multiple of 32, or divides 32 and whole warps share the tile; " +
          std::to_string(side) + " does not");
  const std::int64_t threads = std::int64_t{tiling.tile.m} * tiling.tile.n;
  collect.require(threads <= most_cta_threads, "tile",
                  std::to_string(tiling.tile.m) + "x" + std::to_string(tiling.tile.n) + " elements are " +
                      std::to_string(threads) + " threads, " + std::to_string(threads - most_cta_threads) +
                      " more than a CTA can have; 32x32 is the most");
}

int nearest_multiple(int value, int of) {
  if (of < 1) return value;
  return std::max((value + of / 2) / of, 1) * of;
}

void check_instruction(const GemmTiling& tiling, GemmCollector& collect) {
  const MmaShape& shape = tiling.instruction;
  const GemmTile& tile = tiling.tile;
  const auto divides = [&](int extent, int step, const std::string& where) {
    collect.require(step >= 1 && extent % step == 0, where,
                    std::to_string(extent) + " is not a multiple of the tensor instruction's " + std::to_string(step) +
                        "; " + std::to_string(nearest_multiple(extent, step)) + " is the nearest");
  };
  divides(tile.m, shape.m, "tile.m");
  divides(tile.n, shape.n, "tile.n");
  divides(tile.k, shape.k, "tile.k");
  for (const auto& [choice, matrices] :
       {std::pair{"matrices_a", tiling.matrices_a}, std::pair{"matrices_b", tiling.matrices_b}})
    collect.require(matrices == 1 || matrices == 2 || matrices == 4, choice,
                    "ldmatrix reads 1, 2 or 4 matrices, not " + std::to_string(matrices));
}

void check_wgmma_shape(const GemmProblem& problem, const GemmTiling& tiling, GemmCollector& collect) {
  constexpr int step = 8;
  constexpr int widest = 256;
  const MmaShape& shape = tiling.instruction;
  const int depth = wgmma_k(problem);
  collect.require(shape.m == wgmma_rows && shape.k == depth, "instruction",
                  std::string(problem.sparse ? "sparse " : "") + "wgmma of " + std::string(name(problem.dtype)) +
                      " has m 64 and k " + std::to_string(depth) + ", not m " + std::to_string(shape.m) + " and k " +
                      std::to_string(shape.k));
  if (shape.n == 0) return;
  const bool legal = shape.n >= step && shape.n <= widest && shape.n % step == 0;
  collect.require(legal, "instruction", "wgmma has n 8 to 256 in steps of 8, not " + std::to_string(shape.n));
  collect.require(
      !legal || tiling.tile.n % shape.n == 0, "instruction",
      "its n " + std::to_string(shape.n) + " does not divide the tile's " + std::to_string(tiling.tile.n) + " columns");
}

int next_multiple(int value, int of) { return (value + of - 1) / of * of; }

void check_warpgroups(const GemmProblem& problem, const GemmTiling& tiling, const GemmRequest& given,
                      GemmCollector& collect) {
  constexpr int step = 8;
  constexpr int most_consumers = 4;
  collect.within(tiling.consumers, 1, most_consumers, "consumers");
  if (tiling.consumers < 1) return;
  const int needed = wgmma_rows * tiling.consumers;
  const std::string groups =
      tiling.consumers == 1 ? "a warp group needs" : std::to_string(tiling.consumers) + " warp groups need";
  collect.require(tiling.tile.m % needed == 0, "tile.m",
                  groups + " a multiple of " + std::to_string(needed) + " rows; " + std::to_string(tiling.tile.m) +
                      " is not, " + std::to_string(next_multiple(tiling.tile.m, needed)) + " is");
  collect.require(tiling.tile.n % step == 0, "tile.n",
                  "wgmma needs a multiple of 8 columns; " + std::to_string(tiling.tile.n) + " is not");
  if (given.instruction || !(tiling.instruction == MmaShape{})) check_wgmma_shape(problem, tiling, collect);
}

void check_copies(const GemmProblem& problem, const GemmTiling& tiling, GemmCollector& collect) {
  if (tiling.variant < GemmVariant::async) return;
  const int element = size_of(problem.dtype);
  const int least = tiling.variant == GemmVariant::async ? 4 : 16;
  const int step = tiling.variant == GemmVariant::wgmma ? wgmma_k(problem) : tiling.instruction.k;
  const auto whole = [&](int extent, const std::string& where, int parts) {
    collect.require(extent * element % least == 0, where,
                    std::to_string(extent * element) + " bytes a row are not a multiple of the " +
                        std::to_string(least) + " that the copies need; " +
                        std::to_string(next_multiple(extent, std::max(least / element, parts))) + " would do");
  };
  whole(tiling.tile.k, "tile.k", std::max(step, multiple_of_parts));
  whole(tiling.tile.n, "tile.n", multiple_of_parts);
}

void check_shape(const GemmShape& shape, const std::string& where, GemmCollector& collect) {
  collect.require((shape.m == 0 && shape.n == 0) ||
                      (shape.m > 0 && shape.n > 0 && shape.m <= most_tile_extent && shape.n <= most_tile_extent),
                  where,
                  "it has two sides of 1 to " + std::to_string(most_tile_extent) + ", or is chosen (0x0), not " +
                      std::to_string(shape.m) + "x" + std::to_string(shape.n));
}

/// setmaxnreg, where it is used at all.
void check_reallocation(const GemmTiling& tiling, GemmCollector& collect) {
  constexpr int least = 24;
  constexpr int most = 256;
  constexpr int step = 8;
  for (const auto& [choice, registers] : {std::pair{"producer_registers", tiling.producer_registers},
                                          std::pair{"consumer_registers", tiling.consumer_registers}}) {
    const int nearest = std::clamp((registers + step / 2) / step * step, least, most);
    collect.require(registers == 0 || registers == nearest, choice,
                    "setmaxnreg gives a thread " + std::to_string(least) + " to " + std::to_string(most) +
                        " registers in steps of " + std::to_string(step) + ", not " + std::to_string(registers) + "; " +
                        std::to_string(nearest) + " is the nearest");
  }
}

void check_ranges(const GemmTiling& tiling, GemmCollector& collect) {
  collect.within(tiling.tile.m, 1, most_tile_extent, "tile.m");
  collect.within(tiling.tile.n, 1, most_tile_extent, "tile.n");
  collect.within(tiling.tile.k, 1, most_tile_extent, "tile.k");
  collect.within(tiling.fragment_k, 0, most_tile_extent, "fragment_k");
  collect.within(tiling.registers, 0, most_tile_extent, "registers");
  collect.within(tiling.reserved, 0, most_reserved, "reserved");
  collect.within(tiling.stages, 0, most_stages, "stages");
  collect.within(tiling.index_overhead, 0, most_overhead, "index_overhead");
  collect.within(tiling.unroll, 0, most_tile_extent, "unroll");
  collect.within(tiling.epilogue_columns, 0, most_tile_extent, "epilogue_columns");
  collect.within(tiling.ctas, 0, most_extent, "ctas");
  collect.within(tiling.group, 1, most_extent, "group");
  collect.within(tiling.cta_slices, 1, most_cta_threads / lanes_per_warp, "cta_slices");
  collect.within(tiling.split_k, 1, most_extent, "split_k");
  collect.within(tiling.cluster.m, 1, most_tile_extent, "cluster.m");
  collect.within(tiling.cluster.n, 1, most_tile_extent, "cluster.n");
  check_shape(tiling.warp_tile, "warp_tile", collect);
  check_shape(tiling.thread_tile, "thread_tile", collect);
  check_reallocation(tiling, collect);
}

/// Steps through the tile's k are equal, and whole instructions.
void check_fragment_k(const GemmProblem& problem, const GemmTiling& tiling, GemmCollector& collect) {
  if (tiling.fragment_k == 0 || tiling.variant == GemmVariant::wgmma) return;
  const bool of_tensor = tiling.variant >= GemmVariant::tensor;
  const int step = least_step(problem, tiling);
  const bool of_dots = !of_tensor && step > 1;
  const int k = tiling.tile.k / tiling.cta_slices;
  const auto fits = [&](int each) { return k % each == 0 && each % step == 0; };
  if (fits(tiling.fragment_k) || tiling.tile.k % tiling.cta_slices != 0) return;
  int nearest = 0;
  for (int each = 1; each <= k; ++each)
    if (fits(each) && (nearest == 0 || std::abs(each - tiling.fragment_k) < std::abs(nearest - tiling.fragment_k)))
      nearest = each;
  const std::string steps = of_tensor ? " and be a multiple of the tensor instruction's " + std::to_string(step)
                            : of_dots ? " and be a multiple of the 4 that DP4A multiplies at a time"
                                      : "";
  collect.require(false, "fragment_k",
                  std::to_string(tiling.fragment_k) + " elements: it must divide the tile's k of " + std::to_string(k) +
                      (tiling.cta_slices > 1 ? " for each slice" : "") + steps +
                      (nearest > 0 ? "; " + std::to_string(nearest) + " would do" : ""));
}

/// Sides of tiles and clusters are not those of C.
void say_sides(std::vector<Problem>& problems) {
  for (Problem& problem : problems) {
    if (problem.where.ends_with(".m")) problem.what += " (m lies along n of C: swap_ab)";
    if (problem.where.ends_with(".n")) problem.what += " (n lies along m of C: swap_ab)";
  }
}

}  // namespace

int least_step(const GemmProblem& problem, const GemmTiling& tiling) {
  if (tiling.variant >= GemmVariant::tensor) return std::max(tiling.instruction.k, 1);
  return tiling.variant == GemmVariant::simt && problem.dtype == DType::int8 ? products_of_a_dot : 1;
}

std::vector<Problem> range_problems(const GemmProblem& problem, const GemmTiling& tiling) {
  GemmCollector collect;
  check_problem(problem, collect);
  check_ranges(tiling, collect);
  return std::move(collect.problems);
}

std::vector<Problem> gemm_problems(const GemmProblem& posed, const GemmTiling& tiling, const GemmRequest& given) {
  std::vector<Problem> ranges = range_problems(posed, tiling);
  if (!ranges.empty()) return ranges;
  const GemmProblem problem = tiled_problem(posed, tiling);
  GemmCollector collect;
  check_unused_choices(problem, tiling, given, collect);
  check_walks(problem, tiling, given, collect);
  check_copies(problem, tiling, collect);
  check_bulk_result(problem, tiling, collect);
  check_fragment_k(problem, tiling, collect);
  check_slices_of_k(problem, tiling, collect);
  check_block_scales(problem, tiling, collect);
  if (tiling.variant < GemmVariant::tensor)
    check_simt(problem, tiling, collect);
  else if (tiling.variant == GemmVariant::wgmma)
    check_warpgroups(problem, tiling, given, collect);
  else
    check_instruction(tiling, collect);
  if (tiling.variant >= GemmVariant::tensor) check_tensor_choices(problem, tiling, given, collect);
  if (tiling.swap_ab) say_sides(collect.problems);
  return collect.problems;
}

}  // namespace gpusim::schedules
