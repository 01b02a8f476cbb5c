#include "schedules/gemm_registers.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "schedules/gemm_access.h"
#include "schedules/gemm_block_scales.h"
#include "schedules/gemm_wgmma.h"

namespace gpusim::schedules {
namespace {

/// Pointers into A, B, C and shared memory, loop counter and predicates of an unrolled kernel.
constexpr int address_registers = 16;
constexpr int granule = 8;
/// Of mma.sync: an instruction's operands, a pointer each and the counter. With fewer nothing can be multiplied.
constexpr int least_beside_accumulators = 12;
/// Enough for a few loads of C in flight, however few the multiplication needs.
constexpr int least_source_registers = 16;

int registers_of(std::int64_t elements, int element_bytes) {
  return static_cast<int>((elements * element_bytes + register_bytes - 1) / register_bytes);
}

/// Fragments of A and B that one lane holds at a time.
int fragment_registers(const GemmPlan& plan) {
  if (plan.has_a_in_registers())  // of a k tile
    return registers_of(std::int64_t{plan.warp_tile.rows} * plan.tiling.tile.k / lanes_per_warp,
                        size_of(plan.problem.dtype));
  if (plan.tiling.variant == GemmVariant::wgmma)  // both operands stay in shared memory
    return plan.has_metadata() ? metadata_loads(plan) * plan.metadata_words : block_scale_registers(plan);
  const int k = plan.tiling.fragment_k;
  const int buffers = plan.tiling.double_buffer ? 2 : 1;
  if (plan.has_half_sums()) {
    int registers = 0;
    for (const auto& [elements, operand] :
         {std::pair{plan.thread_tile.rows, &plan.a}, std::pair{plan.thread_tile.columns, &plan.b}})
      registers += operand->read_vector > 1 ? registers_of(std::int64_t{elements} * k, half_bytes) : elements * k;
    return buffers * registers;
  }
  if (!plan.on_tensor_cores())  // converted to fp32, where they are not already
    return buffers * (plan.thread_tile.rows + plan.thread_tile.columns) * k / plan.products_at_once();
  const std::int64_t elements = std::int64_t{plan.warp_tile.rows + plan.warp_tile.columns} * k / lanes_per_warp;
  return buffers * registers_of(elements, size_of(plan.problem.dtype));
}

/// Vectors on their way from global to shared memory.
int staged_registers(const GemmPlan& plan) {
  if (!plan.through_registers()) return 0;
  const int element = size_of(plan.problem.dtype);
  const int batch = plan.tiling.load_batch;
  int registers = 0;
  for (const OperandPlan* operand : {&plan.a, &plan.b}) {
    if (!operand->staged) continue;
    const Access access = operand_copy_access(*operand, element, plan.compute_warps());
    const int each = registers_of(access.vector, element);
    if (batch > 0)  // of one operand after the other
      registers = std::max(registers, static_cast<int>(std::gcd(access.count, std::int64_t{batch})) * each);
    else
      registers += static_cast<int>(access.count) * each;
  }
  return registers;
}

/// Pointers of rows that fragments are loaded from directly.
int pointer_registers(const GemmPlan& plan) {
  constexpr int registers_each = 2;
  int pointers = 0;
  if (plan.on_tensor_cores()) {
    for (const BufferId buffer : {buffer_a, buffer_b})
      pointers += std::max(static_cast<int>(direct_pointers(plan, buffer)) - 1, 0);
    return registers_each * pointers;
  }
  if (!plan.a.staged && !plan.a.transposed) pointers += plan.thread_tile.rows - 1;
  if (!plan.b.staged && plan.b.transposed) pointers += plan.thread_tile.columns - 1;
  return registers_each * pointers;
}

/// Fragments, and staged vectors. These are stored before the fragments are read unless they are the next tile's.
int multiplying_registers(const GemmPlan& plan) {
  const int fragments = fragment_registers(plan);
  const int staged = staged_registers(plan);
  return plan.tiling.prefetch ? fragments + staged : std::max(fragments, staged);
}

/// All elements of C read back for beta.
int whole_source_registers(const GemmPlan& plan) {
  return plan.problem.beta == 0 ? 0 : registers_of(plan.result_elements(), size_of(plan.result_type()));
}

/// Those of C that are there at a time.
int source_registers(const GemmPlan& plan) {
  const int pieces = source_pieces(plan);
  const int whole = whole_source_registers(plan);
  return pieces == 1 ? whole : 2 * ((whole + pieces - 1) / pieces);
}

/// What warp groups that reallocate theirs begin with: an even share of what they will have.
int shared_out_registers(const GemmTiling& tiling) {
  const int groups = tiling.consumers + 1;
  return (tiling.consumers * tiling.consumer_registers + tiling.producer_registers + groups - 1) / groups;
}

}  // namespace

int source_pieces(const GemmPlan& plan) {
  const int whole = whole_source_registers(plan);
  const int free = std::max(multiplying_registers(plan), least_source_registers);
  if (whole <= free) return 1;
  int pieces = 2;
  while (2 * whole > free * pieces) pieces *= 2;
  return pieces;
}

namespace {

/// Beside those of the product, sums that are added to them.
int accumulator_registers(const GemmPlan& plan) {
  const int of_product = plan.sum_registers();
  if (!plan.tiling.promote) return of_product;
  return of_product + of_product * plan.promoted_blocks() / plan.row_blocks();
}

/// Sums of another of the CTA's slices.
int received_registers(const GemmPlan& plan) {
  const int slices = plan.tiling.cta_slices;
  return slices == 1 ? 0 : (plan.sum_registers() + slices - 1) / slices;
}

int round_up(int registers) { return (registers + granule - 1) / granule * granule; }

/// What a thread that multiplies needs.
int needed_registers(const GemmPlan& plan) {
  // C comes back, and another slice's sums come, once the fragments are done with: they share registers.
  const int working = std::max({multiplying_registers(plan), source_registers(plan), received_registers(plan)});
  return round_up(accumulator_registers(plan) + working + address_registers + pointer_registers(plan));
}

int registers_for(const GemmPlan& plan) {
  if (plan.tiling.consumer_registers > 0 && plan.tiling.producer_registers > 0)
    return shared_out_registers(plan.tiling) / granule * granule;
  return needed_registers(plan);
}

/// Those of tensor cores are not spilled: a kernel that has too few registers for them is another kernel.
void check_accumulators(const GemmPlan& plan, const std::string& where, int registers, std::vector<Problem>& problems) {
  const int accumulators = accumulator_registers(plan);
  const bool reads_shared = plan.tiling.variant == GemmVariant::wgmma;  // which takes no registers
  if (registers >= accumulators + (reads_shared ? 0 : least_beside_accumulators)) return;
  const int enough = needed_registers(plan);
  const std::string lack = registers < accumulators
                               ? std::to_string(accumulators - registers) + " are missing; "
                               : std::to_string(registers - accumulators) + " are left for operands and addresses; ";
  problems.push_back({where, std::to_string(registers) + " registers and " + std::to_string(accumulators) +
                                 " of accumulators: " + lack +
                                 (enough <= most_registers ? std::to_string(enough) + " would do"
                                                           : std::string("a smaller tile, or more warps, would do"))});
}

/// Registers of a CTA's warps, a lane's each, before and after setmaxnreg. With a producer's own, three idle warps fill
/// up its group.
struct Reallocation {
  explicit Reallocation(const GemmTiling& tiling)
      : consuming(warps_per_group * tiling.consumers),
        others(tiling.producer_registers > 0 ? warps_per_group : 1),
        of_others(tiling.producer_registers > 0 ? tiling.producer_registers : tiling.registers),
        there((consuming + others) * tiling.registers) {}

  [[nodiscard]] int needed(int of_consumers) const { return consuming * of_consumers + others * of_others; }
  /// The most that leave the others theirs.
  [[nodiscard]] int most_of_consumers() const { return (there - others * of_others) / consuming / granule * granule; }

  int consuming;
  int others;
  int of_others;
  int there;
};

/// setmaxnreg takes what others of the CTA have given back, and what it leaves has to hold the accumulators.
void check_reallocation(const GemmPlan& plan, std::vector<Problem>& problems) {
  const GemmTiling& tiling = plan.tiling;
  const int wanted = tiling.consumer_registers;
  check_accumulators(plan, "consumer_registers", wanted, problems);
  const Reallocation all(tiling);
  if (!problems.empty() || all.needed(wanted) <= all.there) return;
  const int fewer = all.most_of_consumers();
  std::string advice = std::to_string(fewer) + " would do";
  if (fewer < accumulator_registers(plan)) {
    GemmTiling larger = tiling;
    larger.consumer_registers = needed_registers(plan);
    larger.registers = larger.consumer_registers;
    if (tiling.producer_registers > 0) larger.registers = round_up(shared_out_registers(larger));
    advice = std::to_string(larger.consumer_registers) + " and " + std::to_string(larger.registers) +
             " to begin with (registers) would do";
  }
  problems.push_back({"consumer_registers", "after setmaxnreg the CTA's warps have " +
                                                std::to_string(all.needed(wanted)) + " registers a lane, " +
                                                std::to_string(all.needed(wanted) - all.there) + " more than the " +
                                                std::to_string(all.there) + " they begin with; " + advice});
}

}  // namespace

void plan_registers(GemmPlan& plan, std::vector<Problem>& problems) {
  int& registers = plan.tiling.registers;
  const bool is_given = registers > 0;
  const int needed = registers_for(plan);
  if (!is_given) registers = needed;
  if (plan.on_tensor_cores()) {
    if (plan.tiling.consumer_registers > 0)
      check_reallocation(plan, problems);
    else if (is_given)
      check_accumulators(plan, "registers", registers, problems);
    return;
  }
  if (!is_given) registers = std::min(registers, most_registers);
  const int least_fragments = plan.thread_tile.rows + plan.thread_tile.columns;
  const int others = address_registers + pointer_registers(plan);
  const int sums = plan.sum_registers();
  if (sums + others + least_fragments <= registers) return;
  // What is spilled are accumulators; addresses and the fragments of a step, or of two that there are anyway, stay.
  if (registers < others + least_fragments) {
    problems.push_back({"registers", std::to_string(registers) + " do not hold a step's fragments, " +
                                         std::to_string(least_fragments) + ", and " + std::to_string(others) +
                                         " addresses; " + std::to_string(others + least_fragments) + " do"});
    return;
  }
  if (plan.tiling.through_local) {
    problems.push_back({"through_local", "accumulators would be spilled to local memory beside it: " +
                                             std::to_string(sums + others + least_fragments) +
                                             " registers hold them, not " + std::to_string(registers)});
    return;
  }
  const int fragments = std::min(fragment_registers(plan), 2 * least_fragments);
  const int missing = sums + others - registers;
  plan.spilled = std::min(missing + fragments, sums);
  // Fragments from shared memory are a step's when it is multiplied, and values that go out take the places of those
  // that come in. A that comes from global memory has been begun a step ahead.
  plan.spill_slots = std::min(missing + (plan.a.staged ? least_fragments : fragments), plan.spilled);
}

int estimate_registers(const GemmProblem& problem, const GemmTiling& tiling) {
  GemmTiling estimated = tiling;
  estimated.registers = 0;
  return plan_gemm(problem, estimated).tiling.registers;
}

}  // namespace gpusim::schedules
