// Which variant understands which choice: one that has no meaning must be left at its default.
#include <initializer_list>

#include "schedules/gemm_collect.h"

namespace gpusim::schedules {
namespace {

using enum GemmVariant;

class Unused {
 public:
  Unused(const GemmTiling& tiling, GemmCollector& collect) : tiling_(tiling), collect_(collect) {}

  /// A choice that only these variants have.
  template <class T>
  void only(const char* choice, const T& value, const T& left_alone, std::initializer_list<GemmVariant> users) {
    if (value == left_alone) return;
    std::string names;
    for (const GemmVariant user : users) {
      if (user == tiling_.variant) return;
      names += (names.empty() ? "" : ", ") + std::string(name(user));
    }
    collect_.require(false, choice,
                     "it means nothing to " + std::string(name(tiling_.variant)) + "; " + names +
                         (users.size() == 1 ? " has it" : " have it"));
  }
  /// A choice that needs another.
  template <class T>
  void needs(const char* choice, const T& value, const T& left_alone, bool there, const std::string& what) {
    collect_.require(value == left_alone || there, choice, what);
  }

 private:
  const GemmTiling& tiling_;
  GemmCollector& collect_;
};

}  // namespace

void check_unused_choices(const GemmProblem& problem, const GemmTiling& tiling, GemmCollector& collect) {
  Unused unused(tiling, collect);
  const GemmTiling left_alone;
  const bool nothing_staged = !tiling.stage_a && !tiling.stage_b;
  const bool a_transposed = problem.layout == GemmLayout::tn || problem.layout == GemmLayout::tt;

  unused.only("specialize", tiling.specialize, false, {tma, wgmma});
  unused.only("fragment_k", tiling.fragment_k, 0, {naive, coalesced, simt, tensor, async, tma});
  unused.only("instruction", tiling.instruction, left_alone.instruction, {tensor, async, tma, wgmma});
  unused.only("warp_tile", tiling.warp_tile, left_alone.warp_tile, {simt, tensor, async, tma});
  unused.only("thread_tile", tiling.thread_tile, left_alone.thread_tile, {simt});
  unused.only("order_m", tiling.order_m, left_alone.order_m, {simt});
  unused.only("order_n", tiling.order_n, left_alone.order_n, {simt});
  unused.only("vector_a", tiling.vector_a, 0, {simt, tensor, async});
  unused.only("vector_b", tiling.vector_b, 0, {simt, tensor, async});
  unused.only("copy_lanes_a", tiling.copy_lanes_a, 0, {simt});
  unused.only("copy_lanes_b", tiling.copy_lanes_b, 0, {simt});
  unused.only("read_a", tiling.read_a, 0, {simt});
  unused.only("read_b", tiling.read_b, 0, {simt});
  unused.only("shared_a", tiling.shared_a, left_alone.shared_a, {simt, tensor, async, tma, wgmma});
  unused.only("shared_b", tiling.shared_b, left_alone.shared_b, {simt, tensor, async, tma, wgmma});
  unused.only("transpose_a", tiling.transpose_a, false, {simt, tensor});
  unused.only("stage_a", tiling.stage_a, true, {simt});
  unused.only("stage_b", tiling.stage_b, true, {simt});
  unused.only("prefetch", tiling.prefetch, false, {simt, tensor});
  unused.only("load_batch", tiling.load_batch, 0, {tensor});
  unused.only("index_overhead", tiling.index_overhead, 0, {naive, coalesced, simt, tensor, async});
  unused.only("double_buffer", tiling.double_buffer, false, {simt, tensor, async, tma, wgmma});
  unused.only("carry_over", tiling.carry_over, true, {tensor, async});
  unused.only("whole_lines", tiling.whole_lines, false, {async});
  unused.only("ldmatrix", tiling.ldmatrix, true, {tensor, async, tma});
  unused.only("matrices_a", tiling.matrices_a, left_alone.matrices_a, {tensor, async, tma});
  unused.only("matrices_b", tiling.matrices_b, left_alone.matrices_b, {tensor, async, tma});
  unused.only("consumers", tiling.consumers, 1, {wgmma});
  unused.only("promote", tiling.promote, false, {wgmma});
  unused.only("producer_registers", tiling.producer_registers, 0, {wgmma});
  unused.only("consumer_registers", tiling.consumer_registers, 0, {wgmma});
  unused.only("multicast", tiling.multicast, true, {tma, wgmma});
  if (tiling.epilogue == Epilogue::tma)
    unused.only("epilogue", tiling.epilogue, Epilogue::direct, {tma, wgmma});
  else
    unused.only("epilogue", tiling.epilogue, Epilogue::direct, {simt, tensor, async, tma, wgmma});

  if (tiling.variant == wgmma)
    for (const auto& [choice, layout] :
         {std::pair{"shared_a", tiling.shared_a}, std::pair{"shared_b", tiling.shared_b}})
      collect.require(layout != SharedLayout::padded && layout != SharedLayout::plain, choice,
                      "wgmma reads rows as bulk copies bring them, swizzled; swizzle128 has the fewest conflicts");

  const std::string not_staged = "the operand does not go through shared memory (stage_";
  unused.needs("vector_a", tiling.vector_a, 0, tiling.stage_a, not_staged + "a); read_a says what is read");
  unused.needs("vector_b", tiling.vector_b, 0, tiling.stage_b, not_staged + "b); read_b says what is read");
  unused.needs("copy_lanes_a", tiling.copy_lanes_a, 0, tiling.stage_a, not_staged + "a)");
  unused.needs("copy_lanes_b", tiling.copy_lanes_b, 0, tiling.stage_b, not_staged + "b)");
  unused.needs("shared_a", tiling.shared_a, left_alone.shared_a, tiling.stage_a, not_staged + "a)");
  unused.needs("shared_b", tiling.shared_b, left_alone.shared_b, tiling.stage_b, not_staged + "b)");
  unused.needs("transpose_a", tiling.transpose_a, false, tiling.stage_a, not_staged + "a)");
  unused.needs("transpose_a", tiling.transpose_a, false, !a_transposed,
               "A lies in memory with m along its rows already (layout " + std::string(name(problem.layout)) + ")");
  unused.needs("prefetch", tiling.prefetch, false, !nothing_staged, "neither operand goes through shared memory");
  unused.needs("load_batch", tiling.load_batch, 0, !tiling.prefetch,
               "with prefetch all loads of a tile are on their way while another is multiplied");
  unused.needs("carry_over", tiling.carry_over, true, tiling.double_buffer,
               "without double_buffer no fragments are read ahead");
  for (const auto& [choice, matrices] :
       {std::pair{"matrices_a", tiling.matrices_a}, std::pair{"matrices_b", tiling.matrices_b}})
    unused.needs(choice, matrices, left_alone.matrices_a, tiling.ldmatrix, "without ldmatrix no matrices are read");
  unused.needs("promote", tiling.promote, false, !tiling.double_buffer && problem.accumulate == DType::fp32,
               tiling.double_buffer
                   ? "double_buffer multiplies the next tile while this one's sums are still to be added"
                   : "sums are added in fp32, and those of the product are " + std::string(name(problem.accumulate)));
  unused.needs("multicast", tiling.multicast, true, !(tiling.cluster == GemmShape{1, 1}),
               "a cluster of one CTA has nobody to share with");
  unused.needs("group", tiling.group, left_alone.group, tiling.order == TileOrder::grouped,
               "only the grouped order has groups");
  unused.needs("consecutive", tiling.consecutive, false, tiling.ctas > 0 && !tiling.stream_k,
               tiling.stream_k ? "stream_k deals neighbouring tiles anyway" : "only persistent CTAs (ctas) walk tiles");
  unused.needs("reduction", tiling.reduction, SplitReduction::kernel, tiling.split_k > 1,
               "there is one slice of k (split_k) and nothing to add up");
  for (const auto& [choice, registers] : {std::pair{"producer_registers", tiling.producer_registers},
                                          std::pair{"consumer_registers", tiling.consumer_registers}})
    unused.needs(choice, registers, 0, tiling.specialize, "all warps are alike without specialize");
}

}  // namespace gpusim::schedules
