#include <algorithm>
#include <string>

#include "gpu_features.h"
#include "schedules/gemm_block_scales.h"
#include "schedules/gemm_plan.h"
#include "schedules/gemm_request.h"
#include "schedules/gemm_types.h"

namespace gpusim::schedules {
namespace {

constexpr int most_default_stages = 4;
constexpr int least_stages = 2;
constexpr int default_stages_of_simt = 1;

std::string names_of(const std::vector<GemmVariant>& variants) {
  std::string text;
  for (const GemmVariant variant : variants) text += (text.empty() ? "" : ", ") + std::string(name(variant));
  return text;
}

/// What it needs, whatever the types, that the GPU lacks ("needs CTA clusters, ..."); "" for nothing.
std::string gemm_lack(const Profile& profile, GemmVariant variant) {
  if (variant == GemmVariant::wgmma && !profile.tensor.wgmma) return needs(wgmma_feature);
  if ((variant == GemmVariant::wgmma || variant == GemmVariant::tma) && !profile.tma) return needs(tma_feature);
  if (variant == GemmVariant::async && !profile.async_copy) return needs(async_copy_feature);
  return "";
}

/// wgmma wants tiles of its own: it is chosen with them (GemmCandidates), or asked for.
bool needs_its_tile(GemmVariant variant) { return variant == GemmVariant::wgmma; }

GemmVariant choose_variant(const Profile& profile, const GemmProblem& problem, std::optional<GemmVariant> wanted) {
  const std::vector<GemmVariant> there = variants(profile, problem.dtype, problem.accumulate);
  const std::string types = types_text(problem.dtype, problem.accumulate);
  if (there.empty()) throw ScheduleError({no_product(profile, problem.dtype, problem.accumulate)});
  if (wanted && *wanted < GemmVariant::simt && fma_can(profile, problem.dtype, problem.accumulate)) return *wanted;
  if (!wanted) return *std::find_if(there.begin(), there.end(), [](GemmVariant each) { return !needs_its_tile(each); });
  if (std::find(there.begin(), there.end(), *wanted) == there.end()) {
    const std::string variant(name(*wanted));
    const std::string lack = gemm_lack(profile, *wanted);
    throw ScheduleError(
        {Problem{"schedule", (lack.empty() ? "gpusim has no " + variant + " product of " + types + " on this GPU"
                                           : variant + " " + lack) +
                                 "; there are " + names_of(there) +
                                 (fma_can(profile, problem.dtype, problem.accumulate) ? ", coalesced, naive" : "")}});
  }
  return *wanted;
}

bool is_staged(GemmVariant variant) { return variant >= GemmVariant::async; }
bool reads_fragments(GemmVariant variant) { return variant != GemmVariant::wgmma; }

/// wgmma's own follows from the types.
MmaShape choose_instruction(const Profile& profile, const GemmProblem& problem, GemmVariant variant) {
  if (variant < GemmVariant::tensor || variant == GemmVariant::wgmma) return {};
  return tensor_instruction(profile, problem);
}

/// Where none is given: as deep as the instruction is at least (2:4 sparse fp8 takes a k of 64).
GemmTile default_tile(const GemmProblem& problem, const GemmTiling& tiling) {
  constexpr GemmTile a_thread_an_element{32, 32, 32};  // naive, coalesced: the largest that a CTA's threads allow
  if (tiling.variant < GemmVariant::simt) return a_thread_an_element;
  GemmTile tile;
  if (problem.block_scales) tile.k = scale_block;
  if (reads_fragments(tiling.variant)) tile.k = std::max(tile.k, tiling.instruction.k);
  return tile;
}

/// A producer warp, and as many consumer groups as have 64 rows each, at most two. Two fill each other's waits; one
/// keeps a k tile in flight.
void choose_warp_groups(const GemmProblem& problem, const GemmRequest& request, GemmTiling& tiling) {
  if (!request.specialize) tiling.specialize = true;
  if (!request.swap_ab) tiling.swap_ab = needs_swap(problem);
  if (!request.consumers) tiling.consumers = !tiling.pingpong && tiling.tile.m % (2 * wgmma_rows) == 0 ? 2 : 1;
  if (!request.double_buffer)
    tiling.double_buffer = tiling.consumers == 1 && !tiling.promote && !problem.sparse &&
                           can_double_buffer_groups(tiled_problem(problem, tiling), tiling.tile);
}

std::vector<Problem> problems_of(const Profile& profile, const GemmProblem& problem, const GemmTiling& tiling) {
  return check(gemm(problem, tiling), profile);
}

bool is_about(const std::vector<Problem>& problems, std::string_view where) {
  return std::any_of(problems.begin(), problems.end(), [&](const Problem& each) { return each.where == where; });
}

/// As many stages as fit, at most four; the least there can be when not even those fit.
int choose_stages(const Profile& profile, const GemmProblem& problem, GemmTiling tiling) {
  tiling.stages = most_default_stages;
  while (tiling.stages > least_stages && is_about(problems_of(profile, problem, tiling), "schedule.shared"))
    --tiling.stages;
  return tiling.stages;
}

/// The default, halved until its fragments fit the registers a thread may have; for the staged variants, whose warps
/// wait for each other at every tile, on until no further CTA fits the SM's registers beside it. What fits in no way
/// stays whole.
int choose_fragment_k(const Profile& profile, const GemmProblem& problem, const GemmTiling& tiling) {
  if (tiling.double_buffer) return least_step(problem, tiling);  // two halves of the registers have room for no more
  const int whole = plan_gemm(problem, tiling).tiling.fragment_k;
  if (tiling.registers != 0) return whole;
  const int step = least_step(problem, tiling);
  GemmTiling smaller = tiling;
  int best = whole;
  int most_ctas = -1;
  for (smaller.fragment_k = whole;; smaller.fragment_k /= 2) {
    const Schedule schedule = gemm(problem, smaller);
    if (!is_about(check(schedule, profile), "schedule.registers")) {
      const int ctas = occupancy(schedule, profile).ctas;
      if (ctas > most_ctas) best = smaller.fragment_k;
      most_ctas = std::max(most_ctas, ctas);
      if (!is_staged(tiling.variant)) return best;
    }
    if (smaller.fragment_k % (2 * step) != 0) return best;
  }
}

/// A smaller tile that would do with what is fixed, as advice: the longest side halved until one fits. Empty when none
/// does.
std::string advice(const Profile& profile, const GemmProblem& problem, const GemmRequest& request, GemmTiling tiling) {
  const int least_k = least_step(problem, tiling);
  while (true) {
    GemmTile& tile = tiling.tile;
    if (tile.k > least_k && tile.k % (2 * least_k) == 0 && tile.k >= std::max(tile.m, tile.n) / 4)
      tile.k /= 2;
    else if (tile.m >= tile.n && tile.m > 16 && tile.m % 2 == 0)
      tile.m /= 2;
    else if (tile.n > 16 && tile.n % 2 == 0)
      tile.n /= 2;
    else
      return "";
    try {
      if (!request.fragment_k) tiling.fragment_k = 0;
      if (!request.fragment_k && reads_fragments(tiling.variant))
        tiling.fragment_k = choose_fragment_k(profile, problem, tiling);
      if (problems_of(profile, problem, tiling).empty())
        return "; a tile of " + to_string(tile) +
               (is_staged(tiling.variant) ? " with " + std::to_string(tiling.stages) + " stages" : "") + " would fit";
    } catch (const ScheduleError&) {
      continue;  // cannot be shared out as it is fixed; a smaller one may
    }
  }
}

/// The choice of the user that is too much of what an SM has, where it is one: registers, what a warp has of the
/// tile, memory that is not used, or stages of which fewer would fit.
void name_choice(const Profile& profile, const GemmProblem& problem, const GemmRequest& request, GemmTiling tiling,
                 Problem& about_size) {
  if (about_size.where == "schedule.registers" && request.registers)
    about_size.where = "registers";
  else if (about_size.where == "schedule.registers" && request.warp_tile)
    about_size.where = "warp_tile";
  if (about_size.where != "schedule.shared") return;
  const auto fits_with = [&](const GemmTiling& less) {
    return !is_about(problems_of(profile, problem, less), "schedule.shared");
  };
  GemmTiling less = tiling;
  less.reserved = 0;
  if (tiling.reserved > 0 && fits_with(less)) {
    about_size.where = "reserved";
    return;
  }
  if (!request.stages || !is_staged(tiling.variant)) return;
  tiling.stages = least_stages;
  if (fits_with(tiling)) about_size.where = "stages";
}

/// Refuses what does not fit, naming the choice that does not, or a tile that would where there is one and registers
/// were not the user's choice.
[[noreturn]] void refuse(const Profile& profile, const GemmProblem& problem, const GemmRequest& request,
                         const GemmTiling& tiling, std::vector<Problem> problems) {
  bool is_advised = tiling.registers != 0;
  for (Problem& each : problems) {
    if (each.where != "schedule.shared" && each.where != "schedule.registers") continue;
    name_choice(profile, problem, request, tiling, each);
    const bool is_of_the_tile = each.where.starts_with("schedule.") || request.tile != GemmTile{};
    if (!is_advised && is_of_the_tile) each.what += advice(profile, problem, request, tiling);
    is_advised = is_advised || is_of_the_tile;
  }
  throw ScheduleError(std::move(problems));
}

void refuse_if_any(std::vector<Problem> problems) {
  if (!problems.empty()) throw ScheduleError(std::move(problems));
}

}  // namespace

MmaShape tensor_instruction(const Profile& profile, const GemmProblem& problem) {
  const auto mode = std::find_if(profile.tensor.modes.begin(), profile.tensor.modes.end(), [&](const auto& each) {
    return each.input == problem.dtype && each.accumulate == problem.accumulate && each.sparse == problem.sparse;
  });
  if (mode == profile.tensor.modes.end())
    throw ScheduleError({Problem{"sparse", "this GPU has no 2:4 sparse tensor instruction for " +
                                               types_text(problem.dtype, problem.accumulate)}});
  return {static_cast<int>(mode->m), static_cast<int>(mode->n), static_cast<int>(mode->k)};
}

std::int64_t persistent_ctas(const Profile& profile, const GemmProblem& problem, const GemmTiling& tiling) {
  GemmTiling one_tile_each = tiling;  // what a CTA takes of an SM is the same, but that groups take turns
  one_tile_each.ctas = tiling.pingpong ? std::int64_t{tiling.cluster.m} * tiling.cluster.n : 0;
  one_tile_each.consecutive = one_tile_each.stream_k = false;
  const Schedule schedule = gemm(problem, one_tile_each);
  const std::int64_t held = profile.sm.count * std::max(occupancy(schedule, profile).ctas, 1);
  return std::min(held / schedule.cluster * schedule.cluster, tile_count(schedule));
}

GemmTiling choose(const Profile& profile, const GemmProblem& problem, const GemmRequest& request) {
  refuse_if_any(request_problems(profile, problem, request));
  GemmTiling left_alone;
  left_alone.promote = problem.block_scales;
  GemmTiling tiling = with_request(left_alone, request);
  // Blocks' scales go with wgmma alone.
  const auto variant = problem.block_scales ? request.variant.value_or(GemmVariant::wgmma) : request.variant;
  tiling.variant = choose_variant(profile, problem, variant);
  if (!request.instruction) tiling.instruction = choose_instruction(profile, problem, tiling.variant);
  if (tiling.tile == GemmTile{}) tiling.tile = default_tile(problem, tiling);
  if (tiling.variant == GemmVariant::wgmma) choose_warp_groups(problem, request, tiling);
  // Until their number is known, one cluster stands for the persistent CTAs.
  if (request.persistent) tiling.ctas = std::int64_t{tiling.cluster.m} * tiling.cluster.n;
  const bool chooses_fragments = !request.fragment_k && reads_fragments(tiling.variant);
  if (chooses_fragments && tiling.double_buffer) tiling.fragment_k = least_step(problem, tiling);
  if (!request.stages) tiling.stages = is_staged(tiling.variant) ? least_stages : default_stages_of_simt;
  refuse_if_any(planning_problems(problem, tiling, request));
  if (!request.stages && is_staged(tiling.variant)) tiling.stages = choose_stages(profile, problem, tiling);
  if (chooses_fragments) tiling.fragment_k = choose_fragment_k(profile, problem, tiling);
  if (request.persistent) tiling.ctas = persistent_ctas(profile, problem, tiling);

  std::vector<Problem> problems = problems_of(profile, problem, tiling);
  if (!problems.empty()) refuse(profile, problem, request, tiling, std::move(problems));
  // What is given is taken to be enough: a tiling that spills leaves it to gemm().
  if (const GemmPlan plan = plan_gemm(problem, tiling); plan.spilled == 0) tiling.registers = plan.tiling.registers;
  return tiling;
}

}  // namespace gpusim::schedules
