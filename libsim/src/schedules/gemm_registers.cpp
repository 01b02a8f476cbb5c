#include "schedules/gemm_registers.h"

#include <algorithm>

#include "schedules/gemm_access.h"

namespace gpusim::schedules {
namespace {

constexpr int register_bytes = 4;
/// Pointers into A, B, C and shared memory, loop counter and predicates of an unrolled kernel.
constexpr int address_registers = 16;
constexpr int granule = 8;

int registers_of(std::int64_t elements, int element_bytes) {
  return static_cast<int>((elements * element_bytes + register_bytes - 1) / register_bytes);
}

/// Fragments of A and B that one lane holds at a time.
int fragment_registers(const GemmPlan& plan) {
  const int k = plan.tiling.fragment_k;
  if (!plan.on_tensor_cores())  // converted to fp32, where they are not already
    return (plan.thread_tile.rows + plan.thread_tile.columns) * k;
  const std::int64_t elements = std::int64_t{plan.warp_tile.rows + plan.warp_tile.columns} * k / lanes_per_warp;
  return registers_of(elements, size_of(plan.problem.dtype));
}

/// Vectors on their way from global to shared memory.
int staged_registers(const GemmPlan& plan) {
  const GemmVariant variant = plan.tiling.variant;
  if (variant == GemmVariant::async || variant == GemmVariant::tma) return 0;
  const GemmTile& tile = plan.tiling.tile;
  const int element = size_of(plan.problem.dtype);
  int registers = 0;
  for (const Extent& matrix : {Extent{tile.m, tile.k}, Extent{tile.k, tile.n}}) {
    const Access access = copy_access(matrix, element, plan.compute_warps());
    registers += registers_of(access.count * access.vector, element);
  }
  return registers;
}

/// Elements of C read back for beta, once the fragments are done with.
int source_registers(const GemmPlan& plan) {
  return plan.problem.beta == 0 ? 0 : registers_of(plan.accumulators(), size_of(plan.problem.dtype));
}

}  // namespace

int registers_for(const GemmPlan& plan) {
  const int accumulators = registers_of(plan.accumulators(), size_of(plan.problem.accumulate));
  // Staged vectors are stored before the fragments are read, C comes back after them: they share registers.
  const int working = std::max({fragment_registers(plan), staged_registers(plan), source_registers(plan)});
  const int sum = accumulators + working + address_registers;
  return (sum + granule - 1) / granule * granule;
}

int estimate_registers(const GemmProblem& problem, const GemmTiling& tiling) {
  GemmTiling estimated = tiling;
  estimated.registers = 0;
  return plan_gemm(problem, estimated).tiling.registers;
}

}  // namespace gpusim::schedules
