// As TensorRT-LLM launches XQA.
#include <cmath>

#include "schedules/attention_xqa.h"

namespace gpusim::schedules {

void choose_xqa(const Profile& profile, const AttentionProblem& problem, const AttentionRequest& request,
                AttentionTiling& tiling) {
  constexpr double most_waves = 8;
  constexpr std::int64_t most_parts = 6000;  ///< of all sequences, as its launcher has it (decoderXQAImplCommon.h)
  constexpr int small_tile = 16;
  // What it holds with pieces of 64 on an A100, and does not on GPUs with 100 KiB an SM.
  const Bytes large_shared(128 << 10);
  const bool large = profile.shared.capacity.is_unlimited() || profile.shared.capacity.value() > large_shared;
  tiling.tile_m = request.tile_m.value_or(problem.heads / problem.kv_heads <= small_tile ? small_tile : 2 * small_tile);
  tiling.tile_n = request.tile_n.value_or(large ? 64 : 32);
  if (request.splits) return;
  // One CTA for 128 keys, or where these are many about their root; no more than eight waves.
  std::int64_t splits = (problem.keys - 1) / xqa_keys_of_split;
  splits = std::min(splits, static_cast<std::int64_t>(std::llround(std::sqrt(static_cast<double>(splits) * 8))));
  splits = std::max<std::int64_t>(splits, 1);
  const double waves = static_cast<double>(problem.batch * problem.kv_heads * splits) /
                       static_cast<double>(profile.sm.count) / most_waves;
  if (waves > 1) splits = std::max<std::int64_t>(static_cast<std::int64_t>(static_cast<double>(splits) / waves), 1);
  tiling.splits = std::max<std::int64_t>(std::min(splits, most_parts / problem.batch), 1);
}

}  // namespace gpusim::schedules
