#include "schedules/gemm_buffers.h"

#include "schedules/gemm_access.h"
#include "schedules/gemm_block_scales.h"

namespace gpusim::schedules {
namespace {

Buffer buffer_of(const char* name, std::int64_t rows, std::int64_t columns, DType dtype, std::int64_t layers) {
  const std::int64_t granule = chunk_bytes / size_of(dtype);
  Buffer buffer{name, rows, columns, (columns + granule - 1) / granule * granule, dtype};
  buffer.layers = layers;
  return buffer;
}

/// Rows of the batch's products by turns.
Buffer interleaved(Buffer buffer, const GemmProblem& problem) {
  if (problem.batch_interleave == 1) return buffer;
  buffer.layer_pitch = buffer.pitch;
  buffer.pitch *= problem.batch_interleave;
  return buffer;
}

}  // namespace

const char* name_of_a(const GemmPlan& plan) { return plan.tiling.swap_ab ? "B" : "A"; }

const char* name_of_b(const GemmPlan& plan) { return plan.tiling.swap_ab ? "A" : "B"; }

Buffer result_buffer(const GemmPlan& plan) {
  const GemmProblem& problem = plan.posed;
  return interleaved(buffer_of("C", problem.m, problem.n, result_type(problem), problem.batch), problem);
}

Buffer workspace_buffer(const GemmPlan& plan) {
  return buffer_of("partials", plan.posed.m, plan.posed.n, DType::fp32, plan.layers());
}

Buffer partials_buffer(const GemmPlan& plan) {
  return buffer_of("partials", plan.problem.m, plan.problem.n, plan.partial_type(), plan.problem.batch);
}

namespace {

/// Whole blocks of 64 rows and of the k whose words lie side by side.
Buffer metadata_words_buffer(const GemmPlan& plan) {
  const std::int64_t depth = plan.tiling.tile.k / plan.metadata.memory.rows;
  return buffer_of("metadata", pieces(plan.problem.k, depth),
                   pieces(plan.problem.m, wgmma_rows) * wgmma_rows * plan.metadata_words, DType::int32,
                   plan.problem.batch);
}

/// A's lie along m, so that one box has those of a k tile; B's along k.
Buffer scales_of_a(const GemmPlan& plan) {
  const GemmProblem& problem = plan.problem;
  return buffer_of("scales_a", pieces(problem.k, scale_block), problem.m, DType::fp32, problem.batch);
}

Buffer scales_of_b(const GemmPlan& plan) {
  const GemmProblem& problem = plan.problem;
  return buffer_of("scales_b", pieces(problem.n, scale_block), pieces(problem.k, scale_block), DType::fp32,
                   problem.batch);
}

}  // namespace

namespace {

/// Elements of a lane in local memory: spilled accumulators, or the vectors of a tile.
std::int64_t local_elements(const GemmPlan& plan) {
  if (plan.spilled > 0) return plan.spill_slots;
  std::int64_t elements = 0;
  for (const OperandPlan* operand : {&plan.a, &plan.b}) elements += elements_on_the_way(plan, *operand);
  return elements;
}

}  // namespace

/// A row for each warp. Neighbouring lanes' words are neighbours, as in local memory, which is each resident thread's
/// own; here each tile of C has its own.
Buffer local_buffer(const GemmPlan& plan) {
  const std::int64_t tiles_m = (plan.problem.m + plan.tiling.tile.m - 1) / plan.tiling.tile.m;
  const std::int64_t tiles_n = (plan.problem.n + plan.tiling.tile.n - 1) / plan.tiling.tile.n;
  return buffer_of(local_memory, tiles_m * tiles_n * plan.compute_warps(), local_elements(plan) * lanes_per_warp,
                   plan.spilled > 0 ? DType::fp32 : plan.problem.dtype, plan.layers());
}

Buffer bias_buffer(const GemmPlan& plan) { return buffer_of("bias", 1, plan.posed.n, result_type(plan.posed), 1); }

std::int64_t elements_on_the_way(const GemmPlan& plan, const OperandPlan& operand) {
  if (!operand.staged) return 0;
  const Access access = operand_copy_access(operand, size_of(plan.problem.dtype), plan.compute_warps());
  return access.count * access.vector;
}

GlobalAccess local_access(const GemmPlan& plan, int vector, std::int64_t first, std::int64_t places) {
  const std::int64_t warps = plan.compute_warps();
  const std::int64_t tiles_n = pieces(plan.problem.n, plan.tiling.tile.n);
  GlobalAccess access;
  access.buffer = BufferId(static_cast<std::int64_t>(gemm_buffers(plan).size()) - 1);
  access.row =
      along(Coordinate::block_m, tiles_n * warps) + along(Coordinate::block_n, warps) + along(Coordinate::warp);
  access.column = along(Coordinate::lane, vector) +
                  along(Coordinate::repeat, std::int64_t{lanes_per_warp} * vector, 1, places, first);
  access.vector = vector;
  if (plan.layers() > 1) access.layer = along(Coordinate::block_z);
  return access;
}

std::vector<Buffer> gemm_buffers(const GemmPlan& plan) {
  const GemmProblem& problem = plan.problem;
  const std::int64_t stored_k = problem.sparse ? (problem.k + 1) / 2 : problem.k;
  const auto operand = [&](const char* name, bool transposed, std::int64_t rows, std::int64_t columns) {
    return buffer_of(name, transposed ? columns : rows, transposed ? rows : columns, problem.dtype, problem.batch);
  };
  std::vector<Buffer> buffers{interleaved(operand(name_of_a(plan), plan.a.transposed, problem.m, stored_k), problem),
                              operand(name_of_b(plan), plan.b.transposed, problem.k, problem.n),
                              plan.to_workspace() ? workspace_buffer(plan) : result_buffer(plan)};
  if (problem.bias && !plan.to_workspace()) buffers.push_back(bias_buffer(plan));
  if (plan.fixes_up()) buffers.push_back(partials_buffer(plan));
  if (plan.has_metadata()) buffers.push_back(metadata_words_buffer(plan));
  if (plan.has_block_scales()) {
    buffers.push_back(scales_of_a(plan));
    buffers.push_back(scales_of_b(plan));
  }
  if (plan.has_local_memory()) buffers.push_back(local_buffer(plan));
  return buffers;
}

}  // namespace gpusim::schedules
