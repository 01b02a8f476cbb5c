#include "schedules/gemm_choices.h"

#include <array>
#include <charconv>
#include <string_view>

namespace gpusim::schedules {
namespace {

template <class Value>
std::string word(Value value) {
  return std::string(names_of(value).at(static_cast<std::size_t>(value)));
}

std::string text(bool value) { return value ? "true" : "false"; }
std::string text(std::int64_t value) { return std::to_string(value); }
std::string text(int value) { return std::to_string(value); }
std::string text(double value) {
  std::array<char, 32> digits{};
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr};
}
std::string text(const Extent& extent) { return text(extent.rows) + "x" + text(extent.columns); }
std::string text(const GemmShape& shape) { return text(shape.m) + "x" + text(shape.n); }

class Choices {
 public:
  void add(const char* choice, std::string value) { all.emplace_back(choice, std::move(value)); }
  /// A choice worth telling only where it was made.
  template <class T>
  void add_unless(const T& left_alone, const char* choice, const T& value) {
    if (!(value == left_alone)) add(choice, text(value));
  }

  std::vector<std::pair<std::string, std::string>> all;
};

void add_operands(const GemmPlan& plan, Choices& choices) {
  const GemmTiling& asked = plan.asked;
  const GemmTiling& tiling = plan.tiling;
  if (asked.order_m != ElementOrder::automatic) choices.add("order_m", word(tiling.order_m));
  if (asked.order_n != ElementOrder::automatic) choices.add("order_n", word(tiling.order_n));
  if (asked.vector_a != 0) choices.add("vector_a", text(tiling.vector_a));
  if (asked.vector_b != 0) choices.add("vector_b", text(tiling.vector_b));
  choices.add_unless(false, "pair_lanes", asked.pair_lanes);
  choices.add_unless(0, "copy_lanes_a", asked.copy_lanes_a);
  choices.add_unless(0, "copy_lanes_b", asked.copy_lanes_b);
  if (asked.read_a != 0) choices.add("read_a", text(tiling.read_a));
  if (asked.read_b != 0) choices.add("read_b", text(tiling.read_b));
  if (asked.shared_a != SharedLayout::automatic) choices.add("shared_a", word(tiling.shared_a));
  if (asked.shared_b != SharedLayout::automatic) choices.add("shared_b", word(tiling.shared_b));
  choices.add_unless(false, "transpose_a", asked.transpose_a);
  choices.add_unless(false, "transpose_b", asked.transpose_b);
  choices.add_unless(true, "stage_a", asked.stage_a);
  choices.add_unless(true, "stage_b", asked.stage_b);
  choices.add_unless(false, "overfetch", asked.overfetch);
  choices.add_unless(false, "through_local", asked.through_local);
  choices.add_unless(true, "reuse_operands", asked.reuse_operands);
}

void add_walks(const GemmPlan& plan, const GemmTiling& defaults, Choices& choices) {
  const GemmTiling& tiling = plan.tiling;
  choices.add_unless(defaults.cluster, "cluster", tiling.cluster);
  choices.add_unless(defaults.multicast, "multicast", tiling.multicast);
  if (tiling.multicast_by != defaults.multicast_by) choices.add("multicast_by", word(tiling.multicast_by));
  choices.add_unless(defaults.ctas, "ctas", tiling.ctas);
  choices.add_unless(defaults.consecutive, "consecutive", tiling.consecutive);
  if (tiling.order != defaults.order) choices.add("order", word(tiling.order));
  if (tiling.order == TileOrder::grouped) choices.add("group", text(tiling.group));
  choices.add_unless(defaults.split_k, "split_k", tiling.split_k);
  if (tiling.split_k > 1) choices.add("reduction", word(tiling.reduction));
  choices.add_unless(defaults.stream_k, "stream_k", tiling.stream_k);
}

void add_problem(const GemmProblem& problem, Choices& choices) {
  const GemmProblem defaults;
  choices.add("m", text(problem.m));
  choices.add("n", text(problem.n));
  choices.add("k", text(problem.k));
  choices.add("dtype", std::string(name(problem.dtype)));
  choices.add("accumulate", std::string(name(problem.accumulate)));
  if (problem.result) choices.add("result", std::string(name(*problem.result)));
  choices.add("alpha", text(problem.alpha));
  choices.add("beta", text(problem.beta));
  if (problem.layout != defaults.layout) choices.add("layout", std::string(name(problem.layout)));
  choices.add_unless(defaults.batch, "batch", problem.batch);
  choices.add_unless(defaults.batch_interleave, "batch_interleave", problem.batch_interleave);
  choices.add_unless(defaults.bias, "bias", problem.bias);
  if (problem.activation != defaults.activation) choices.add("activation", word(problem.activation));
  choices.add_unless(defaults.sparse, "sparse", problem.sparse);
  choices.add_unless(defaults.block_scales, "block_scales", problem.block_scales);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> gemm_choices(const GemmPlan& plan) {
  const GemmTiling& tiling = plan.tiling;
  const GemmTiling defaults;
  Choices choices;
  add_problem(plan.posed, choices);
  choices.add("schedule", std::string(name(tiling.variant)));
  choices.add("tile", to_string(tiling.tile));
  choices.add("stages", text(tiling.stages));
  choices.add("specialize", text(tiling.specialize));
  choices.add("fragment_k", text(tiling.fragment_k));
  choices.add("registers", text(tiling.registers));
  choices.add_unless(0, "reserved", tiling.reserved);
  choices.add_unless(0, "spilled", plan.spilled);
  choices.add_unless(0, "spill_slots", plan.spill_slots);
  choices.add("warps", text(plan.warps));
  choices.add("warp_tile", text(plan.warp_tile));
  if (plan.on_tensor_cores()) {
    const MmaShape& shape = tiling.instruction;
    choices.add("instruction", to_string(GemmTile{shape.m, shape.n, shape.k}));
  } else {
    choices.add("thread_tile", text(plan.thread_tile));
  }
  choices.add_unless(defaults.cta_slices, "cta_slices", tiling.cta_slices);
  add_operands(plan, choices);
  choices.add_unless(defaults.prefetch, "prefetch", tiling.prefetch);
  choices.add_unless(defaults.load_batch, "load_batch", tiling.load_batch);
  choices.add_unless(defaults.index_overhead, "index_overhead", tiling.index_overhead);
  choices.add_unless(defaults.double_buffer, "double_buffer", tiling.double_buffer);
  choices.add_unless(defaults.unroll, "unroll", tiling.unroll);
  choices.add_unless(defaults.carry_over, "carry_over", tiling.carry_over);
  choices.add_unless(defaults.interleave, "interleave", tiling.interleave);
  choices.add_unless(defaults.whole_lines, "whole_lines", tiling.whole_lines);
  choices.add_unless(defaults.ldmatrix, "ldmatrix", tiling.ldmatrix);
  choices.add_unless(defaults.matrices_a, "matrices_a", tiling.matrices_a);
  choices.add_unless(defaults.matrices_b, "matrices_b", tiling.matrices_b);
  choices.add_unless(defaults.swap_ab, "swap_ab", tiling.swap_ab);
  if (tiling.variant == GemmVariant::wgmma) choices.add("consumers", text(tiling.consumers));
  choices.add_unless(defaults.promote, "promote", tiling.promote);
  choices.add_unless(defaults.pingpong, "pingpong", tiling.pingpong);
  choices.add_unless(defaults.consumers_arrive, "consumers_arrive", tiling.consumers_arrive);
  choices.add_unless(defaults.producer_registers, "producer_registers", tiling.producer_registers);
  choices.add_unless(defaults.consumer_registers, "consumer_registers", tiling.consumer_registers);
  add_walks(plan, defaults, choices);
  if (tiling.epilogue != defaults.epilogue) choices.add("epilogue", word(tiling.epilogue));
  choices.add_unless(defaults.epilogue_columns, "epilogue_columns", tiling.epilogue_columns);
  choices.add_unless(defaults.stmatrix, "stmatrix", tiling.stmatrix);
  return std::move(choices.all);
}

}  // namespace gpusim::schedules
