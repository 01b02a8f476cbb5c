#include "schedules/gemm_request.h"

namespace gpusim::schedules {
namespace {

template <class T>
void set(T& choice, const std::optional<T>& given) {
  if (given) choice = *given;
}

}  // namespace

GemmTiling with_request(GemmTiling tiling, const GemmRequest& request) {
  tiling.tile = request.tile;
  set(tiling.variant, request.variant);
  set(tiling.stages, request.stages);
  set(tiling.specialize, request.specialize);
  set(tiling.registers, request.registers);
  set(tiling.fragment_k, request.fragment_k);
  set(tiling.instruction, request.instruction);
  set(tiling.warp_tile, request.warp_tile);
  set(tiling.thread_tile, request.thread_tile);
  set(tiling.order_m, request.order_m);
  set(tiling.order_n, request.order_n);
  set(tiling.vector_a, request.vector_a);
  set(tiling.vector_b, request.vector_b);
  set(tiling.copy_lanes_a, request.copy_lanes_a);
  set(tiling.copy_lanes_b, request.copy_lanes_b);
  set(tiling.read_a, request.read_a);
  set(tiling.read_b, request.read_b);
  set(tiling.shared_a, request.shared_a);
  set(tiling.shared_b, request.shared_b);
  set(tiling.transpose_a, request.transpose_a);
  set(tiling.stage_a, request.stage_a);
  set(tiling.stage_b, request.stage_b);
  set(tiling.whole_lines, request.whole_lines);
  set(tiling.prefetch, request.prefetch);
  set(tiling.load_batch, request.load_batch);
  set(tiling.index_overhead, request.index_overhead);
  set(tiling.double_buffer, request.double_buffer);
  set(tiling.carry_over, request.carry_over);
  set(tiling.promote, request.promote);
  set(tiling.ldmatrix, request.ldmatrix);
  set(tiling.matrices_a, request.matrices_a);
  set(tiling.matrices_b, request.matrices_b);
  set(tiling.consumers, request.consumers);
  set(tiling.producer_registers, request.producer_registers);
  set(tiling.consumer_registers, request.consumer_registers);
  set(tiling.cluster, request.cluster);
  set(tiling.multicast, request.multicast);
  set(tiling.ctas, request.ctas);
  set(tiling.consecutive, request.consecutive);
  set(tiling.order, request.order);
  set(tiling.group, request.group);
  set(tiling.split_k, request.split_k);
  set(tiling.reduction, request.reduction);
  set(tiling.stream_k, request.stream_k);
  set(tiling.epilogue, request.epilogue);
  return tiling;
}

}  // namespace gpusim::schedules
