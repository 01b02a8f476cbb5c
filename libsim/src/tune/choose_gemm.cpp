#include <algorithm>
#include <cmath>

#include "clocks.h"
#include "gpusim/schedules/gemm_candidates.h"
#include "gpusim/tune.h"
#include "tune/gemm_trials.h"
#include "tune/us_text.h"

namespace gpusim {
namespace {

using schedules::GemmProblem;
using schedules::GemmTiling;
using schedules::GemmVariant;

std::string shape_text(int m, int n) { return std::to_string(m) + "x" + std::to_string(n); }

bool faster(const GemmTrial& a, const GemmTrial& b) {
  if (a.simulated_us && b.simulated_us) return *a.simulated_us < *b.simulated_us;
  if (a.simulated_us || b.simulated_us) return a.simulated_us.has_value();
  return a.quick_us < b.quick_us;
}

/// At the head of `trials`, which are ranked, those that cannot be told from the best because some are told by a piece.
/// 0 where there are none, or the best has no rival.
std::size_t close_by_pieces(const std::vector<GemmTrial>& trials, double within) {
  const double limit = *trials.front().simulated_us * (1 + within);
  const auto beyond = std::find_if(trials.begin(), trials.end(), [limit](const GemmTrial& each) {
    return !each.simulated_us || *each.simulated_us > limit;
  });
  const bool by_piece =
      std::any_of(trials.begin(), beyond, [](const GemmTrial& each) { return each.piece.has_value(); });
  const auto close = static_cast<std::size_t>(beyond - trials.begin());
  return by_piece && close > 1 ? close : 0;
}

/// Simulates whole what pieces cannot tell from the best, and ranks all anew, until no piece is near it. False when it
/// was stopped: pieces then still decide.
bool settle(const Gpu& gpu, const GemmProblem& problem, GemmChoiceOptions options, std::vector<GemmTrial>& trials) {
  options.whole = true;
  while (const std::size_t close = close_by_pieces(trials, options.settle_within)) {
    const auto end = trials.begin() + static_cast<std::ptrdiff_t>(close);
    const auto pieces_end = std::stable_partition(trials.begin(), end, [](const auto& each) { return each.piece; });
    std::vector<GemmTrial> settled(trials.begin(), pieces_end);
    for (GemmTrial& trial : settled) trial.piece.reset();
    const bool completed = tune::simulate_trials(gpu, problem, options, settled, settled.size());
    if (completed) std::move(settled.begin(), settled.end(), trials.begin());
    std::stable_sort(trials.begin(), trials.end(), faster);
    if (!completed) return false;
  }
  return true;
}

std::string reason_of(const std::vector<GemmTrial>& trials) {
  const GemmTrial& best = trials.front();
  const auto simulated =
      std::count_if(trials.begin(), trials.end(), [](const auto& trial) { return trial.simulated_us.has_value(); });
  std::string text = summary(best.tiling) + ": ";
  if (simulated == 0)
    return text + tune::us_text(best.quick_us) + " by the quick model alone, at the head of " +
           std::to_string(trials.size()) + (trials.size() == 1 ? " candidate" : " candidates");
  const auto pieces =
      std::count_if(trials.begin(), trials.end(), [](const auto& trial) { return trial.piece.has_value(); });
  text += tune::us_text(*best.simulated_us) + " simulated" + (best.piece ? " on a piece of the product" : "") +
          ", the fastest of " + std::to_string(simulated) + " simulated" +
          (!best.piece && pieces > 0 ? " (" + std::to_string(pieces) + " of them on a piece)" : "") + ", of " +
          std::to_string(trials.size()) + " that the quick model ranks";
  if (simulated > 1) text += "; next " + summary(trials[1].tiling) + ", " + tune::us_text(*trials[1].simulated_us);
  return text;
}

/// Of a GPU with wgmma none of whose candidates has it, though nothing forbids it: why ("; no wgmma: ..."). Empty
/// otherwise.
std::string without_wgmma(const Profile& profile, const GemmProblem& problem, const GemmChoiceOptions& options,
                          const std::vector<GemmTrial>& trials) {
  const std::vector<GemmVariant> able = schedules::variants(profile, problem.dtype, problem.accumulate);
  const auto is_wgmma = [](GemmVariant variant) { return variant == GemmVariant::wgmma; };
  if (options.request.variant || std::none_of(able.begin(), able.end(), is_wgmma) ||
      std::any_of(trials.begin(), trials.end(), [&](const auto& each) { return is_wgmma(each.tiling.variant); }))
    return "";
  try {
    schedules::GemmRequest request = options.request;
    request.variant = GemmVariant::wgmma;
    constexpr int row_bytes = 128;  // what a k tile of wgmma usually has
    request.tile = {64, 64, row_bytes / size_of(problem.dtype)};
    static_cast<void>(choose(profile, problem, request));
  } catch (const ScheduleError& error) {
    return "; no wgmma: " + error.problems().front().where + ": " + error.problems().front().what;
  }
  return "";  // the library has other kernels
}

/// Trials that the quick model cannot tell from the best, when ranked by it.
std::size_t undecided(const std::vector<GemmTrial>& trials, const GemmChoiceOptions& options) {
  const double limit = trials.front().quick_us * (1 + options.within);
  const auto beyond =
      std::find_if(trials.begin(), trials.end(), [&](const auto& each) { return each.quick_us > limit; });
  return static_cast<std::size_t>(beyond - trials.begin());
}

/// What has the same sides, slices and cluster is of one kind: it differs in k of the tile, stages, warps or epilogue.
bool of_one_kind(const GemmTiling& a, const GemmTiling& b) {
  return a.variant == b.variant && a.tile.m == b.tile.m && a.tile.n == b.tile.n && a.split_k == b.split_k &&
         a.cluster == b.cluster && a.stream_k == b.stream_k;
}

/// Moves `count` trials to the front, the best of their kinds first, of the first `close` when ranked.
void put_kinds_first(std::vector<GemmTrial>& trials, std::size_t close, std::size_t count) {
  const auto end = trials.begin() + static_cast<std::ptrdiff_t>(close);
  auto chosen = trials.begin();
  for (auto each = trials.begin(); each != end && chosen - trials.begin() < static_cast<std::ptrdiff_t>(count);
       ++each) {
    const bool is_known = std::any_of(
        trials.begin(), chosen, [&each](const GemmTrial& before) { return of_one_kind(before.tiling, each->tiling); });
    if (is_known) continue;
    std::rotate(chosen, each, each + 1);
    ++chosen;
  }
}

/// What is chosen of the request without trying; nothing where it does not fit, or a tile of any depth is asked for.
std::optional<GemmTiling> usual_tiling(const Profile& profile, const GemmProblem& problem,
                                       const GemmChoiceOptions& options) {
  schedules::GemmRequest request = options.request;
  if (options.tile) request.tile = *options.tile;
  if (options.tile && options.tile->k == 0) return std::nullopt;
  try {
    return choose(profile, problem, request);
  } catch (const ScheduleError&) {
    return std::nullopt;  // candidates have their own depth, warps or stages
  }
}

/// Of ranked trials the first `count` are to be simulated: so is the one of these choices, which becomes the last of
/// them. How many are.
std::size_t count_with(const std::vector<std::pair<std::string, std::string>>& choices, std::vector<GemmTrial>& trials,
                       std::size_t count) {
  const auto end = trials.begin() + static_cast<std::ptrdiff_t>(count);
  const auto usual =
      std::find_if(trials.begin(), trials.end(), [&](const GemmTrial& each) { return each.choices == choices; });
  if (usual < end) return count;
  std::rotate(end, usual, usual + 1);
  return count + 1;
}

/// What is no number is not at least 0 either.
void check(const GemmChoiceOptions& options) {
  std::vector<Problem> problems;
  const auto refuse_unless = [&problems](bool is_right, const char* option) {
    if (!is_right) problems.push_back({option, "must be at least 0"});
  };
  refuse_unless(options.simulated >= 0, "simulated");
  refuse_unless(options.within >= 0, "within");
  refuse_unless(options.settle_within >= 0, "settle_within");
  refuse_unless(options.jobs >= 0, "jobs");
  if (options.run.clock_mhz)
    if (const auto problem = problem_of_clock(*options.run.clock_mhz)) problems.push_back(*problem);
  if (!problems.empty()) throw ScheduleError(std::move(problems));
}

}  // namespace

std::string summary(const GemmTiling& tiling) {
  const schedules::GemmTile& tile = tiling.tile;
  std::string text = std::string(name(tiling.variant)) + " " + shape_text(tile.m, tile.n) + "x" +
                     std::to_string(tile.k) + ", " + std::to_string(tiling.stages) +
                     (tiling.stages == 1 ? " stage" : " stages");
  if (tiling.warp_tile.m > 0) text += ", warps of " + shape_text(tiling.warp_tile.m, tiling.warp_tile.n);
  if (tiling.thread_tile.m > 0) text += ", threads of " + shape_text(tiling.thread_tile.m, tiling.thread_tile.n);
  if (tiling.cta_slices > 1) text += ", " + std::to_string(tiling.cta_slices) + " slices of a CTA";
  if (tiling.variant == GemmVariant::wgmma)
    text += ", " + std::to_string(tiling.consumers) + (tiling.consumers == 1 ? " consumer group" : " consumer groups");
  if (tiling.pingpong) text += " at a time, two in turns";
  if (tiling.swap_ab) text += ", A and B swapped";
  if (tiling.cluster.m * tiling.cluster.n > 1) text += ", cluster " + shape_text(tiling.cluster.m, tiling.cluster.n);
  if (tiling.split_k > 1) text += ", " + std::to_string(tiling.split_k) + " slices of k";
  if (tiling.ctas > 0) text += ", " + std::to_string(tiling.ctas) + " persistent CTAs";
  if (tiling.epilogue == schedules::Epilogue::staged) text += ", staged epilogue";
  if (tiling.epilogue == schedules::Epilogue::tma) text += ", bulk stores";
  return text;
}

GemmChoice choose_gemm(const Gpu& gpu, const GemmProblem& problem, const GemmChoiceOptions& options) {
  check(options);
  GemmChoice choice;
  std::vector<GemmTrial>& trials = choice.trials;
  const auto try_tiling = [&](const GemmTiling& tiling) {
    trials.push_back({tiling,
                      gemm(problem, tiling).choices,
                      tune::quick_us(problem, tiling, gpu.profile(), options.run),
                      {},
                      {},
                      {}});
  };
  for (const GemmTiling& tiling :
       gemm_candidates(gpu.profile(), problem, options.request, options.tile, options.library))
    try_tiling(tiling);
  const std::optional<GemmTiling> usual = options.usual ? usual_tiling(gpu.profile(), problem, options) : std::nullopt;
  const auto usual_choices = usual ? gemm(problem, *usual).choices : decltype(GemmTrial::choices){};
  const auto is_usual = [&](const GemmTrial& trial) { return trial.choices == usual_choices; };
  if (usual && std::none_of(trials.begin(), trials.end(), is_usual)) try_tiling(*usual);
  std::stable_sort(trials.begin(), trials.end(), faster);
  const std::size_t close = undecided(trials, options);
  std::size_t count = std::min(close, static_cast<std::size_t>(options.simulated));
  if (std::isfinite(options.within)) put_kinds_first(trials, close, count);  // else the best are asked for
  if (usual) count = count_with(usual_choices, trials, count);
  if (count > 1) choice.stopped = !tune::simulate_trials(gpu, problem, options, trials, count);
  std::stable_sort(trials.begin(), trials.end(), faster);
  if (count > 1 && !choice.stopped) choice.stopped = !settle(gpu, problem, options, trials);
  choice.tiling = trials.front().tiling;
  choice.reason = reason_of(trials) + without_wgmma(gpu.profile(), problem, options, trials);
  if (choice.stopped) choice.reason += "; stopped before all that should be were simulated";
  return choice;
}

}  // namespace gpusim
