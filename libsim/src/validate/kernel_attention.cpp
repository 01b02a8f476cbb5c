#include "validate/kernel_attention.h"

#include <algorithm>

#include "gpusim/schedules/attention.h"
#include "gpusim/schedules/elementwise.h"

namespace gpusim::validate {
namespace {

using schedules::AttentionProblem;
using schedules::AttentionRequest;
using schedules::AttentionVariant;

constexpr std::int64_t xqa_keys_of_cta = 128;

/// TensorRT-LLM's decode has a kernel (XQA) for up to 32 heads that share keys, which takes them together, where there
/// are CTAs for a quarter of the SMs, a CTA for every 128 keys. Else each head has a CTA of its own (masked multi-head
/// attention).
bool takes_xqa(const AttentionProblem& problem, std::int64_t cached, const Profile& profile) {
  constexpr std::int64_t most = 32;
  constexpr std::int64_t least_share = 4;
  constexpr int least_head = 64;
  const std::int64_t group = problem.heads / problem.kv_heads;
  const std::int64_t ctas = problem.batch * problem.kv_heads * std::max<std::int64_t>(cached / xqa_keys_of_cta, 1);
  return group > 1 && group <= most && problem.head_dim >= least_head && ctas * least_share >= profile.sm.count;
}

/// TensorRT-LLM's context attention with wgmma (fmha_v2's warp-specialised kernels): two warp groups of 64 rows, two
/// buffers of keys and of values, no product beside a group's own softmax.
AttentionRequest context_by_groups(const AttentionProblem& problem) {
  AttentionRequest request;
  request.variant = AttentionVariant::flash3;
  request.tile_m = 128;
  request.tile_n = problem.head_dim <= 64 ? 256 : problem.head_dim <= 128 ? 128 : 64;
  request.stages = 2;
  request.overlap = false;
  request.heavy_first = false;
  return request;
}

/// The same without wgmma (fmha_v2's flash attention): four warps of 16 or 32 rows and 128 keys at a time (granular
/// tiling). Where an SM has no shared memory for two such CTAs, short sequences, which would leave most of them empty,
/// and wide heads, of which not even one fits, take 64 rows and fewer keys.
AttentionRequest context_by_warps(const AttentionProblem& problem, const Profile& profile) {
  constexpr int many_keys = 128;
  constexpr std::int64_t short_sequence = 128;
  AttentionRequest request;
  request.variant = AttentionVariant::flash2;
  request.tile_m = problem.head_dim <= 64 ? 128 : 64;
  request.tile_n = many_keys;
  const Bytes of_cta(std::int64_t{*request.tile_m + 2 * many_keys} * problem.head_dim * size_of(problem.dtype));
  const auto& shared = profile.shared;
  const bool one_fits = shared.per_cta.is_unlimited() || of_cta <= shared.per_cta.value();
  const bool two_fit =
      shared.capacity.is_unlimited() || (of_cta + shared.reserved_per_cta) * 2 <= shared.capacity.value();
  if (!one_fits || (!two_fit && problem.queries <= short_sequence)) {
    request.tile_m = 64;
    request.tile_n = problem.head_dim <= 32 ? 64 : problem.head_dim <= 128 ? 32 : 16;
  }
  return request;
}

AttentionRequest context_request(const AttentionProblem& problem, const Profile& profile) {
  AttentionRequest request =
      profile.tensor.wgmma && profile.tma ? context_by_groups(problem) : context_by_warps(problem, profile);
  request.pack_gqa = false;
  request.splits = 1;
  return request;
}

AttentionRequest tensorrt_request(const AttentionProblem& problem, bool context, const Profile& profile) {
  if (context) return context_request(problem, profile);
  const std::int64_t cached = problem.keys - 1;
  AttentionRequest request;
  request.variant = takes_xqa(problem, cached, profile) ? AttentionVariant::xqa : AttentionVariant::mmha;
  return request;
}

/// In a context a kernel comes first that counts sequences' lengths up and writes each token's place.
Schedule counted_tokens(const AttentionProblem& attention) {
  schedules::ElementwiseProblem problem;
  problem.operation = schedules::ElementwiseOperation::add;
  problem.scalar = true;
  problem.rows = 1;
  problem.columns = attention.batch * attention.queries;
  problem.dtype = DType::fp32;
  Schedule schedule = schedules::elementwise(problem, {.vector = 1, .threads = 256});
  schedule.buffers.front().name = "lengths";
  schedule.buffers.back().name = "places";
  return schedule;
}

}  // namespace

ChosenKernels attention_kernels(const MeasuredKernel& row, const KernelName& name, KernelLibrary library,
                                const Profile& profile) {
  AttentionProblem problem;
  problem.batch = row.shape.batch;
  problem.heads = row.shape.heads;
  problem.kv_heads = row.shape.kv_heads;
  problem.queries = row.shape.queries;
  problem.keys = row.shape.keys;
  problem.head_dim = row.shape.head_dim;
  problem.dtype = *row.input;
  problem.causal = name.causal;
  const bool tensorrt = library == KernelLibrary::tensorrt;
  const bool context = name.kind == KernelKind::attention;  // of one token too
  // With the new token's, one more than the cache has.
  if (tensorrt && !context) problem.keys += 1;
  AttentionRequest request = tensorrt ? tensorrt_request(problem, context, profile) : AttentionRequest{};
  if (library == KernelLibrary::flash2) request.variant = AttentionVariant::flash2;
  const bool prepares = tensorrt && request.variant != AttentionVariant::mmha;
  ChosenKernels chosen;
  chosen.kernels = schedules::attention_kernels(problem, schedules::choose_attention(profile, problem, request));
  chosen.written = {"O", "prepared", "prepared_k", "prepared_v", "places"};
  if (prepares)
    chosen.kernels.insert(chosen.kernels.begin(), schedules::prepare_attention(problem, !context, profile.sm.count));
  if (tensorrt && context) chosen.kernels.insert(chosen.kernels.begin(), counted_tokens(problem));
  return chosen;
}

}  // namespace gpusim::validate
