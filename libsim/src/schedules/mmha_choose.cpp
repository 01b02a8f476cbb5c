// How TensorRT-LLM launches masked multi-head attention: CTAs grow where they are few, and share a sequence only where
// there are fewer than SMs, or its scores do not fit.
#include <algorithm>

#include "schedules/attention_mmha.h"

namespace gpusim::schedules {
namespace {

constexpr std::int64_t small_cta = 256;
constexpr std::int64_t large_cta = 1024;
constexpr std::int64_t most_splits = 1024;
constexpr std::int64_t bytes_of_score = 6;  ///< in fp32, and the weight in 16 bits
constexpr std::int64_t least_unrolled = 8;  ///< keys of a lane that make another CTA worth it

/// CTAs of an SM, by their registers.
std::int64_t resident(const Profile& profile, std::int64_t threads) {
  if (profile.sm.registers.is_unlimited()) return large_cta / small_cta;
  return std::max<std::int64_t>(profile.sm.registers.value() / (mmha_registers * threads), 1);
}

std::int64_t fewest_splits(const Profile& profile, std::int64_t keys) {
  constexpr std::int64_t of_others = 2048;
  if (profile.shared.per_cta.is_unlimited()) return 1;
  const std::int64_t of_scores = std::max(profile.shared.per_cta.value().count() - of_others, bytes_of_score);
  return std::clamp<std::int64_t>(divided_up(keys * bytes_of_score, of_scores), 1, most_splits);
}

bool fits(const Profile& profile, const AttentionProblem& problem, const AttentionTiling& tiling) {
  if (profile.shared.per_cta.is_unlimited()) return true;
  AttentionPlan plan;
  plan.problem = problem;
  plan.tiling = tiling;
  Schedule tiles_alone;
  tiles_alone.shared_tiles = mmha_tiles(plan);
  return gpusim::shared_bytes(tiles_alone) <= profile.shared.per_cta.value();
}

std::int64_t chosen_threads(const Profile& profile, std::int64_t ctas, bool splits) {
  const std::int64_t sms = profile.sm.count;
  const std::int64_t small = resident(profile, small_cta);
  if (!splits && ctas >= 4 * sms) return small_cta;
  const std::int64_t wanted = small_cta * std::min(divided_up(sms * small, ctas), small);
  return wanted >= large_cta ? large_cta : wanted >= 2 * small_cta ? 2 * small_cta : small_cta;
}

}  // namespace

void choose_mmha(const Profile& profile, const AttentionProblem& problem, const AttentionRequest& request,
                 AttentionTiling& tiling) {
  constexpr std::int64_t unroll = 4;
  const std::int64_t ctas = problem.batch * problem.heads;
  const std::int64_t lanes = mmha_lanes(problem);
  const std::int64_t fewest = fewest_splits(profile, problem.keys);
  const std::int64_t most = std::max(divided_up(profile.sm.count, ctas), fewest);
  const std::int64_t threads =
      request.warps ? std::int64_t{*request.warps} * lanes_per_warp : chosen_threads(profile, ctas, most > 1);
  tiling.warps = static_cast<int>(threads / lanes_per_warp);
  tiling.tile_m = request.tile_m.value_or(1);
  tiling.tile_n = request.tile_n.value_or(static_cast<int>(unroll * threads / lanes));
  const std::int64_t together = divided_up(threads, lanes);
  // Of a tile that is no such multiple, which is refused with the rest, no number of splits can be told.
  if (request.splits || tiling.tile_n < together || tiling.tile_n % together != 0) return;
  const std::int64_t worth = divided_up(problem.keys, divided_up(threads, lanes) * least_unrolled);
  const std::int64_t filling = divided_up(profile.sm.count * resident(profile, threads), ctas);
  // As many as have a key.
  const auto with_keys = [&](std::int64_t splits) {
    return divided_up(problem.keys, divided_up(problem.keys, splits));
  };
  std::int64_t splits = std::max(fewest, std::min({filling, worth, most}));
  tiling.splits = with_keys(splits);
  // Scores are rounded up to whole trips, which its rule leaves out. (One split more need not be one with keys more.)
  while (!fits(profile, problem, tiling) && splits < most_splits) tiling.splits = with_keys(++splits);
}

}  // namespace gpusim::schedules
