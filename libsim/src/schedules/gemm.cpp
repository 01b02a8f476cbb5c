#include "gpusim/schedules/gemm.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>

#include "schedules/gemm_plan.h"
#include "schedules/gemm_roles.h"

namespace gpusim::schedules {
namespace {

constexpr std::int64_t chunk_bytes = 16;
constexpr std::int64_t most_swizzle = 128;
constexpr std::array variant_names{std::string_view("simt"), std::string_view("tensor"), std::string_view("async"),
                                   std::string_view("tma")};

std::int64_t round_up(std::int64_t value, std::int64_t granule) { return (value + granule - 1) / granule * granule; }

Buffer buffer_of(const char* name, std::int64_t rows, std::int64_t columns, DType dtype) {
  return {name, rows, columns, round_up(columns, chunk_bytes / size_of(dtype)), dtype};
}

SharedTile tile_of(const char* name, const Extent& extent, const GemmPlan& plan) {
  const DType dtype = plan.problem.dtype;
  const std::int64_t pitch = round_up(std::int64_t{extent.columns} * size_of(dtype), chunk_bytes);
  return {name, extent.rows, extent.columns, dtype, plan.tiling.stages, Bytes(pitch), Swizzle::none};
}

/// Rows an odd number of chunks apart: eight of them begin in eight different groups of banks.
SharedTile padded(SharedTile tile) {
  if (tile.pitch / Bytes(chunk_bytes) % 2 == 0) tile.pitch += Bytes(chunk_bytes);
  return tile;
}

/// Conflict-free columns of chunks without padding; rows that are no power of two are padded instead.
SharedTile swizzled(SharedTile tile) {
  const std::int64_t pitch = tile.pitch.count();
  if (!std::has_single_bit(static_cast<std::uint64_t>(pitch))) return padded(std::move(tile));
  if (pitch > chunk_bytes) tile.swizzle = static_cast<Swizzle>(std::min(pitch, most_swizzle));
  return tile;
}

std::vector<SharedTile> tiles_of(const GemmPlan& plan) {
  const GemmTile& tile = plan.tiling.tile;
  SharedTile a = tile_of("A", {tile.m, tile.k}, plan);
  SharedTile b = tile_of("B", {tile.k, tile.n}, plan);
  if (!plan.on_tensor_cores()) return {padded(std::move(a)), std::move(b)};
  return {swizzled(std::move(a)), swizzled(std::move(b))};
}

std::string number_text(double value) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

std::string extent_text(const Extent& extent) {
  return std::to_string(extent.rows) + "x" + std::to_string(extent.columns);
}

std::vector<std::pair<std::string, std::string>> choices_of(const GemmPlan& plan) {
  const GemmProblem& problem = plan.problem;
  const GemmTiling& tiling = plan.tiling;
  std::vector<std::pair<std::string, std::string>> choices{
      {"m", std::to_string(problem.m)},
      {"n", std::to_string(problem.n)},
      {"k", std::to_string(problem.k)},
      {"dtype", std::string(name(problem.dtype))},
      {"accumulate", std::string(name(problem.accumulate))},
      {"alpha", number_text(problem.alpha)},
      {"beta", number_text(problem.beta)},
      {"schedule", std::string(name(tiling.variant))},
      {"tile", to_string(tiling.tile)},
      {"stages", std::to_string(tiling.stages)},
      {"specialize", tiling.specialize ? "true" : "false"},
      {"fragment_k", std::to_string(tiling.fragment_k)},
      {"registers", std::to_string(tiling.registers)},
      {"warps", extent_text(plan.warps)},
      {"warp_tile", extent_text(plan.warp_tile)},
  };
  if (plan.on_tensor_cores()) {
    const MmaShape& shape = tiling.instruction;
    choices.emplace_back("instruction", to_string(GemmTile{shape.m, shape.n, shape.k}));
  } else {
    choices.emplace_back("thread_tile", extent_text(plan.thread_tile));
  }
  return choices;
}

}  // namespace

std::string_view name(GemmVariant variant) { return variant_names[static_cast<std::size_t>(variant)]; }

std::optional<GemmVariant> gemm_variant_named(std::string_view text) {
  const auto found = std::find(variant_names.begin(), variant_names.end(), text);
  if (found == variant_names.end()) return std::nullopt;
  return static_cast<GemmVariant>(found - variant_names.begin());
}

Schedule gemm(const GemmProblem& problem, const GemmTiling& tiling) {
  const GemmPlan plan = plan_gemm(problem, tiling);
  const GemmTile& tile = tiling.tile;

  Schedule schedule;
  schedule.name = "gemm " + std::to_string(problem.m) + "x" + std::to_string(problem.n) + "x" +
                  std::to_string(problem.k) + " " + std::string(name(problem.dtype)) + " " +
                  std::string(name(tiling.variant)) + " " + to_string(tile);
  schedule.buffers = {buffer_of("A", problem.m, problem.k, problem.dtype),
                      buffer_of("B", problem.k, problem.n, problem.dtype),
                      buffer_of("C", problem.m, problem.n, problem.dtype)};
  schedule.grid_m = (problem.m + tile.m - 1) / tile.m;
  schedule.grid_n = (problem.n + tile.n - 1) / tile.n;
  schedule.roles = gemm_roles(plan);
  schedule.shared_tiles = tiles_of(plan);
  schedule.barriers = gemm_barriers(plan);
  schedule.registers_per_thread = plan.tiling.registers;
  const double multiply_adds =
      static_cast<double>(problem.m) * static_cast<double>(problem.n) * static_cast<double>(problem.k);
  schedule.work = {2 * multiply_adds, plan.on_tensor_cores() ? Pipe::tensor : Pipe::fma, problem.dtype,
                   problem.accumulate};
  schedule.choices = choices_of(plan);
  std::vector<Problem> problems = check(schedule);
  if (!problems.empty()) throw ScheduleError(std::move(problems));
  return schedule;
}

}  // namespace gpusim::schedules
