#include "schedules/gemm_request.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "gpu_features.h"
#include "schedules/gemm_wgmma.h"

namespace gpusim::schedules {
namespace {

constexpr int most_of_a_cluster = 16;

template <class T>
void set(T& choice, const std::optional<T>& given) {
  if (given) choice = *given;
}

/// Whether the product can be cut so, as far as clusters go: what else is wrong with the request is told apart.
bool may_have(const Profile& profile, const GemmProblem& problem, GemmRequest request, const GemmShape& cluster) {
  request.cluster = cluster;
  try {
    static_cast<void>(choose(profile, problem, request));
    return true;
  } catch (const ScheduleError& error) {
    return std::none_of(error.problems().begin(), error.problems().end(), [](const Problem& each) {
      return each.where.starts_with("cluster") || each.where.starts_with("multicast");
    });
  }
}

/// Of the clusters that the GPU and the product can have, the one whose sides differ least, as ratios, from those asked
/// for; of two alike the squarer one.
GemmShape nearest_cluster(const Profile& profile, const GemmProblem& problem, const GemmRequest& request,
                          std::int64_t most) {
  std::vector<GemmShape> shapes;
  for (int m = 1; m <= most; ++m)
    for (int n = 1; std::int64_t{m} * n <= most; ++n) shapes.push_back({m, n});
  const auto unlike = [&](const GemmShape& shape) {
    const double m = std::log2(static_cast<double>(shape.m) / request.cluster->m);
    const double n = std::log2(static_cast<double>(shape.n) / request.cluster->n);
    return std::pair(m * m + n * n, std::max(shape.m, shape.n));
  };
  std::sort(shapes.begin(), shapes.end(),
            [&](const GemmShape& a, const GemmShape& b) { return unlike(a) < unlike(b); });
  const auto found = std::find_if(shapes.begin(), shapes.end(),
                                  [&](const GemmShape& each) { return may_have(profile, problem, request, each); });
  return found == shapes.end() ? GemmShape{1, 1} : *found;
}

void check_cluster(const Profile& profile, const GemmProblem& problem, const GemmRequest& request,
                   std::vector<Problem>& problems) {
  if (!request.cluster) return;
  const auto text = [](const GemmShape& cluster) {
    return std::to_string(cluster.m) + "x" + std::to_string(cluster.n);
  };
  if (request.cluster->m < 1 || request.cluster->n < 1) return;  // no shape at all
  const std::int64_t ctas = std::int64_t{request.cluster->m} * request.cluster->n;
  const std::int64_t most = profile.cluster ? std::min(profile.cluster->ctas, std::int64_t{most_of_a_cluster}) : 1;
  if (ctas <= most) return;
  problems.push_back({"cluster", text(*request.cluster) + " are " + std::to_string(ctas) + " CTAs; " +
                                     (profile.cluster ? "the GPU's clusters have at most " + std::to_string(most)
                                                      : missing(cluster_feature)) +
                                     "; " + text(nearest_cluster(profile, problem, request, most)) + " would do"});
}

std::string shape_text(std::int64_t m, std::int64_t n, std::int64_t k) {
  return "m" + std::to_string(m) + "n" + std::to_string(n) + "k" + std::to_string(k);
}

/// Of mma.sync: those of wgmma have m 64, and any n.
void check_instruction(const Profile& profile, const GemmProblem& problem, const GemmRequest& request,
                       std::vector<Problem>& problems) {
  if (!request.instruction || request.instruction->m == wgmma_rows || request.variant == GemmVariant::wgmma) return;
  const auto [m, n, k] = *request.instruction;
  std::string shapes;
  for (const TensorModeSpec& mode : profile.tensor.modes) {
    if (mode.input != problem.dtype || mode.accumulate != problem.accumulate || mode.sparse != problem.sparse) continue;
    if (mode.m == m && mode.n == n && mode.k == k) return;
    shapes += (shapes.empty() ? "" : ", ") + shape_text(mode.m, mode.n, mode.k);
  }
  if (shapes.empty()) return;  // the types are refused
  problems.push_back({"instruction", "this GPU has no " + shape_text(m, n, k) + " of " +
                                         std::string(name(problem.dtype)) + " with " +
                                         std::string(name(problem.accumulate)) + " accumulation; it has " + shapes});
}

}  // namespace

GemmTiling with_request(GemmTiling tiling, const GemmRequest& request) {
  tiling.tile = request.tile;
  set(tiling.variant, request.variant);
  set(tiling.stages, request.stages);
  set(tiling.specialize, request.specialize);
  set(tiling.registers, request.registers);
  set(tiling.reserved, request.reserved);
  set(tiling.fragment_k, request.fragment_k);
  set(tiling.instruction, request.instruction);
  set(tiling.warp_tile, request.warp_tile);
  set(tiling.thread_tile, request.thread_tile);
  set(tiling.cta_slices, request.cta_slices);
  set(tiling.order_m, request.order_m);
  set(tiling.order_n, request.order_n);
  set(tiling.vector_a, request.vector_a);
  set(tiling.vector_b, request.vector_b);
  set(tiling.copy_lanes_a, request.copy_lanes_a);
  set(tiling.pair_lanes, request.pair_lanes);
  set(tiling.copy_lanes_b, request.copy_lanes_b);
  set(tiling.read_a, request.read_a);
  set(tiling.read_b, request.read_b);
  set(tiling.shared_a, request.shared_a);
  set(tiling.shared_b, request.shared_b);
  set(tiling.transpose_a, request.transpose_a);
  set(tiling.transpose_b, request.transpose_b);
  set(tiling.stage_a, request.stage_a);
  set(tiling.stage_b, request.stage_b);
  set(tiling.overfetch, request.overfetch);
  set(tiling.through_local, request.through_local);
  set(tiling.reuse_operands, request.reuse_operands);
  set(tiling.whole_lines, request.whole_lines);
  set(tiling.prefetch, request.prefetch);
  set(tiling.load_batch, request.load_batch);
  set(tiling.index_overhead, request.index_overhead);
  set(tiling.double_buffer, request.double_buffer);
  set(tiling.unroll, request.unroll);
  set(tiling.carry_over, request.carry_over);
  set(tiling.interleave, request.interleave);
  set(tiling.promote, request.promote);
  set(tiling.ldmatrix, request.ldmatrix);
  set(tiling.matrices_a, request.matrices_a);
  set(tiling.matrices_b, request.matrices_b);
  set(tiling.swap_ab, request.swap_ab);
  set(tiling.consumers, request.consumers);
  set(tiling.pingpong, request.pingpong);
  set(tiling.stmatrix, request.stmatrix);
  set(tiling.consumers_arrive, request.consumers_arrive);
  set(tiling.producer_registers, request.producer_registers);
  set(tiling.consumer_registers, request.consumer_registers);
  set(tiling.cluster, request.cluster);
  set(tiling.multicast, request.multicast);
  set(tiling.multicast_by, request.multicast_by);
  set(tiling.ctas, request.ctas);
  set(tiling.consecutive, request.consecutive);
  set(tiling.order, request.order);
  set(tiling.group, request.group);
  set(tiling.split_k, request.split_k);
  set(tiling.reduction, request.reduction);
  set(tiling.stream_k, request.stream_k);
  set(tiling.epilogue, request.epilogue);
  set(tiling.epilogue_columns, request.epilogue_columns);
  return tiling;
}

std::vector<Problem> request_problems(const Profile& profile, const GemmProblem& problem, const GemmRequest& request) {
  std::vector<Problem> problems;
  if (request.persistent && request.ctas)
    problems.push_back({"persistent", "how many CTAs there are is said already (ctas)"});
  check_cluster(profile, problem, request, problems);
  check_instruction(profile, problem, request, problems);
  const std::string no_ldmatrix = missing(ldmatrix_feature) + "; its fragments are read with LDS";
  if (request.whole_lines.value_or(false) && !fetches_whole_lines(profile))
    problems.push_back({"whole_lines", missing(whole_lines_feature) + "; what L2 lacks comes in sectors"});
  if (profile.shared.ldmatrix) return problems;
  if (request.ldmatrix.value_or(false)) problems.push_back({"ldmatrix", no_ldmatrix});
  if (request.matrices_a) problems.push_back({"matrices_a", no_ldmatrix});
  if (request.matrices_b) problems.push_back({"matrices_b", no_ldmatrix});
  return problems;
}

}  // namespace gpusim::schedules
