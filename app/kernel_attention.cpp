// gpusim run attention
#include "gpusim/schedules/attention.h"

#include "kernel_command.h"
#include "kernel_options.h"

namespace app {

namespace {

using namespace gpusim::schedules;

AttentionProblem read_attention_problem(const Options& options, Problems& problems) {
  constexpr std::int64_t default_heads = 32;
  constexpr std::int64_t default_queries = 2048;
  AttentionProblem problem;
  problem.batch = number_option(options, "batch", {}, problems).value_or(problem.batch);
  problem.heads = number_option(options, "heads", {}, problems).value_or(default_heads);
  problem.kv_heads = number_option(options, "kv-heads", {}, problems).value_or(problem.kv_heads);
  problem.queries = number_option(options, "queries", {}, problems).value_or(default_queries);
  problem.keys = number_option(options, "keys", {}, problems).value_or(problem.keys);
  problem.head_dim = small_number_option(options, "head-dim", {}, problems).value_or(problem.head_dim);
  problem.dtype = dtype_option(options, "dtype", problems).value_or(problem.dtype);
  problem.causal = options.has("causal");
  return problem;
}

AttentionRequest read_attention_request(const Options& options, Problems& problems) {
  AttentionRequest request;
  request.variant = word_option<AttentionVariant>(options, "variant", "variant", problems);
  request.tile_m = small_number_option(options, "tile-m", {}, problems);
  request.tile_n = small_number_option(options, "tile-n", {}, problems);
  request.warps = small_number_option(options, "warps", {}, problems);
  request.stages = small_number_option(options, "stages", {}, problems);
  request.overlap = yes_option(options, "overlap", problems);
  request.pack_gqa = yes_option(options, "pack-gqa", problems);
  request.splits = number_option(options, "splits", {}, problems);
  request.heavy_first = yes_option(options, "heavy-first", problems);
  request.registers = small_number_option(options, "registers", {}, problems);
  return request;
}

Kernels read_attention(const Options& options, const gpusim::Profile& profile, Problems& problems) {
  const std::size_t before = problems.size();
  const AttentionProblem problem = read_attention_problem(options, problems);
  const AttentionRequest request = read_attention_request(options, problems);
  if (problems.size() > before) return {};
  const std::vector<gpusim::Schedule> schedules =
      attention_kernels(problem, choose_attention(profile, problem, request));
  const std::int64_t keys = problem.keys == 0 ? problem.queries : problem.keys;
  return {schedules, [=] { return gpusim::functional::check_attention(schedules, problem); },
          static_cast<double>(problem.batch * problem.heads * problem.queries) * static_cast<double>(keys) *
              problem.head_dim,
          "softmax(Q K^T / sqrt(d)) V"};
}

}  // namespace

KernelCommand attention_command() {
  return {"attention",
          "Simulates fused attention, O = softmax(Q K^T / sqrt(d)) V for each head.",
          {{"Attention",
            {{"batch", "N", "sequences (default 1)"},
             {"heads", "N", "of queries (default 32)"},
             {"kv-heads", "N", "of keys and values (default: as many as heads)"},
             {"queries", "N", "of a sequence (default 2048); 1 is decode attention"},
             {"keys", "N", "of a sequence (default: as many as queries)"},
             {"head-dim", "N", "elements of a head, d (default 128)"},
             {"dtype", "TYPE", "fp16 (default) or bf16"},
             {"causal", "", "a query sees the keys up to its own place"}}},
           {"How it is shared out",
            {{"variant", "NAME", "flash2, flash3 or, of one query, mmha or xqa (default: the best the GPU has)"},
             {"tile-m", "N", "rows of a CTA: queries; mmha: 1; xqa: 16 or 32 heads that share keys (default: chosen)"},
             {"tile-n", "N", "keys at a time, of mmha all warps'; xqa: 32 or 64 elements of keys (default: chosen)"},
             {"warps", "N", "flash2: that share the queries (default 4); mmha: that share the keys (default: chosen)"},
             {"stages", "N", "flash3: buffers of K and of V (default 2)"},
             {"overlap", "YES|NO", "flash3: scores are made while the block before is multiplied by V (default yes)"},
             {"pack-gqa", "YES|NO", "heads that share keys are rows of one tile (default: of one query, but for mmha)"},
             {"splits", "N", "CTAs that share a sequence's keys (default: of one query, chosen)"},
             {"heavy-first", "YES|NO", "causal: CTAs with the most keys begin first (default: flash3)"},
             {"registers", "N", "a thread (default: an estimate)"}}}},
          {"--arch ampere --causal", "--arch hopper --batch 4 --heads 16 --queries 4096 --dtype bf16",
           "--arch hopper --batch 32 --heads 32 --kv-heads 8 --queries 1 --keys 4096",
           "--arch ampere --batch 64 --heads 32 --kv-heads 8 --queries 1 --keys 1024 --variant xqa"},
          read_attention,
          {{"schedule.shared", "stages", {}},
           {"schedule.shared", "tile-n", {}},
           {"schedule.shared", "tile-m", {}},
           {"schedule.shared", "splits", {"32", "64", "128", "256", "512", "1024"}},
           {"schedule.shared", "keys", {}},
           {"schedule.registers", "registers", {}},
           {"schedule.registers", "tile-n", {}},
           {"schedule.registers", "tile-m", {}},
           {"schedule.registers", "warps", {}},
           {"schedule.buffers", "batch", {}},
           {"schedule.buffers", "keys", {}},
           {"schedule.buffers", "queries", {}},
           {"schedule.buffers", "heads", {}}}};
}

}  // namespace app
