#include "matmul_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "counter.h"
#include "errors.h"
#include "gemm_option_text.h"
#include "gemm_request_options.h"
#include "gpusim/gpu.h"
#include "option_values.h"
#include "watch.h"

namespace app {

namespace {

using namespace gpusim::schedules;
using gpusim::DType;

constexpr std::int64_t default_size = 4096;

std::string tile_text(const gpusim::schedules::GemmTile& tile) {
  return std::to_string(tile.m) + "x" + std::to_string(tile.n) + "x" + std::to_string(tile.k);
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

GemmProblem read_problem(const Options& options, Problems& problems) {
  GemmProblem problem;
  problem.m = number_option(options, "m", gemm_side, problems).value_or(default_size);
  problem.n = number_option(options, "n", gemm_side, problems).value_or(default_size);
  problem.k = number_option(options, "k", gemm_side, problems).value_or(default_size);
  problem.alpha = real_option(options, "alpha", problems).value_or(problem.alpha);
  problem.beta = real_option(options, "beta", problems).value_or(problem.beta);
  problem.layout = word_option<GemmLayout>(options, "layout", "layout", problems).value_or(problem.layout);
  problem.batch = number_option(options, "batch", gemm_batch, problems).value_or(problem.batch);
  problem.batch_interleave =
      number_option(options, "batch-interleave", gemm_batch, problems).value_or(problem.batch_interleave);
  problem.bias = options.has("bias");
  problem.activation =
      word_option<gpusim::Activation>(options, "activation", "activation", problems).value_or(problem.activation);
  problem.sparse = options.has("sparse");
  problem.block_scales = options.has("block-scales");
  return problem;
}

/// Where the library has it, and the option, which has another name: a limit of the GPU is met with one.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> other_names{{{"order", "tile-order"},
                                                                                    {"schedule.shared", "tile"},
                                                                                    {"schedule.registers", "tile"},
                                                                                    {"schedule.warps", "tile"},
                                                                                    {"schedule.tensor", "instruction"},
                                                                                    {"schedule.cluster", "cluster"},
                                                                                    {"schedule.buffers", "m"}}};

}  // namespace

std::vector<OptionGroup> matmul_option_groups() {
  std::vector<OptionGroup> groups{
      {"Product C[m, n] = activation(alpha A[m, k] B[k, n] + beta C[m, n] + bias[n])",
       {{"m", "N", "rows of A and C (default 4096)"},
        {"n", "N", "columns of B and C (default 4096)"},
        {"k", "N", "columns of A, rows of B (default 4096)"},
        {"layout", "AB",
         "nn (default), nt (TN of column-major BLAS), tn or tt: whether A and B lie transposed in memory"},
        {"batch", "N", "products, each with matrices of its own (default 1)"},
        {"batch-interleave", "N",
         "rows of A and C of N products lie by turns, as a token's heads do (at least --batch; default 1: they do "
         "not)"},
        {"dtype", "TYPE", "type of A and B (default: fp16 where the GPU multiplies it, else fp32)"},
        {"result", "TYPE", "type of C and bias (default: that of A and B)"},
        {"accumulate", "TYPE", "type sums are kept in (default fp32; int32 for int8, fp64 for fp64)"},
        {"alpha", "X", "factor of the product (default 1)"},
        {"beta", "X", "factor of what C holds before (default 0)"},
        {"bias", "", "a vector is added to every row"},
        {"activation", "NAME", "none (default), relu, gelu or silu"},
        {"sparse", "", "A is 2:4 sparse"},
        {"block-scales", "", "wgmma of fp8: 1x128 blocks of A and 128x128 of B have a factor each"}}}};
  for (OptionGroup& group : gemm_request_option_groups()) groups.push_back(std::move(group));
  groups.push_back({"Choosing by trying (tune, --schedule auto, --tile auto)",
                    {{"library", "NAME",
                      "whose kernels there are: recent (default, cuBLAS of 2024 on), cublas-12, cublas-12-ada, "
                      "cublas-12.1, cublas-10, vllm-fp8 or deep-gemm"}}});
  return groups;
}

std::string as_options(const gpusim::Profile& profile, const gpusim::schedules::GemmProblem& problem,
                       const gpusim::GemmChoice& choice) {
  const auto text = gemm_option_text(profile, problem, choice.trials.front().tiling);
  return text ? "  as options: " + *text + "\n" : "";
}

void add_gemm_problems(std::vector<gpusim::Problem> found, Problems& problems) {
  std::vector<std::string> names;
  for (const OptionGroup& group : matmul_option_groups())
    for (const OptionSpec& option : group.options) names.push_back(option.name);
  for (gpusim::Problem& problem : found) {
    const auto* const other = std::find_if(other_names.begin(), other_names.end(),
                                           [&](const auto& each) { return each.first == problem.where; });
    if (other != other_names.end()) problem.where = other->second;
  }
  add_problems(found, names, problems);
}

std::optional<MatmulRequest> read_matmul_request(const Options& options, const gpusim::Profile& profile,
                                                 Problems& problems) {
  const std::size_t before = problems.size();
  MatmulRequest asked;
  asked.problem = read_problem(options, problems);
  const auto input = dtype_option(options, "dtype", problems);
  const auto accumulate = dtype_option(options, "accumulate", problems);
  const auto result = dtype_option(options, "result", problems);
  asked.request = read_gemm_request(options, problems);
  if (problems.size() > before) return std::nullopt;
  asked.problem.result = result;
  choose_types(asked.problem, input, accumulate, asked.request.variant, profile);
  return asked;
}

std::optional<GemmLibrary> read_library(const Options& options, Problems& problems) {
  return word_option<GemmLibrary>(options, "library", "library", problems);
}

gpusim::GemmChoice choose_by_trying(const gpusim::Profile& profile, const GemmProblem& problem,
                                    gpusim::GemmChoiceOptions choosing) {
  const Watch watch;
  Counter counter("simulations");
  choosing.run.stop = [&](const gpusim::Progress&) { return watch.interrupted(); };
  choosing.progress = [&](std::size_t done, std::size_t of) { counter.show(done, of); };
  gpusim::GemmChoice choice = gpusim::choose_gemm(gpusim::Gpu(profile), problem, choosing);
  watch.throw_if_interrupted();
  return choice;
}

void choose_as_run(const PoweredRun& run, const gpusim::Profile& profile, gpusim::GemmChoiceOptions& choosing) {
  choosing.run = run.options;
  if (!run.under_power || !profile.power) return;
  choosing.watts = [limit = static_cast<double>(profile.power->limit_w)](double /*us*/) { return limit; };
}

/// Whether it may be cut off.
bool is_limited(const PoweredRun& run) { return run.options.max_cycles || run.options.max_ctas; }

bool runs_alike(const PoweredRun& run) { return !run.under_power && !is_limited(run); }

std::optional<Matmul> read_matmul(const Options& options, const gpusim::Profile& profile, const PoweredRun& run,
                                  Problems& problems) {
  const auto asked = read_matmul_request(options, profile, problems);
  const bool by_trying = is_chosen_by_trying(options);
  const auto library = read_library(options, problems);
  if (library && !by_trying)
    problems.push_back({"--library", "nothing is chosen by trying; give '--schedule auto' or '--tile auto' too"});
  if (!asked || (by_trying && !problems.empty())) return std::nullopt;
  Matmul matmul;
  matmul.problem = asked->problem;
  try {
    if (by_trying) {
      gpusim::GemmChoiceOptions choosing;
      choosing.tile = fixed_tile(options, asked->request);
      choosing.request = asked->request;
      if (!is_limited(run)) choosing.settle_within = gpusim::settled_within;
      choosing.keep_results = runs_alike(run);
      choosing.library = library.value_or(choosing.library);
      choose_as_run(run, profile, choosing);
      matmul.choice = choose_by_trying(profile, matmul.problem, std::move(choosing));
      matmul.tiling = matmul.choice->tiling;
    } else {
      matmul.tiling = choose(profile, matmul.problem, asked->request);
      if (const auto fixed = fixed_tile(options, asked->request); fixed && matmul.tiling.tile != *fixed) {
        const std::string nearest = tile_text(matmul.tiling.tile);
        problems.push_back(
            {"--tile", tile_text(*fixed) +
                           (matmul.tiling.variant < gpusim::schedules::GemmVariant::simt
                                ? " has more elements than a CTA has threads; " + nearest + " is the most"
                                : " is not as deep as these operands' instructions; " + nearest + " is the least")});
        return std::nullopt;
      }
    }
    matmul.schedules = gemm_kernels(matmul.problem, matmul.tiling);
    return matmul;
  } catch (const gpusim::ScheduleError& error) {
    add_gemm_problems(error.problems(), problems);
    return std::nullopt;
  }
}

}  // namespace app
