#include "validate/gemm_choice.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "gpusim/ladders.h"
#include "gpusim/schedules/gemm.h"
#include "gpusim/schedules/gemv.h"
#include "gpusim/tune.h"
#include "validate/cublas_sgemm.h"
#include "validate/gemm_notes.h"
#include "validate/gemm_protocol.h"
#include "validate/published_run.h"
#include "validate/step_ladder.h"

namespace gpusim::validate {
namespace {

using schedules::ElementOrder;
using schedules::GemmLayout;
using schedules::GemmProblem;
using schedules::GemmRequest;
using schedules::GemmShape;
using schedules::GemmTile;
using schedules::GemmTiling;
using schedules::GemmVariant;

constexpr int warp_lanes = 32;

/// Call only where unreadable() found nothing.
NotedLayout layout_of(const MeasuredGemm& row) { return noted_layout(row.layout).value_or(NotedLayout()); }

GemmProblem problem_of(const MeasuredGemm& row) {
  for (const DType type : {row.input, row.accumulate, result_of(row)})
    if (!is_storable(type))
      throw ScheduleError({Problem{"dtype", "no schedule has " + std::string(name(type)) + " matrices"}});
  NotedLayout noted = layout_of(row);
  const GemmProtocol& protocol = protocol_of(row.source, row.library);
  if (row.layout.empty() && row.input == DType::fp8)
    noted.layout = GemmLayout::nt;  // tensor cores take fp8 with k along rows
  else if (row.layout.empty() && protocol.layout)
    noted.layout = *protocol.layout;
  GemmProblem problem;
  problem.m = noted.turned ? row.n : row.m;
  problem.n = noted.turned ? row.m : row.n;
  problem.k = row.k;
  problem.batch = row.batch;
  problem.layout = noted.layout;
  problem.dtype = row.input;
  problem.accumulate = row.accumulate;
  if (result_of(row) != row.input) problem.result = result_of(row);
  if (protocol.adds_to_c) problem.beta = 1;
  if (protocol.interleaved && size_of(row.input) == 2 && !noted.turned) problem.batch_interleave = row.batch;
  return problem;
}

/// Of one thread among `threads`, as square as powers of two allow, its longer side along the tile's longer one.
std::optional<GemmShape> thread_tile(int m, int n, int threads) {
  const int elements = threads > 0 ? m * n / threads : 0;
  if (elements == 0 || elements * threads != m * n) return std::nullopt;
  int shorter = 1;
  while (4 * shorter * shorter <= elements) shorter *= 2;
  if (elements % shorter != 0) return std::nullopt;
  const int longer = elements / shorter;
  return m >= n ? GemmShape{longer, shorter} : GemmShape{shorter, longer};
}

/// Elements of a fragment read at a time. An array of vectors is read in those. CLBlast's B, in the notes' order, lies
/// behind its A and has its alignment: its single elements are joined to vectors as wide as A's, A's own never are
/// (AutoTuningAssociation/benchmark_hub: with A in single elements and banks in conflict, times are those of single
/// reads; with A in vectors, those of B in vectors or not are the same).
GemmShape read_vectors(const NotedKernel& kernel, bool is_turned) {
  constexpr int most = 4;  // of fp32 in 16 bytes
  GemmShape read{std::min(kernel.vectors->m, most), std::min(kernel.vectors->n, most)};
  if (!kernel.stage_a.value_or(true) || !kernel.stage_b.value_or(true)) return read;
  if (is_turned)
    read.m = std::gcd(std::max(read.m, read.n), kernel.thread_tile->m);
  else
    read.n = std::gcd(std::max(read.m, read.n), kernel.thread_tile->n);
  return read;
}

/// Elements of both tiles that a thread holds between their loads and their stores.
int staged_elements(const NotedKernel& kernel) {
  const int threads = kernel.thread_grid ? kernel.thread_grid->m * kernel.thread_grid->n : 0;
  if (threads == 0) return 0;
  const int sides = (kernel.stage_a.value_or(true) ? kernel.m : 0) + (kernel.stage_b.value_or(true) ? kernel.n : 0);
  return sides * kernel.k.value_or(0) / threads;
}

/// Registers of a kernel whose next fragments are read ahead: two steps' beside the accumulators, until that would be
/// more than 168. Then what comes from shared memory is read into the registers of the step before, and what comes from
/// global memory, which takes longer, is still there twice. What is copied meanwhile may be more than fragments. (nvcc
/// 13 for sm_75, with threads of 8x16: 167 to 177 with one operand staged, 181 with none, 231 with both; of 16x8: 176
/// and 177 with one; of 4x16: 102 to 126; of 4x8: 64 to 71.)
int registers_ahead(const NotedKernel& kernel) {
  constexpr int addresses = 16;
  constexpr int most_for_two = 168;
  constexpr int most = 255;
  constexpr int granule = 8;
  const GemmShape& part = *kernel.thread_tile;
  const int beside = part.m * part.n + addresses;
  int fragments = 2 * (part.m + part.n);
  if (beside + fragments > most_for_two)
    fragments -= (kernel.stage_a.value_or(true) ? part.m : 0) + (kernel.stage_b.value_or(true) ? part.n : 0);
  return std::min((beside + std::max(fragments, staged_elements(kernel)) + granule - 1) / granule * granule, most);
}

/// Integer instructions for the addresses of operands that come from global memory, of a k tile, beyond a pointer's
/// step each k: nvcc 13 makes two to four a k and operand of these kernels, which work the vector's index out anew.
int index_overhead(const NotedKernel& kernel) {
  constexpr int beyond_step = 2;
  const int from_global = (kernel.stage_a.value_or(true) ? 0 : 1) + (kernel.stage_b.value_or(true) ? 0 : 1);
  return from_global * kernel.k.value_or(0) * beyond_step;
}

/// A kernel whose notes give all of it: each thread a run of rows and of columns. The compiler unrolls the steps
/// through k as noted (KWI), no further, and inside such an iteration reads a step's fragments among the products of
/// the one before (nvcc 13 on these very kernels).
void add_thread_notes(const NotedKernel& kernel, bool is_turned, GemmRequest& request) {
  const GemmShape& part = *kernel.thread_tile;
  request.order_m = ElementOrder::contiguous;
  request.order_n = ElementOrder::contiguous;
  request.pair_lanes = false;
  request.prefetch = false;
  request.double_buffer = kernel.unroll.value_or(kernel.k.value_or(0)) > 1;
  if (*request.double_buffer) request.unroll = kernel.unroll;
  request.registers = registers_ahead(kernel);
  request.index_overhead = index_overhead(kernel);
  request.stages = 1;
  request.fragment_k = 1;
  request.split_k = 1;
  request.order = TileOrder::row;
  request.stage_a = kernel.stage_a;
  request.stage_b = kernel.stage_b;
  if (kernel.thread_grid) {
    const int along_n = std::min(kernel.thread_grid->n, warp_lanes);
    request.warp_tile = GemmShape{warp_lanes / along_n * part.m, along_n * part.n};
  }
  if (kernel.stage_a.value_or(true)) request.copy_lanes_a = kernel.copy_lanes_a;
  if (kernel.stage_b.value_or(true)) request.copy_lanes_b = kernel.copy_lanes_b;
  if (!kernel.vectors) return;
  const GemmShape read = read_vectors(kernel, is_turned);
  request.read_a = read.m;
  request.read_b = read.n;
  constexpr int most = 4;
  if (kernel.stage_a.value_or(true)) request.vector_a = std::min(kernel.vectors->m, most);
  if (kernel.stage_b.value_or(true)) request.vector_b = std::min(kernel.vectors->n, most);
}

GemmRequest request_of(const NotedKernel& kernel, bool of_threads, bool is_turned) {
  GemmRequest request;
  request.split_k = kernel.split;
  if (!of_threads) {
    request.warp_tile = kernel.warp_tile;
    request.stages = kernel.stages;
    return request;
  }
  request.thread_tile = kernel.thread_tile;
  if (kernel.thread_tile)
    add_thread_notes(kernel, is_turned, request);
  else if (kernel.threads)
    request.thread_tile = thread_tile(kernel.m, kernel.n, *kernel.threads / kernel.slices.value_or(1));
  request.cta_slices = kernel.slices;
  if (kernel.stages && *kernel.stages > 2) {
    request.stages = kernel.stages;
    request.prefetch = false;
  }
  return request;
}

/// Nothing when what is fixed does not fit.
std::optional<GemmTrial> trial_if_it_fits(const Gpu& gpu, const GemmProblem& problem,
                                          const GemmChoiceOptions& options) {
  try {
    return choose_gemm(gpu, problem, options).trials.front();
  } catch (const ScheduleError&) {
    return std::nullopt;
  }
}

/// Somebody's kernel that a published ladder has a preset of, where it fits the row's sizes.
std::optional<GemmKernels> published_kernels(const MeasuredGemm& row, const Profile& profile, std::string& remark) {
  static const std::vector<Ladder> known = ladders();
  const StepOfLadder found = find_preset(row, profile, known);
  if (found.step == nullptr) return std::nullopt;
  const std::string name = "step " + found.step->name + " of " + found.ladder->name;
  GemmKernels kernels;
  kernels.problem = problem_of(*found.step, row.m, row.n, row.k);
  kernels.tiling = tiling_of(*found.step, kernels.problem);
  try {
    kernels.kernels = gemm_kernels(kernels.problem, kernels.tiling);
  } catch (const ScheduleError&) {
    remark = "; " + name + " does not fit";
    return std::nullopt;
  }
  kernels.description = summary(kernels.tiling) + "; " + name;
  kernels.own_code = true;
  return kernels;
}

/// A library's own for few rows, where it has one for them: n is even, and rows are whole accesses.
std::optional<GemmKernels> gemv_kernels(const MeasuredGemm& row) {
  constexpr std::int64_t access_bytes = 16;
  if (row.batch > 1 || row.m > protocol_of(row.source, row.library).gemv_rows) return std::nullopt;
  if (row.n % 2 != 0 || row.k * size_of(row.input) % access_bytes != 0) return std::nullopt;
  constexpr schedules::GemvTiling tiling;
  GemmKernels kernels;
  kernels.problem = problem_of(row);
  kernels.kernels = {
      schedules::gemv({.m = row.m, .n = row.n, .k = row.k, .dtype = row.input, .result = result_of(row)}, tiling)};
  kernels.description =
      "gemv, " + std::to_string(tiling.columns) + " columns a CTA of " + std::to_string(tiling.threads) + " threads";
  kernels.own_code = true;
  kernels.gemv = true;
  return kernels;
}

}  // namespace

GemmKernels kernels_of(const MeasuredGemm& row, const Gpu& gpu, const RunOptions& run, schedules::GemmLibrary library,
                       const std::function<double(double us)>& watts) {
  if (const auto problem = unreadable(row.layout, row.schedule_notes)) throw ScheduleError({*problem});
  std::string remark;
  if (std::optional<GemmKernels> published = published_kernels(row, gpu.profile(), remark))
    return *std::move(published);
  if (std::optional<GemmKernels> few_rows = gemv_kernels(row)) return *std::move(few_rows);
  GemmProblem problem = problem_of(row);
  problem.block_scales = library == schedules::GemmLibrary::deep_gemm && problem.dtype == DType::fp8 &&
                         problem.accumulate == DType::fp32;  // that is what it multiplies
  GemmChoiceOptions options;
  options.run = run;
  options.library = library;
  options.watts = watts;
  if (watts) options.run.clock_mhz = gpu.profile().clock.boost_mhz;  // until power says which
  options.keep_results = true;
  options.jobs = 1;  // rows are shared out
  std::optional<GemmTrial> trial;
  auto noted = noted_kernel(row.schedule_notes, problem.m, problem.n);
  if (noted) {
    const bool is_turned = noted->thread_grid && layout_of(row).turned;
    if (is_turned) noted = turned(*noted);
    const std::vector<GemmVariant> able = schedules::variants(gpu.profile(), problem.dtype, problem.accumulate);
    const bool of_threads = !able.empty() && able.front() == GemmVariant::simt;
    GemmChoiceOptions fixed = options;
    fixed.tile = GemmTile{noted->m, noted->n, noted->k.value_or(0)};
    fixed.request = request_of(*noted, of_threads, is_turned);
    const bool says_all = noted->k || noted->stages;
    if (const auto kernel = cublas_sgemm(row.schedule_notes); kernel && of_threads && !says_all) {
      fixed.tile->k = k_tile(*kernel);
      fix_sgemm(*kernel, problem.layout, fixed.request);
    }
    trial = trial_if_it_fits(gpu, problem, fixed);
    if (!trial) {
      fixed.request = {};
      fixed.tile->k = 0;
      trial = trial_if_it_fits(gpu, problem, fixed);
      remark = trial ? "; the tile alone as noted" : "; the noted kernel does not fit";
    }
  }
  if (!trial) trial = choose_gemm(gpu, problem, options).trials.front();
  const GemmTiling& tiling = trial->tiling;
  return {.problem = problem,
          .tiling = tiling,
          .kernels = gemm_kernels(problem, tiling),
          .description = summary(tiling) + remark,
          .clock_mhz = trial->clock_mhz,
          .simulated = std::move(trial->result)};
}

}  // namespace gpusim::validate
