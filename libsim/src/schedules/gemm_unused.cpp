// Which variant understands which choice: one that has no meaning must be left at its default.
#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "schedules/gemm_collect.h"

namespace gpusim::schedules {
namespace {

using enum GemmVariant;

/// Turned off, or left to be chosen: what there is not is off anyway.
bool says_nothing(bool value) { return !value; }
bool says_nothing(int value) { return value == 0; }
bool says_nothing(SharedLayout value) { return value == SharedLayout::automatic; }
bool says_nothing(ElementOrder value) { return value == ElementOrder::automatic; }
template <class T>
bool says_nothing(const T& /*value*/) {
  return false;
}

/// What is not left alone is a choice, and so is what was given, even as the default.
class Unused {
 public:
  Unused(const GemmTiling& tiling, const GemmRequest& given, GemmCollector& collect)
      : tiling_(tiling), given_(given), collect_(collect) {}

  /// A choice that only these variants have.
  template <class T>
  void only(const char* choice, T GemmTiling::*value, std::optional<T> GemmRequest::*given,
            std::initializer_list<GemmVariant> users) {
    if (is_made(value, given)) only(choice, users);
  }
  void only(const char* choice, std::initializer_list<GemmVariant> users) {
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
  void needs(const char* choice, T GemmTiling::*value, std::optional<T> GemmRequest::*given, bool there,
             const std::string& what) {
    if (!there && is_made(value, given) && !is_refused(choice)) collect_.require(false, choice, what);
  }

 private:
  /// Other than its default, or given as that.
  template <class T>
  [[nodiscard]] bool is_made(T GemmTiling::*value, std::optional<T> GemmRequest::*given) const {
    if (!(tiling_.*value == left_alone_.*value)) return true;
    return (given_.*given).has_value() && !says_nothing(tiling_.*value);
  }

  [[nodiscard]] bool is_refused(std::string_view choice) const {
    const std::vector<Problem>& found = collect_.problems;
    return std::any_of(found.begin(), found.end(), [&](const Problem& each) { return each.where == choice; });
  }

  const GemmTiling& tiling_;
  const GemmRequest& given_;
  GemmCollector& collect_;
  const GemmTiling left_alone_;
};

/// ldmatrix reads 8x8 matrices of 16-byte rows, and turns those of 16-bit elements.
bool has_matrices(const GemmProblem& problem, const GemmTiling& tiling) {
  const MmaShape& shape = tiling.instruction;
  return shape.m % matrix_rows == 0 && shape.n % matrix_rows == 0 &&
         shape.k * size_of(problem.dtype) % vector_bytes == 0;
}

void check_matrices(const GemmProblem& problem, const GemmTiling& tiling, Unused& unused) {
  const bool turns = size_of(problem.dtype) == half_bytes;
  const bool a_by_k = !is_a_transposed(problem.layout);
  const bool b_by_k = is_b_transposed(problem.layout);
  const bool reads_a = tiling.stage_a && (turns || (a_by_k && !tiling.transpose_a));
  const bool reads_b = tiling.stage_b && (turns || (b_by_k && !tiling.transpose_b));
  const std::string no_matrices = "the instruction m" + std::to_string(tiling.instruction.m) + "n" +
                                  std::to_string(tiling.instruction.n) + "k" + std::to_string(tiling.instruction.k) +
                                  " has no 8x8 matrices of 16-byte rows; its fragments are read by LDS";
  const std::string not_turned =
      " across k, and ldmatrix turns 16-bit elements only, not " + std::string(name(problem.dtype));
  const auto not_read = [&](const std::string& operand, bool staged) {
    return staged ? operand + " lies" + not_turned
                  : "fragments of " + operand + " come straight from global memory, by LDG";
  };
  const auto needs = [&](bool there, const std::string& what) {
    unused.needs("ldmatrix", &GemmTiling::ldmatrix, &GemmRequest::ldmatrix, there, what);
  };
  const auto matrices_need = [&](bool a, bool b, const std::string& of_a, const std::string& of_b) {
    unused.needs("matrices_a", &GemmTiling::matrices_a, &GemmRequest::matrices_a, a, of_a);
    unused.needs("matrices_b", &GemmTiling::matrices_b, &GemmRequest::matrices_b, b, of_b);
  };
  if (!tiling.ldmatrix)
    return matrices_need(false, false, "without ldmatrix no matrices are read",
                         "without ldmatrix no matrices are read");
  if (!has_matrices(problem, tiling)) {
    needs(false, no_matrices);
    return matrices_need(false, false, no_matrices, no_matrices);
  }
  needs(reads_a || reads_b, tiling.stage_a && tiling.stage_b
                                ? "A and B lie" + not_turned
                                : not_read("A", tiling.stage_a) + ", and " + not_read("B", tiling.stage_b));
  matrices_need(reads_a, reads_b, not_read("A", tiling.stage_a), not_read("B", tiling.stage_b));
}

/// The next tile is there when this one's last fragments are multiplied, and its first find their registers free.
void check_carry_over(const GemmTiling& tiling, Unused& unused) {
  const auto needs = [&](bool there, const std::string& what) {
    unused.needs("carry_over", &GemmTiling::carry_over, &GemmRequest::carry_over, there, what);
  };
  if (tiling.variant == tensor)
    needs(tiling.prefetch,
          "without prefetch the next tile is not in shared memory when this one's last fragments are "
          "multiplied");
  if (tiling.variant == simt) {
    needs(tiling.prefetch && tiling.stages != 1,
          "the next tile is not in shared memory when this one's last fragments are multiplied; 2 stages with prefetch "
          "would do");
    needs(tiling.unroll == 0, "unroll ends reading ahead inside the tile");
  }
  if (tiling.variant == async)
    needs(tiling.stages != 1,
          "with one stage the next tile is not in shared memory when this one's last fragments are "
          "multiplied; 2 stages would do");
  const int step = tiling.fragment_k > 0 ? tiling.fragment_k : tiling.instruction.k;
  const int k = tiling.tile.k / tiling.cta_slices;
  if (step < 1 || k % step != 0) return;
  const int steps = k / step;
  needs(steps % 2 == 0,
        "fragments alternate between two halves of the registers, and of " + std::to_string(steps) +
            " steps through the tile the last's are where the next's would be; an even number would do");
}

/// Copies of simt that are issued among products: those that pass registers by, or, where the next tile's fragments are
/// read across the barrier, loads and stores of whole vectors.
void check_interleave(const GemmProblem& problem, const GemmTiling& tiling, Unused& unused) {
  const auto needs = [&](bool there, const std::string& what) {
    unused.needs("interleave", &GemmTiling::interleave, &GemmRequest::interleave, there, what);
  };
  needs(tiling.stages > 1, "with one stage the next tile cannot be stored while this one is multiplied; 2 would do");
  needs(tiling.unroll == 0, "with unroll one iteration has the same instructions as the next");
  if (!tiling.prefetch) return;
  needs(tiling.carry_over, "with prefetch the next tile is stored before this one's last step where carry_over is on");
  needs(problem.dtype != DType::int8, "int8 is put together from words of several rows on its way");
  needs(!tiling.through_local, "through_local takes one operand after the other");
}

}  // namespace

void check_unused_choices(const GemmProblem& problem, const GemmTiling& tiling, const GemmRequest& given,
                          GemmCollector& collect) {
  using T = GemmTiling;
  using R = GemmRequest;
  Unused unused(tiling, given, collect);
  const bool nothing_staged = !tiling.stage_a && !tiling.stage_b;
  const bool a_transposed = is_a_transposed(problem.layout);
  const bool b_transposed = is_b_transposed(problem.layout);

  unused.only("specialize", &T::specialize, &R::specialize, {tma, wgmma});
  unused.only("fragment_k", &T::fragment_k, &R::fragment_k, {naive, coalesced, simt, tensor, async, tma});
  unused.only("instruction", &T::instruction, &R::instruction, {tensor, async, tma, wgmma});
  unused.only("warp_tile", &T::warp_tile, &R::warp_tile, {simt, tensor, async, tma});
  unused.only("thread_tile", &T::thread_tile, &R::thread_tile, {simt});
  unused.only("cta_slices", &T::cta_slices, &R::cta_slices, {simt, tensor, async});
  unused.only("order_m", &T::order_m, &R::order_m, {simt});
  unused.only("order_n", &T::order_n, &R::order_n, {simt});
  unused.only("vector_a", &T::vector_a, &R::vector_a, {simt, tensor, async});
  unused.only("vector_b", &T::vector_b, &R::vector_b, {simt, tensor, async});
  unused.only("copy_lanes_a", &T::copy_lanes_a, &R::copy_lanes_a, {simt});
  unused.only("pair_lanes", &T::pair_lanes, &R::pair_lanes, {simt});
  unused.only("copy_lanes_b", &T::copy_lanes_b, &R::copy_lanes_b, {simt});
  unused.only("read_a", &T::read_a, &R::read_a, {simt});
  unused.only("read_b", &T::read_b, &R::read_b, {simt});
  unused.only("shared_a", &T::shared_a, &R::shared_a, {simt, tensor, async, tma, wgmma});
  unused.only("shared_b", &T::shared_b, &R::shared_b, {simt, tensor, async, tma, wgmma});
  unused.only("transpose_a", &T::transpose_a, &R::transpose_a, {simt, tensor});
  unused.only("transpose_b", &T::transpose_b, &R::transpose_b, {simt, tensor});
  unused.only("stage_a", &T::stage_a, &R::stage_a, {simt, tensor});
  unused.only("stage_b", &T::stage_b, &R::stage_b, {simt, tensor});
  unused.only("overfetch", &T::overfetch, &R::overfetch, {simt});
  unused.only("through_local", &T::through_local, &R::through_local, {simt, tensor});
  unused.only("reuse_operands", &T::reuse_operands, &R::reuse_operands, {simt});
  unused.only("prefetch", &T::prefetch, &R::prefetch, {simt, tensor});
  unused.only("load_batch", &T::load_batch, &R::load_batch, {tensor});
  unused.only("index_overhead", &T::index_overhead, &R::index_overhead, {naive, coalesced, simt, tensor, async});
  unused.only("double_buffer", &T::double_buffer, &R::double_buffer, {simt, tensor, async, tma, wgmma});
  unused.only("unroll", &T::unroll, &R::unroll, {simt});
  unused.only("carry_over", &T::carry_over, &R::carry_over, {simt, tensor, async});
  unused.only("interleave", &T::interleave, &R::interleave, {simt, tensor, async});
  unused.only("whole_lines", &T::whole_lines, &R::whole_lines, {simt, tensor, async});
  unused.only("ldmatrix", &T::ldmatrix, &R::ldmatrix, {tensor, async, tma});
  unused.only("matrices_a", &T::matrices_a, &R::matrices_a, {tensor, async, tma});
  unused.only("matrices_b", &T::matrices_b, &R::matrices_b, {tensor, async, tma});
  unused.only("swap_ab", &T::swap_ab, &R::swap_ab, {wgmma});
  unused.only("consumers", &T::consumers, &R::consumers, {wgmma});
  unused.only("promote", &T::promote, &R::promote, {wgmma});
  unused.only("producer_registers", &T::producer_registers, &R::producer_registers, {wgmma});
  unused.only("consumer_registers", &T::consumer_registers, &R::consumer_registers, {wgmma});
  unused.only("pingpong", &T::pingpong, &R::pingpong, {wgmma});
  unused.only("consumers_arrive", &T::consumers_arrive, &R::consumers_arrive, {tma, wgmma});
  unused.only("multicast", &T::multicast, &R::multicast, {tma, wgmma});
  unused.only("multicast_by", &T::multicast_by, &R::multicast_by, {tma, wgmma});
  unused.only("epilogue_columns", &T::epilogue_columns, &R::epilogue_columns, {wgmma});
  unused.only("stmatrix", &T::stmatrix, &R::stmatrix, {wgmma});
  if (tiling.epilogue == Epilogue::tma) unused.only("epilogue", {tma, wgmma});
  if (tiling.epilogue == Epilogue::staged) unused.only("epilogue", {simt, tensor, async, tma, wgmma});

  if (tiling.variant == wgmma)
    for (const auto& [choice, layout] :
         {std::pair{"shared_a", tiling.shared_a}, std::pair{"shared_b", tiling.shared_b}})
      collect.require(layout != SharedLayout::padded && layout != SharedLayout::plain, choice,
                      "wgmma reads rows as bulk copies bring them, swizzled; swizzle128 has the fewest conflicts");

  const std::string not_staged = "the operand does not go through shared memory (stage_";
  const auto reads = [&](const std::string& operand) {
    return tiling.variant == simt ? "; read_" + operand + " says what is read" : std::string();
  };
  unused.needs("vector_a", &T::vector_a, &R::vector_a, tiling.stage_a, not_staged + "a)" + reads("a"));
  unused.needs("vector_b", &T::vector_b, &R::vector_b, tiling.stage_b, not_staged + "b)" + reads("b"));
  unused.needs("copy_lanes_a", &T::copy_lanes_a, &R::copy_lanes_a, tiling.stage_a, not_staged + "a)");
  unused.needs("copy_lanes_b", &T::copy_lanes_b, &R::copy_lanes_b, tiling.stage_b, not_staged + "b)");
  unused.needs("shared_a", &T::shared_a, &R::shared_a, tiling.stage_a, not_staged + "a)");
  unused.needs("shared_b", &T::shared_b, &R::shared_b, tiling.stage_b, not_staged + "b)");
  unused.needs("transpose_a", &T::transpose_a, &R::transpose_a, tiling.stage_a, not_staged + "a)");
  unused.needs("transpose_a", &T::transpose_a, &R::transpose_a, !a_transposed,
               "A lies in memory with m along its rows already (layout " + std::string(name(problem.layout)) + ")");
  unused.needs("transpose_b", &T::transpose_b, &R::transpose_b, tiling.stage_b, not_staged + "b)");
  unused.needs("transpose_b", &T::transpose_b, &R::transpose_b, b_transposed,
               "B lies in memory with n along its rows already (layout " + std::string(name(problem.layout)) + ")");
  const auto needs_registers = [&](const char* choice, bool T::*value, std::optional<bool> R::*asked) {
    unused.needs(choice, value, asked, !nothing_staged, "neither operand goes through shared memory");
    unused.needs(choice, value, asked, tiling.variant != simt || tiling.stages == 1 || tiling.prefetch,
                 "cp.async goes straight to shared memory, and what it copies through no register");
    unused.needs(choice, value, asked, tiling.variant != simt || problem.dtype != DType::int8,
                 "int8 is put together from words of several rows on its way");
  };
  needs_registers("overfetch", &T::overfetch, &R::overfetch);
  needs_registers("through_local", &T::through_local, &R::through_local);
  unused.needs("prefetch", &T::prefetch, &R::prefetch, !nothing_staged, "neither operand goes through shared memory");
  unused.needs("load_batch", &T::load_batch, &R::load_batch, !nothing_staged,
               "neither operand goes through shared memory");
  unused.needs("load_batch", &T::load_batch, &R::load_batch, !tiling.prefetch,
               "with prefetch all loads of a tile are on their way while another is multiplied");
  unused.needs("carry_over", &T::carry_over, &R::carry_over, tiling.double_buffer,
               "without double_buffer no fragments are read ahead");
  unused.needs("unroll", &T::unroll, &R::unroll, tiling.double_buffer,
               "without double_buffer no fragments are read ahead, and each step is an iteration");
  if (tiling.double_buffer) check_carry_over(tiling, unused);
  unused.needs("interleave", &T::interleave, &R::interleave, tiling.double_buffer,
               "without double_buffer a step's multiplications wait for its own reads");
  if (tiling.variant == simt) check_interleave(problem, tiling, unused);
  if (tiling.variant == tensor || tiling.variant == async || tiling.variant == tma)
    check_matrices(problem, tiling, unused);
  unused.needs("promote", &T::promote, &R::promote, !tiling.double_buffer && problem.accumulate == DType::fp32,
               tiling.double_buffer
                   ? "double_buffer multiplies the next tile while this one's sums are still to be added"
                   : "sums are added in fp32, and those of the product are " + std::string(name(problem.accumulate)));
  unused.needs("multicast", &T::multicast, &R::multicast, !(tiling.cluster == GemmShape{1, 1}),
               "a cluster of one CTA has nobody to share with");
  unused.needs(
      "multicast_by", &T::multicast_by, &R::multicast_by, tiling.multicast && !(tiling.cluster == GemmShape{1, 1}),
      tiling.multicast ? "a cluster of one CTA has nobody to share with" : "without multicast each CTA brings its own");
  unused.needs("epilogue_columns", &T::epilogue_columns, &R::epilogue_columns, tiling.epilogue == Epilogue::tma,
               "only bulk stores (epilogue tma) take C in pieces");
  unused.needs("stmatrix", &T::stmatrix, &R::stmatrix, tiling.epilogue == Epilogue::tma,
               "C goes through shared memory on its way to bulk stores (epilogue tma) alone");
  unused.needs("group", &T::group, &R::group, tiling.order == TileOrder::grouped, "only the grouped order has groups");
  unused.needs("consecutive", &T::consecutive, &R::consecutive, tiling.ctas > 0 && !tiling.stream_k,
               tiling.stream_k ? "stream_k deals neighbouring tiles anyway" : "only persistent CTAs (ctas) walk tiles");
  unused.needs("reduction", &T::reduction, &R::reduction, tiling.split_k > 1,
               "there is one slice of k (split_k) and nothing to add up");
  const std::string alike = "all warps are alike without specialize";
  unused.needs("consumers_arrive", &T::consumers_arrive, &R::consumers_arrive, tiling.specialize, alike);
  unused.needs("pingpong", &T::pingpong, &R::pingpong, tiling.specialize, alike);
  unused.needs("producer_registers", &T::producer_registers, &R::producer_registers, tiling.specialize, alike);
  unused.needs("consumer_registers", &T::consumer_registers, &R::consumer_registers, tiling.specialize, alike);
}

}  // namespace gpusim::schedules
