#include "schedules/gemm_operands.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <numeric>
#include <string>

#include "schedules/gemm_access.h"

namespace gpusim::schedules {
namespace {

/// One operand's choices in a tiling, and what its fragments are read along.
struct OperandChoices {
  std::string suffix;  ///< "a" or "b"
  int& vector;
  int& read;
  SharedLayout& shared;
  int copy_lanes;
  int run;  ///< consecutive elements of a thread along m or n
};

class OperandPlanner {
 public:
  OperandPlanner(GemmPlan& plan, std::vector<Problem>& problems)
      : plan_(plan), problems_(problems), element_(size_of(plan.problem.dtype)) {}

  /// `outer` is the tile's m for A, its n for B.
  void plan(OperandPlan& operand, const OperandChoices& choices, int outer, bool k_along_rows, int stored_k) {
    const bool k_along_shared = operand.shared_transposed != operand.transposed ? !k_along_rows : k_along_rows;
    operand.memory = k_along_rows ? Extent{outer, stored_k} : Extent{stored_k, outer};
    operand.shared = k_along_shared ? Extent{outer, stored_k} : Extent{stored_k, outer};
    if (plan_.has_dot_products()) {
      operand.in_words = true;
      operand.shared = {stored_k / products_of_a_dot, products_of_a_dot * outer};
      if (!k_along_rows) operand.block_rows = products_of_a_dot;
    }
    plan_reads(operand, choices, k_along_shared);
    if (operand.staged) plan_shared(operand, choices, k_along_shared);
    plan_copies(operand, choices);
  }

 private:
  void require(bool holds, const std::string& where, const std::string& what) {
    if (!holds) problems_.push_back({where, what});
  }
  /// Where k lies along the rows of both matrices, a vector of neither may reach beyond k: padding would meet padding.
  [[nodiscard]] int within_k(int vector) const {
    if (plan_.problem.layout != GemmLayout::nt) return vector;
    return static_cast<int>(std::gcd(std::int64_t{vector}, plan_.problem.k));
  }
  /// A number of elements moved at a time, 0 being the most that can be.
  int resolve(int wanted, int most, const std::string& where, const std::string& what) {
    if (wanted == 0) return most;
    const bool holds = wanted > 0 && most % wanted == 0;
    require(holds, where,
            std::to_string(wanted) + " elements at a time: " + what + " allow " + std::to_string(most) +
                (most > 1 ? ", or a part of it" : ""));
    return holds ? wanted : most;
  }

  /// mma takes neighbours along k; where those reach beyond k, so may the other operand's.
  void require_whole_vectors(const OperandChoices& choices) {
    const int each = direct_vector(plan_.tiling.instruction, element_);
    require(within_k(each) == each, "stage_" + choices.suffix,
            "fragments come from memory " + std::to_string(each) + " elements along k at a time, and a k of " +
                std::to_string(plan_.problem.k) + " is no multiple of that; through shared memory it need not be");
  }

  void plan_reads(OperandPlan& operand, const OperandChoices& choices, bool k_along_rows) {
    if (plan_.on_tensor_cores()) {
      if (!operand.staged && k_along_rows) require_whole_vectors(choices);
      return;
    }
    if (plan_.thread_tile.rows == 0) return;
    const int along = k_along_rows ? plan_.tiling.fragment_k : choices.run;
    int most = std::gcd(along, vector_bytes / plan_.fragment_bytes());
    if (!operand.staged && k_along_rows) most = within_k(most);
    if (plan_.tiling.variant != GemmVariant::simt) most = 1;
    choices.read = resolve(choices.read, most, "read_" + choices.suffix,
                           k_along_rows ? "fragments along k" : "a thread's consecutive elements");
    operand.read_vector = choices.read;
  }

  [[nodiscard]] SharedLayout chosen(const OperandChoices& choices, bool k_along_rows, bool stores_across,
                                    std::int64_t pitch) const {
    if (choices.shared != SharedLayout::automatic) return choices.shared;
    if (!plan_.on_tensor_cores()) return k_along_rows || stores_across ? SharedLayout::padded : SharedLayout::plain;
    if (!std::has_single_bit(static_cast<std::uint64_t>(pitch))) return SharedLayout::padded;
    if (pitch <= vector_bytes) return SharedLayout::plain;
    const std::int64_t width = std::min<std::int64_t>(pitch, widest_swizzle);
    return width == 32 ? SharedLayout::swizzle32 : width == 64 ? SharedLayout::swizzle64 : SharedLayout::swizzle128;
  }

  void plan_shared(OperandPlan& operand, const OperandChoices& choices, bool k_along_rows) {
    const std::int64_t row = std::int64_t{operand.shared.columns} * element_;
    std::int64_t pitch = (row + vector_bytes - 1) / vector_bytes * vector_bytes;
    const bool stores_across = operand.is_turned() || (operand.in_words && operand.block_rows == 1);
    choices.shared = chosen(choices, k_along_rows, stores_across, pitch);
    const std::string where = "shared_" + choices.suffix;
    if (choices.shared == SharedLayout::padded) {
      const bool by_banks = !operand.is_turned() && !plan_.on_tensor_cores() &&
                            operand.read_vector * plan_.fragment_bytes() == register_bytes;
      const int step = by_banks ? register_bytes : vector_bytes;
      if (by_banks) pitch = (row + step - 1) / step * step;
      if (pitch / step % 2 == 0) pitch += step;
    } else if (choices.shared != SharedLayout::plain) {
      const std::int64_t width = choices.shared == SharedLayout::swizzle32   ? 32
                                 : choices.shared == SharedLayout::swizzle64 ? 64
                                                                             : widest_swizzle;
      operand.swizzle = static_cast<Swizzle>(width);
      require(pitch % width == 0, where,
              "a swizzle of " + std::to_string(width) + " bytes and rows of " + std::to_string(pitch) +
                  " bytes, no multiple of it; " + nearest_swizzle(pitch));
    }
    operand.pitch = Bytes(pitch);
  }

  static std::string nearest_swizzle(std::int64_t pitch) {
    for (std::int64_t width = widest_swizzle; width > vector_bytes; width /= 2)
      if (pitch % width == 0) return "swizzle" + std::to_string(width) + " fits";
    return "padded fits";
  }

  /// Vectors from memory, and what of them can be stored to shared memory at once.
  void plan_copies(OperandPlan& operand, const OperandChoices& choices) {
    if (!operand.staged || plan_.tiling.variant >= GemmVariant::tma) return;
    const bool through_registers = plan_.through_registers();
    const bool turned = operand.is_turned();
    int most = within_k(std::gcd(operand.memory.columns, vector_bytes / element_));
    const int aligned = std::gcd(vector_bytes, static_cast<int>(operand.pitch.count())) / element_;
    int stored = turned ? 1 : std::gcd(most, aligned);
    if (plan_.has_dot_products()) {
      // Words of one row go to a row of the tile each; packed ones of neighbouring columns lie side by side.
      stored = operand.block_rows == 1 ? products_of_a_dot : std::gcd(products_of_a_dot * most, aligned);
      if (!through_registers && operand.block_rows > 1) stored = 1;
    }
    if (!through_registers) most = stored;
    const std::string where = "vector_" + choices.suffix;
    choices.vector = resolve(choices.vector, most, where, through_registers ? "rows" : "copies to shared memory");
    operand.copy_vector = choices.vector;
    require(!operand.in_words || operand.block_rows > 1 || operand.copy_vector % products_of_a_dot == 0, where,
            "int8 whose k lies along the rows is moved in words of four, not " + std::to_string(operand.copy_vector) +
                " elements at a time");
    // Rows of what is turned lie an odd number of 16 bytes apart: 4-byte elements of eight k and four rows, a slice's
    // that steps through eight, have no conflicts.
    if (turned && plan_.tiling.cta_slices > 1)
      operand.side_by_side = std::max({plan_.slice_k() / operand.copy_vector, lanes_per_warp / operand.memory.rows, 1});
    operand.store_vector = std::gcd(operand.block_rows * choices.vector, stored);
    const std::string moved = std::to_string(operand.copy_vector * element_);
    require(through_registers || operand.copy_vector * element_ >= register_bytes,
            turned ? "transpose_" + choices.suffix : where,
            turned ? "what is turned is stored an element at a time, and cp.async moves 4 bytes at least, not " +
                         moved + "; one stage, or prefetch, goes through registers"
                   : "cp.async moves 4, 8 or 16 bytes, not " + moved + "; one stage goes through registers");
    if (choices.copy_lanes != 0 && plan_.compute_warps() > 0) plan_runs(operand, choices);
  }

  /// Runs of threads side by side: whole vectors, and whole rows for each group of such threads.
  void plan_runs(OperandPlan& operand, const OperandChoices& choices) {
    const std::string where = "copy_lanes_" + choices.suffix;
    const int lanes = choices.copy_lanes;
    const int most = std::gcd(lanes_per_warp, operand.memory.columns / operand.copy_vector);
    const int threads = plan_.compute_warps() * lanes_per_warp;
    const auto share_rows = [&](int each) { return operand.memory.rows % (threads / each) == 0; };
    if (lanes >= 1 && most % lanes == 0 && share_rows(lanes)) {
      operand.copy_lanes = lanes;
      return;
    }
    int nearest = 0;
    for (int each = 1; each <= most; each *= 2)
      if (share_rows(each) && (nearest == 0 || std::abs(each - lanes) <= std::abs(nearest - lanes))) nearest = each;
    const std::string columns = std::to_string(operand.memory.columns);
    const std::string rows = std::to_string(operand.memory.rows);
    const std::string clash =
        lanes < 1 || most % lanes != 0
            ? " threads do not share rows of " + columns + " elements in runs of whole vectors"
            : " of " + std::to_string(threads) + " threads to a row do not share " + rows + " rows evenly";
    require(false, where,
            std::to_string(lanes) + clash +
                (nearest > 0 ? "; " + std::to_string(nearest) + " would do"
                             : "; no number does, and without it neighbouring lanes copy neighbouring vectors"));
  }

  GemmPlan& plan_;
  std::vector<Problem>& problems_;
  int element_;
};

/// As CUTLASS lays metadata out for the tile it is read by: of up to 128 k of a row what a lane reads lies together,
/// and a tile's rows in one box (cutlass/gemm/collective/builders/sm90_sparse_config.inl).
void plan_metadata(GemmPlan& plan) {
  constexpr int most_k = 128;
  constexpr int k_of_word = 32;
  const GemmTile& tile = plan.tiling.tile;
  const int depth = std::gcd(tile.k, most_k);
  plan.metadata_words = depth / k_of_word;
  plan.metadata.memory = {tile.k / depth, tile.m * plan.metadata_words};
  plan.metadata.shared = plan.metadata.memory;
  plan.metadata.pitch = Bytes(std::int64_t{plan.metadata.shared.columns} * register_bytes);
}

/// Batches are an operand's: what divides neither's loads is no batch of either.
void check_load_batch(const GemmPlan& plan, std::vector<Problem>& problems) {
  const int batch = plan.tiling.load_batch;
  if (batch == 0 || !problems.empty()) return;
  const auto loads = [&](const OperandPlan& operand) -> std::int64_t {
    if (!operand.staged) return 0;
    return operand_copy_access(operand, size_of(plan.problem.dtype), plan.compute_warps()).count;
  };
  const std::int64_t of_a = loads(plan.a);
  const std::int64_t of_b = loads(plan.b);
  const auto shares = [](std::int64_t all, std::int64_t each) { return all > 0 && all % each == 0; };
  const auto is_batch = [&](std::int64_t each) { return shares(of_a, each) || shares(of_b, each); };
  if (is_batch(batch)) return;
  std::int64_t nearest = std::min<std::int64_t>(batch, std::max(of_a, of_b));
  while (!is_batch(nearest)) --nearest;
  problems.push_back({"load_batch", std::to_string(batch) + " loads of an operand at a time: of a tile a lane has " +
                                        std::to_string(of_a) + " of A and " + std::to_string(of_b) + " of B; " +
                                        std::to_string(nearest) + " would do"});
}

/// Where all threads have a vector none is without.
void check_overfetch(const GemmPlan& plan, std::vector<Problem>& problems) {
  if (!plan.tiling.overfetch || !problems.empty()) return;
  const auto leaves_some = [&](const OperandPlan& operand) {
    if (!operand.staged) return false;
    const Access access = operand_copy_access(operand, size_of(plan.problem.dtype), plan.compute_warps());
    return access.lanes.has_value() || access.busy_warps < plan.compute_warps();
  };
  if (leaves_some(plan.a) || leaves_some(plan.b)) return;
  problems.push_back({"overfetch",
                      "each thread has a vector of A's tile and of B's, so that none loads beyond them; "
                      "leave it off"});
}

}  // namespace

void plan_operands(GemmPlan& plan, std::vector<Problem>& problems) {
  GemmTiling& tiling = plan.tiling;
  const int element = plan.fragment_bytes();
  const GemmLayout layout = plan.problem.layout;
  plan.a.transposed = is_a_transposed(layout);
  plan.b.transposed = is_b_transposed(layout);
  plan.a.shared_transposed = plan.has_dot_products() || plan.a.transposed || tiling.transpose_a;
  plan.b.shared_transposed = !plan.has_dot_products() && plan.b.transposed && !tiling.transpose_b;
  plan.a.staged = tiling.stage_a;
  plan.b.staged = tiling.stage_b;
  OperandPlanner planner(plan, problems);
  const int half = plan.problem.sparse ? 2 : 1;
  planner.plan(plan.a,
               {"a", tiling.vector_a, tiling.read_a, tiling.shared_a, tiling.copy_lanes_a,
                consecutive_elements(tiling.order_m, plan.thread_tile.rows, element)},
               tiling.tile.m, !plan.a.transposed, tiling.tile.k / half);
  planner.plan(plan.b,
               {"b", tiling.vector_b, tiling.read_b, tiling.shared_b, tiling.copy_lanes_b,
                consecutive_elements(tiling.order_n, plan.thread_tile.columns, element)},
               tiling.tile.n, plan.b.transposed, tiling.tile.k);
  if (plan.problem.sparse && tiling.variant == GemmVariant::wgmma) plan_metadata(plan);
  check_load_batch(plan, problems);
  check_overfetch(plan, problems);
}

}  // namespace gpusim::schedules
