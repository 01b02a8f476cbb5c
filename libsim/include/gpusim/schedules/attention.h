// Fused attention forward: O = softmax(Q K^T / sqrt(d)) V for each head, the scores never leaving the SM.
//
// flash2 and flash3: a CTA has tile_m rows of Q and walks the keys from the last it sees to the first, tile_n at a
// time, with a running maximum and sum; what it has summed so far is scaled down whenever the maximum grows. Variants:
//   flash2   Q, K and V by cp.async, mma.sync; the next K is copied while this one is used, V while scores are made
//   flash3   bulk tensor copies by a producer warp, wgmma; the scores of a block are made while the block before is
//            multiplied by V. Each consumer warp group has 64 rows of Q
//   mmha     TensorRT-LLM's masked multi-head attention, of one query a sequence, on CUDA cores: a CTA has a head and
//            walks all its keys, then all their values, each 16 bytes a lane through pages of 64 keys; scores wait in
//            shared memory in between. The last key is the new token's: it and its value are written to K and V.
//            Turning query and new key by their place costs what it takes, and changes no value
//   xqa      TensorRT-LLM's XQA, of one query a sequence, on tensor cores: the heads that share keys are a tile's rows.
//            Four warps make scores, each of 64 keys of its own, and four add up values; cp.async, mma.sync, mbarriers
//            in between. A CTA takes every `splits`-th block of 256 keys
//
// mmha and xqa also read buffers `lengths` and `pages`, and mmha `frequencies`. They are as TensorRT-LLM has them
// (decoderMaskedMultiheadAttentionTemplate.h and -Launch.h; mha.cu and decoderXQAImplCommon.h of its 1.x versions).
//
// Decode attention is the case of one query a sequence: `pack_gqa` makes rows of a tile of the query heads that share
// keys, and `splits` shares a sequence's keys out to several CTAs, whose results a second kernel combines.
//
// Q and O are batch x heads layers of queries x head_dim, K and V batch x kv_heads layers of keys x head_dim. `causal`:
// the last query sees all keys, each one before a key less.
//
//   const auto kernels = schedules::attention_kernels({.batch = 2, .heads = 32, .queries = 4096, .causal = true});
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "gpusim/dtype.h"
#include "gpusim/profile.h"
#include "gpusim/schedule.h"

namespace gpusim::schedules {

enum class AttentionVariant : std::uint8_t { flash2, flash3, mmha, xqa };
[[nodiscard]] constexpr std::array<std::string_view, 4> names_of(AttentionVariant) {
  return {"flash2", "flash3", "mmha", "xqa"};
}

struct AttentionProblem {
  std::int64_t batch = 1;
  std::int64_t heads = 1;
  std::int64_t kv_heads = 0;  ///< 0: as many as heads; divides them
  std::int64_t queries = 0;
  std::int64_t keys = 0;  ///< 0: as many as queries
  int head_dim = 128;     ///< a multiple of 32 up to 256
  DType dtype = DType::fp16;
  bool causal = false;
};

struct AttentionTiling {
  AttentionVariant variant = AttentionVariant::flash2;
  int tile_m = 128;  ///< rows of Q a CTA has; mmha: 1; xqa: 16 or 32
  /// Keys at a time; where causal it divides tile_m, or the other way round. mmha: of all warps, before the scores of
  /// any are made; values are loaded twice as many at a time. xqa: 32 or 64 elements of keys, and as many keys of
  /// values, that a warp copies at a time
  int tile_n = 64;
  int warps = 4;   ///< flash2: that share the rows, 16 or more each; mmha: that share the keys, a power of 2; xqa: 4
  int stages = 2;  ///< flash3: buffers of K and of V
  /// flash3: a block's scores are made while the one before is multiplied by V; else one after the other, and only
  /// warp groups hide each other's softmax
  bool overlap = true;
  bool pack_gqa = false;
  std::int64_t splits = 1;   ///< CTAs that share a sequence's keys
  bool heavy_first = false;  ///< causal: CTAs with the most keys begin first
  int registers = 0;         ///< a thread, when the CTA starts; 0: an estimate
};

/// The kernel that attends. Throws ScheduleError when problem or tiling make no sense on any GPU.
[[nodiscard]] Schedule attention(const AttentionProblem& problem, const AttentionTiling& tiling = {});
/// The same and, with splits, the kernel that combines.
[[nodiscard]] std::vector<Schedule> attention_kernels(const AttentionProblem& problem,
                                                      const AttentionTiling& tiling = {});

/// What the user fixed, member for member as in AttentionTiling; the rest is chosen.
struct AttentionRequest {
  std::optional<AttentionVariant> variant;  ///< none: flash3 where the GPU has wgmma, else flash2
                                            ///< where it has cp.async, else mmha where it can be
  std::optional<int> tile_m;
  std::optional<int> tile_n;
  std::optional<int> warps;
  std::optional<int> stages;
  std::optional<bool> overlap;
  std::optional<bool> pack_gqa;        ///< none: where a sequence has one query
  std::optional<std::int64_t> splits;  ///< none: of one query, what fills the GPU
  std::optional<bool> heavy_first;     ///< none: of flash3
  std::optional<int> registers;
};

/// What TensorRT-LLM runs before its attention (applyBiasRopeUpdateKVCacheV2): queries and keys turned by their places,
/// keys and values written to the cache; `decode`: a token of each sequence, the last of its keys. Its grid is cut for
/// a GPU of so many SMs. Where sequences and a CTA's tokens are no multiples of each other, angles beside those meant
/// are read; where a head's vectors of 16 bytes do not divide a warp, lanes idle that the source has none of. The
/// rotation is counted, not executed: the functional twin moves queries, keys and values as they are. Throws
/// ScheduleError where attention does, and for less than an SM.
[[nodiscard]] Schedule prepare_attention(const AttentionProblem& given, bool decode, std::int64_t sms);

/// The tiling for a GPU. Throws ScheduleError when the GPU lacks what the variant needs, naming what it has.
[[nodiscard]] AttentionTiling choose_attention(const Profile& profile, const AttentionProblem& problem,
                                               const AttentionRequest& request = {});

}  // namespace gpusim::schedules
