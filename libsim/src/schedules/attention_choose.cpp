// Tiles as FlashAttention's own tables have them, for what a GPU's shared memory holds.
#include "gpu_features.h"
#include "schedules/attention_mmha.h"
#include "schedules/attention_plan.h"
#include "schedules/attention_xqa.h"

namespace gpusim::schedules {
namespace {

/// What a variant needs that the GPU lacks ("needs ldmatrix, ..."); "" for nothing. mmha needs nothing that some lack.
std::string attention_lack(const Profile& profile, AttentionVariant variant) {
  if (variant == AttentionVariant::mmha) return "";
  if (variant != AttentionVariant::flash3) return profile.async_copy ? "" : needs(async_copy_feature);
  if (!profile.tensor.wgmma) return needs(wgmma_feature);
  return profile.tma ? "" : needs(tma_feature);
}

/// The best the GPU has for so many queries, or, where it has none, what is refused.
AttentionVariant usual_variant(const Profile& profile, bool single) {
  const auto has = [&](AttentionVariant variant) { return attention_lack(profile, variant).empty(); };
  if (!single && has(AttentionVariant::flash3)) return AttentionVariant::flash3;
  return single && !has(AttentionVariant::flash2) ? AttentionVariant::mmha : AttentionVariant::flash2;
}

/// Refuses what the GPU cannot, naming what it can.
void check_attention_variant(const Profile& profile, const AttentionProblem& problem, AttentionVariant variant) {
  const std::string lack = attention_lack(profile, variant);
  if (lack.empty()) return;
  std::string there;
  for (const AttentionVariant other : {AttentionVariant::flash2, AttentionVariant::mmha}) {
    const bool fits = other != AttentionVariant::mmha || problem.queries == 1;
    if (fits && attention_lack(profile, other).empty())
      there += (there.empty() ? "" : " or ") + std::string(variant_word(other));
  }
  if (there.empty()) there = "with one query a sequence, mmha";
  throw ScheduleError(
      {Problem{"variant", std::string(variant_word(variant)) + " " + lack + "; " + there + " would do"}});
}

/// Most splits that leave a CTA a few blocks, and no more than fill the GPU.
std::int64_t choose_splits(const Profile& profile, const AttentionPlan& plan) {
  constexpr std::int64_t fewest_blocks = 2;
  constexpr std::int64_t most_splits = 128;
  const std::int64_t ctas = plan.grid_m() * plan.layers;
  const std::int64_t wanted = profile.sm.count * 2 / ctas;
  return std::clamp<std::int64_t>(wanted, 1,
                                  std::max<std::int64_t>(1, std::min(plan.blocks / fewest_blocks, most_splits)));
}

int rows_for(const AttentionProblem& problem, bool flash3, bool few_rows) {
  if (few_rows) return 64;
  return flash3 || problem.head_dim <= 192 ? 128 : 64;
}

/// Shared memory of an SM decides between the two tables of FlashAttention-2.
int keys_for(const Profile& profile, const AttentionProblem& problem, bool flash3) {
  constexpr std::int64_t large_shared = std::int64_t{128} * 1024;
  if (flash3) return problem.head_dim <= 128 ? 128 : 64;
  const bool large = profile.shared.capacity.is_unlimited() || profile.shared.capacity.value().count() > large_shared;
  if (problem.head_dim <= 64) return 128;
  if (large) return 64;
  return problem.causal || problem.head_dim > 128 ? 64 : 32;
}

/// What a variant, or the problem, has no use for. A tiling cannot tell: it has a value whether or not one was asked
/// for.
void check_request(const AttentionProblem& problem, AttentionVariant variant, const AttentionRequest& request) {
  const bool flash3 = variant == AttentionVariant::flash3;
  const bool of_one_query = variant == AttentionVariant::mmha || variant == AttentionVariant::xqa;
  KernelCollector collect;
  collect.require(!request.warps || !flash3, "warps",
                  "flash3 has a warp group for every 64 rows: tile_m says how many warps");
  collect.require(!request.stages || flash3, "stages",
                  "only flash3 has stages: flash2 has one buffer of K and one of V, mmha has none, and a warp of xqa "
                  "two");
  collect.require(!request.overlap.value_or(false) || flash3, "overlap",
                  "only flash3 overlaps: flash2 multiplies scores and values one after the other, mmha has no "
                  "products, and scores and values of xqa are different warps' work");
  collect.require(!request.heavy_first.value_or(false) || (problem.causal && !of_one_query), "heavy_first",
                  "all CTAs have as many keys unless the problem is causal and has several queries");
  collect.refuse();
}

}  // namespace

AttentionTiling choose_attention(const Profile& profile, const AttentionProblem& problem,
                                 const AttentionRequest& request) {
  const AttentionProblem complete = complete_problem(problem);
  KernelCollector collect;
  if (request.warps) collect.within(*request.warps, 1, most_cta_threads / lanes_per_warp, "warps");
  collect.refuse();
  const bool single = complete.queries == 1;
  AttentionTiling tiling;
  tiling.variant = request.variant.value_or(usual_variant(profile, single));
  const bool mmha = tiling.variant == AttentionVariant::mmha;
  tiling.pack_gqa = request.pack_gqa.value_or(single && !mmha);
  const bool by_groups = tiling.variant == AttentionVariant::flash3;
  check_attention_variant(profile, complete, tiling.variant);
  check_request(complete, tiling.variant, request);
  const bool large_shared =
      profile.shared.capacity.is_unlimited() || profile.shared.capacity.value() > Bytes(128 << 10);
  const bool small_tiles = !by_groups && !large_shared && complete.head_dim > 64;
  tiling.tile_m = request.tile_m.value_or(rows_for(complete, by_groups, single || (small_tiles && complete.causal)));
  tiling.tile_n = request.tile_n.value_or(std::min(keys_for(profile, complete, by_groups), tiling.tile_m));
  tiling.warps = request.warps.value_or(4);
  tiling.stages = request.stages.value_or(2);
  tiling.overlap = request.overlap.value_or(true);
  tiling.heavy_first = request.heavy_first.value_or(by_groups);
  tiling.registers = request.registers.value_or(0);
  tiling.splits = request.splits.value_or(1);
  if (mmha) {
    choose_mmha(profile, complete, request, tiling);
  } else if (tiling.variant == AttentionVariant::xqa) {
    choose_xqa(profile, complete, request, tiling);
  } else if (!request.splits && single) {
    tiling.splits = choose_splits(profile, plan_attention(complete, tiling));
  }
  std::vector<Problem> problems = check(attention(complete, tiling), profile);
  if (!problems.empty()) throw ScheduleError(std::move(problems));
  return tiling;
}

}  // namespace gpusim::schedules
