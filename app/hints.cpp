#include "hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "gpusim/error.h"
#include "gpusim/estimate/quick.h"

namespace app {

namespace {

using namespace gpusim::schedules;

/// The same of a product that is cut as asked for; nothing where the GPU cannot run it.
std::optional<double> quick_us_of(const gpusim::Profile& profile, const GemmProblem& problem,
                                  const GemmRequest& request, const gpusim::RunOptions& run) {
  try {
    const std::vector<gpusim::Schedule> kernels = gemm_kernels(problem, choose(profile, problem, request));
    for (const gpusim::Schedule& each : kernels)
      if (!check(each, profile).empty()) return std::nullopt;
    return quick_us(profile, kernels, run);
  } catch (const gpusim::ScheduleError&) {
    return std::nullopt;
  }
}

/// What share of the peak mma.sync has, where the GPU has a faster instruction, too.
std::optional<double> share_of_peak(const gpusim::Profile& profile, const GemmProblem& problem) {
  if (!profile.tensor.wgmma) return std::nullopt;
  const auto* const mode = gpusim::tensor_mode(profile, problem.dtype, problem.accumulate);
  if (mode == nullptr || mode->peak_fma_per_clk.is_unlimited()) return std::nullopt;
  const double share = mode->fma_per_clk.per_cycle() / mode->peak_fma_per_clk.per_cycle();
  return share < 1 ? std::optional(share) : std::nullopt;
}

std::string instruction_hint(const gpusim::Profile& profile, const Matmul& matmul, GemmRequest request, double us,
                             const gpusim::RunOptions& run) {
  const GemmVariant variant = matmul.tiling.variant;
  const auto share = share_of_peak(profile, matmul.problem);
  if (!share || variant < GemmVariant::tensor || variant == GemmVariant::wgmma) return "";
  request.variant = GemmVariant::wgmma;
  const auto by_wgmma = quick_us_of(profile, matmul.problem, request, run);
  if (!by_wgmma) return "";
  const char* const how = *by_wgmma < worth_telling * us
                              ? "'--schedule wgmma' has all of it,\n  and '--schedule auto' chooses the tile, too"
                              : "wgmma has all of it, and\n  '--schedule auto' chooses a tile for it";
  return fmt::format("\nHint\n  mma.sync, by which '{}' multiplies, has {:.0f} % of this GPU's peak at most; {}\n",
                     name(variant), 100 * *share, how);
}

/// Slices of k that leave no SM without a tile, the fewest of those that are about as fast.
std::string slices_hint(const gpusim::Profile& profile, const Matmul& matmul, GemmRequest request, double us,
                        const gpusim::RunOptions& run) {
  const std::int64_t ctas = cta_count(matmul.schedules.front());
  if (2 * ctas > profile.sm.count || matmul.schedules.size() > 1 || matmul.tiling.stream_k) return "";
  int best = 1;
  double best_us = us;
  const std::int64_t k_tiles = matmul.problem.k / matmul.tiling.tile.k;
  for (int slices = 2; slices * ctas <= 2 * profile.sm.count && slices <= k_tiles; slices *= 2) {
    request.split_k = slices;
    const auto sliced = quick_us_of(profile, matmul.problem, request, run);
    if (!sliced || *sliced > 0.95 * best_us) continue;
    best = slices;
    best_us = *sliced;
  }
  if (best_us > worth_telling * us) return "";
  return fmt::format(
      "\nHint\n  {} of {} SMs {} a tile; '--split-k {}' shares the k of each among as many CTAs,\n"
      "  and '--schedule auto' chooses tile and slices\n",
      ctas, profile.sm.count, ctas == 1 ? "has" : "have", best);
}

}  // namespace

double quick_us(const gpusim::Profile& profile, const std::vector<gpusim::Schedule>& kernels,
                const gpusim::RunOptions& run) {
  double us = static_cast<double>(profile.launch.gap_ns) * 1e-3 * static_cast<double>(kernels.size() - 1);
  for (const gpusim::Schedule& each : kernels) us += gpusim::estimate::quick_estimate(each, profile, run).us;
  return us;
}

std::string matmul_hint(const gpusim::Profile& profile, const Matmul& matmul, const Options& options,
                        const gpusim::RunOptions& run) {
  if (matmul.choice || options.has("schedule")) return "";
  Problems ignored;
  const auto asked = read_matmul_request(options, profile, ignored);
  if (!asked) return "";
  const double us = quick_us(profile, matmul.schedules, run);
  const std::string slices = options.has("split-k") ? "" : slices_hint(profile, matmul, asked->request, us, run);
  return slices.empty() ? instruction_hint(profile, matmul, asked->request, us, run) : slices;
}

}  // namespace app
