#include "schedules/gemm_cta_slices.h"
#include "sizes.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>
#include <string>

namespace gpusim::schedules {
namespace {

constexpr int most_warps_of_cta = most_cta_threads / lanes_per_warp;
constexpr std::int64_t wavefront_bytes = bank_count * word_bytes;

/// How a warp accesses its slice's part of C, as accumulators.
Access sums_access(const GemmPlan& plan) {
  if (!plan.on_tensor_cores()) return thread_tile_access(plan, size_of(plan.problem.accumulate));
  return mma_store_access({plan.warp_tile.rows / plan.tiling.cta_slices, plan.warp_tile.columns});
}

/// Of the access's first instruction, with rows so far apart: lanes are served together as far as 128 bytes go, in as
/// many turns as the most wanted place among the banks has different words.
std::size_t wavefronts(const Access& access, std::int64_t pitch, int element_bytes) {
  const std::int64_t width = std::max<std::int64_t>(std::int64_t{access.vector} * element_bytes, word_bytes);
  const std::int64_t together = wavefront_bytes / width;
  std::size_t turns = 0;
  for (std::int64_t first = 0; first < lanes_per_warp; first += together) {
    std::map<std::int64_t, std::set<std::int64_t>> wanted;
    std::size_t most = 0;
    for (std::int64_t lane = first; lane < first + together; ++lane) {
      Coordinates at{};
      at[static_cast<std::size_t>(Coordinate::lane)] = lane;
      const std::int64_t place = (access.row(at) * pitch + access.column(at) * element_bytes) / width;
      std::set<std::int64_t>& words = wanted[place % together];
      words.insert(place);
      most = std::max(most, words.size());
    }
    turns += most;
  }
  return turns;
}

/// Of those that hold, the number nearest to `wanted`; 1 always does.
int nearest_slices(int wanted, const std::function<bool(int)>& holds) {
  int nearest = 1;
  for (int slices = 2; slices <= most_warps_of_cta; ++slices)
    if (holds(slices) && std::abs(slices - wanted) < std::abs(nearest - wanted)) nearest = slices;
  return nearest;
}

}  // namespace

Layout cta_slice_row(const GemmPlan& plan, int together) {
  if (plan.tiling.cta_slices == 1) return {};
  return along(Coordinate::warp, plan.slice_k() / together, plan.slice_warps());
}

Layout part_row(const GemmPlan& plan, int ahead) {
  const int slices = plan.tiling.cta_slices;
  if (slices == 1) return {};
  if (!plan.on_tensor_cores()) return thread_part_row(plan, ahead);
  const int warps = plan.slice_warps();
  return along(Coordinate::warp, plan.warp_tile.rows / slices, warps, slices, std::int64_t{ahead} * warps);
}

/// Rows are padded by as many chunks as keep lanes that are served together in different banks.
SharedTile slice_sums_tile(const GemmPlan& plan) {
  constexpr std::int64_t most_chunks = wavefront_bytes / vector_bytes;
  const GemmTile& tile = plan.tiling.tile;
  const int element = size_of(plan.problem.accumulate);
  const Access access = sums_access(plan);
  const std::int64_t row = pieces(std::int64_t{tile.n} * element, vector_bytes) * vector_bytes;
  std::int64_t pitch = row;
  for (std::int64_t chunks = 1; chunks < most_chunks; ++chunks)
    if (const std::int64_t padded = row + chunks * vector_bytes;
        wavefronts(access, padded, element) < wavefronts(access, pitch, element))
      pitch = padded;
  return {"sums", tile.m, tile.n, plan.problem.accumulate, 1, Bytes(pitch), Swizzle::none, true};
}

/// In each round every slice gives one other its sums of that one's part of C, so that all are busy and the tile is as
/// large as C's, however many slices there are. Each part is added up in the order of the rounds.
void append_slice_sums(GemmProgram& program, Body& body, const GemmPlan& plan) {
  const int slices = plan.tiling.cta_slices;
  const Access access = sums_access(plan);
  const Token received = program.token("sums");
  const auto part = [&](int ahead) {
    return access.shared(plan.sums_tile(), 0, warp_row(plan) + part_row(plan, ahead), warp_column(plan));
  };
  for (int ahead = 1; ahead < slices; ++ahead) {
    append(body, CtaBarrier{});  // all have read what lay there: the last k tile, or the sums of the round before
    append_overhead(body, stage_overhead);
    append(body, StoreShared{part(ahead), program.c()}, access.count);
    append(body, CtaBarrier{});
    append(body, LoadShared{part(0), received}, access.count);
    Scale add;
    add.c = program.c();
    add.source = received;
    add.beta = 1;
    append(body, add, pieces(plan.sum_registers(), slices));
  }
  if (plan.persistent()) append(body, CtaBarrier{});  // before the next item's tiles come
}

void check_slices_of_k(const GemmProblem& problem, const GemmTiling& tiling, GemmCollector& collect) {
  const std::vector<Problem>& found = collect.problems;
  if (std::any_of(found.begin(), found.end(), [](const Problem& each) { return each.where == "cta_slices"; })) return;
  const int step = least_step(problem, tiling);
  const auto cuts = [&](int slices) { return tiling.tile.k % (slices * step) == 0; };
  if (tiling.cta_slices == 1 || cuts(tiling.cta_slices)) return;
  collect.require(false, "cta_slices",
                  "a k tile of " + std::to_string(tiling.tile.k) + " is not cut into " +
                      std::to_string(tiling.cta_slices) + " slices of whole steps of " + std::to_string(step) + "; " +
                      std::to_string(nearest_slices(tiling.cta_slices, cuts)) + " is the nearest");
}

void check_slices_of_cta(const GemmPlan& plan, std::vector<Problem>& problems) {
  const int wanted = plan.tiling.cta_slices;
  if (wanted == 1) return;
  const int step = std::max(least_step(plan.problem, plan.tiling), plan.asked.fragment_k);
  const auto fits = [&](int slices) { return slices * plan.slice_warps() <= most_warps_of_cta; };
  const auto shares = [&](int slices) {
    return plan.on_tensor_cores() ? plan.warp_tile.rows % (slices * matrix_rows) == 0 : shares_rows(plan, slices);
  };
  const auto refuse = [&](const std::string& what) {
    const int nearest = nearest_slices(wanted, [&](int slices) {
      return fits(slices) && shares(slices) && plan.tiling.tile.k % (slices * step) == 0;
    });
    problems.push_back({"cta_slices", what + "; " + std::to_string(nearest) + " is the nearest that would do"});
  };
  if (!fits(wanted)) {
    refuse(std::to_string(wanted) + " slices of " + std::to_string(plan.slice_warps()) + " warps are " +
           std::to_string(plan.compute_warps()) + ", and a CTA has at most " + std::to_string(most_warps_of_cta));
    return;
  }
  if (shares(wanted)) return;
  const std::string rows = plan.on_tensor_cores()
                               ? "a warp's " + std::to_string(plan.warp_tile.rows) + " rows of C, in eights,"
                               : "a thread's " + std::to_string(plan.thread_tile.rows) + " rows of C";
  refuse(rows + " are not shared out among " + std::to_string(wanted) + " slices, which finish a part each");
}

}  // namespace gpusim::schedules
