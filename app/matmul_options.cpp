#include "matmul_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "errors.h"

namespace app {

namespace {

using namespace gpusim::schedules;
using gpusim::DType;

constexpr std::int64_t default_size = 4096;
constexpr int default_tile = 128;
constexpr int default_tile_k = 32;
constexpr Range tile_range{1, 1 << 16};

std::int64_t size(const Options& options, const char* name, Problems& problems) {
  const auto text = options.value(name);
  if (!text) return default_size;
  return whole_number(*text, fmt::format("--{}", name), {}, problems).value_or(default_size);
}

std::optional<int> small_number(const Options& options, const char* name, Range range, Problems& problems) {
  const auto text = options.value(name);
  if (!text) return std::nullopt;
  const auto number = whole_number(*text, fmt::format("--{}", name), range, problems);
  return number ? std::optional<int>(static_cast<int>(*number)) : std::nullopt;
}

double factor(const Options& options, const char* name, double otherwise, Problems& problems) {
  const auto text = options.value(name);
  return text ? real_number(*text, fmt::format("--{}", name), problems).value_or(otherwise) : otherwise;
}

GemmTile tile(const Options& options, Problems& problems) {
  GemmTile tile{default_tile, default_tile, default_tile_k};
  const auto text = options.value("tile");
  if (!text) return tile;
  const std::vector<std::string> parts = split(*text, 'x');
  if (parts.size() != 1 && parts.size() != 3) {
    problems.push_back({"--tile", fmt::format("'{}' is neither one size, as 128, nor three, as 128x128x32", *text)});
    return tile;
  }
  std::vector<int> sizes;
  sizes.reserve(parts.size());
  for (const std::string& part : parts)
    sizes.push_back(static_cast<int>(whole_number(part, "--tile", tile_range, problems).value_or(default_tile)));
  tile.m = sizes.front();
  tile.n = sizes.size() == 3 ? sizes[1] : sizes.front();
  if (sizes.size() == 3) tile.k = sizes[2];
  return tile;
}

std::optional<DType> dtype(const Options& options, const char* name, Problems& problems) {
  const auto text = options.value(name);
  if (!text) return std::nullopt;
  const auto type = gpusim::dtype_named(*text);
  if (!type) {
    std::vector<std::string> names;
    names.reserve(gpusim::all_dtypes.size());
    for (const DType each : gpusim::all_dtypes) names.emplace_back(gpusim::name(each));
    refuse_choice(*text, fmt::format("--{}", name), "type", names, problems);
  }
  return type;
}

std::optional<GemmVariant> variant(const Options& options, Problems& problems) {
  const std::string text = options.value_or("schedule", "auto");
  if (text == "auto") return std::nullopt;
  const auto variant = gemm_variant_named(text);
  if (!variant) refuse_choice(text, "--schedule", "schedule", {"auto", "simt", "tensor", "async", "tma"}, problems);
  return variant;
}

/// What products of a type are usually summed in.
DType usual_accumulate(DType input) {
  switch (input) {
    case DType::fp64:
      return DType::fp64;
    case DType::int8:
    case DType::int32:
      return DType::int32;
    default:
      return DType::fp32;
  }
}

/// The types of the product: what the user says; else the GPU's default where the schedule can multiply it, else fp32.
void choose_types(GemmProblem& problem, std::optional<DType> input, std::optional<DType> accumulate,
                  std::optional<GemmVariant> variant, const gpusim::Profile& profile) {
  if (input) {
    problem.dtype = *input;
    problem.accumulate = accumulate.value_or(usual_accumulate(*input));
    return;
  }
  const auto [usual_input, usual_sum] = default_dtypes(profile);
  problem.dtype = usual_input;
  problem.accumulate = accumulate.value_or(usual_sum);
  if (!variant) return;
  const auto runs = [&](DType type, DType sum) {
    const std::vector<GemmVariant> able = variants(profile, type, sum);
    return std::find(able.begin(), able.end(), *variant) != able.end();
  };
  if (!runs(problem.dtype, problem.accumulate) && runs(DType::fp32, accumulate.value_or(DType::fp32))) {
    problem.dtype = DType::fp32;
    problem.accumulate = accumulate.value_or(DType::fp32);
  }
}

}  // namespace

OptionGroup matmul_option_group() {
  return {"Product C[m, n] = alpha A[m, k] B[k, n] + beta C[m, n]",
          {{"m", "N", "rows of A and C (default 4096)"},
           {"n", "N", "columns of B and C (default 4096)"},
           {"k", "N", "columns of A, rows of B (default 4096)"},
           {"dtype", "TYPE", "type of A, B and C (default: fp16 where the GPU multiplies it, else fp32)"},
           {"accumulate", "TYPE", "type sums are kept in (default fp32; int32 for int8)"},
           {"alpha", "X", "factor of the product (default 1)"},
           {"beta", "X", "factor of what C holds before (default 0)"},
           {"tile", "T|MxNxK", "block of C that a CTA computes, and its step through k; T is TxTx32 (default 128)"},
           {"schedule", "NAME", "auto (default: the best the GPU has), simt, tensor, async or tma"},
           {"stages", "N", "buffers in shared memory of async and tma (default: what fits, at most 4)"},
           {"specialize", "", "tma: a producer warp issues the copies"},
           {"registers", "N", "registers a thread (default: an estimate)"}}};
}

std::optional<Matmul> read_matmul(const Options& options, const gpusim::Profile& profile, Problems& problems) {
  const std::size_t before = problems.size();
  Matmul matmul;
  GemmProblem& problem = matmul.problem;
  problem.m = size(options, "m", problems);
  problem.n = size(options, "n", problems);
  problem.k = size(options, "k", problems);
  problem.alpha = factor(options, "alpha", 1, problems);
  problem.beta = factor(options, "beta", 0, problems);
  const auto input = dtype(options, "dtype", problems);
  const auto accumulate = dtype(options, "accumulate", problems);

  GemmRequest request;
  request.tile = tile(options, problems);
  request.variant = variant(options, problems);
  request.stages = small_number(options, "stages", {1, 1024}, problems);
  request.registers = small_number(options, "registers", {1, 4096}, problems);
  request.specialize = options.has("specialize");
  if (problems.size() > before) return std::nullopt;

  choose_types(problem, input, accumulate, request.variant, profile);
  try {
    matmul.tiling = choose(profile, problem, request);
    matmul.schedule = gemm(problem, matmul.tiling);
    return matmul;
  } catch (const gpusim::ScheduleError& error) {
    std::vector<std::string> names;
    for (const OptionSpec& option : matmul_option_group().options) names.push_back(option.name);
    add_problems(error.problems(), names, problems);
    return std::nullopt;
  }
}

}  // namespace app
