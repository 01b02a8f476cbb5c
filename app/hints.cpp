#include "hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "gpusim/error.h"
#include "gpusim/estimate/quick.h"

namespace app {

namespace {

using namespace gpusim::schedules;

/// Of the time at hand, what is worth a hint; and of another's, what is more than about as fast.
constexpr double worth_telling = 0.85;
constexpr double clearly_faster = 0.95;

/// Of a product that is cut as asked for; nothing where the GPU cannot run it.
std::optional<double> quick_gemm_us(const gpusim::Profile& profile, const GemmProblem& problem,
                                    const GemmRequest& request, const gpusim::RunOptions& run) {
  try {
    return quick_kernels_us(profile, gemm_kernels(problem, choose(profile, problem, request)), run);
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

/// Whether tensor cores are busy for most of a kernel of at least a wave: a tile that suits wgmma is then faster.
bool keeps_tensor_cores_busy(const gpusim::Profile& profile, const gpusim::Schedule& kernel,
                             const gpusim::RunOptions& run) {
  constexpr double most = 0.6;
  const gpusim::estimate::QuickEstimate estimate = gpusim::estimate::quick_estimate(kernel, profile, run);
  return cta_count(kernel) >= profile.sm.count &&
         std::any_of(estimate.resources.begin(), estimate.resources.end(), [&](const auto& resource) {
           return resource.name == "sm.tensor" && resource.cycles > most * estimate.cycles;
         });
}

std::string instruction_hint(const gpusim::Profile& profile, const Matmul& matmul, GemmRequest request,
                             const gpusim::RunOptions& run) {
  const GemmVariant variant = matmul.tiling.variant;
  const auto share = share_of_peak(profile, matmul.problem);
  if (!share || variant < GemmVariant::tensor || variant == GemmVariant::wgmma) return "";
  request.variant = GemmVariant::wgmma;
  const auto us = quick_kernels_us(profile, matmul.schedules, run);
  const auto by_wgmma = quick_gemm_us(profile, matmul.problem, request, run);
  if (!us || !by_wgmma) return "";
  const bool is_faster = *by_wgmma < worth_telling * *us;
  if (!is_faster && !keeps_tensor_cores_busy(profile, matmul.schedules.front(), run)) return "";
  return fmt::format("mma.sync, by which '{}' multiplies, has {:.0f} % of this GPU's peak at most; {}", name(variant),
                     100 * *share,
                     is_faster ? "'--schedule wgmma' has all of it, and '--schedule auto' chooses the tile, too"
                               : "wgmma has all of it, and '--schedule auto' chooses a tile for it");
}

std::string slices_hint(const gpusim::Profile& profile, const Matmul& matmul, const GemmRequest& asked,
                        const gpusim::RunOptions& run) {
  const std::int64_t k_tiles = matmul.problem.k / matmul.tiling.tile.k;
  const IdleSms idle{cta_count(matmul.schedules.front()), profile.sm.count, "tile", "split-k",
                     "shares the k of each among as many CTAs, and '--schedule auto' chooses tile and slices"};
  return idle_hint(idle, [&](std::int64_t slices) -> std::optional<double> {
    if (slices == 1) return quick_kernels_us(profile, matmul.schedules, run);
    if (slices > k_tiles) return std::nullopt;
    GemmRequest request = asked;
    request.split_k = static_cast<int>(slices);
    return quick_gemm_us(profile, matmul.problem, request, run);
  });
}

/// Where tensor cores take fp16, but not bf16.
std::string type_hint(const gpusim::Profile& profile, const Matmul& matmul) {
  const auto is_taken = [&](gpusim::DType type) {
    return gpusim::tensor_mode(profile, type, matmul.problem.accumulate) != nullptr;
  };
  if (matmul.problem.dtype != gpusim::DType::bf16 || is_taken(gpusim::DType::bf16) || !is_taken(gpusim::DType::fp16))
    return "";
  return "this GPU's tensor cores do not take bf16, which FMAs multiply instead; '--dtype fp16' is theirs";
}

/// Whether slices of k can be asked for beside what was.
bool may_slice(const Matmul& matmul, const Options& options) {
  const bool derives = options.value("view").value_or("").find("derivation") != std::string::npos;  // of one schedule
  return !options.has("split-k") && !matmul.tiling.stream_k && !derives;
}

}  // namespace

std::optional<double> quick_kernels_us(const gpusim::Profile& profile, const std::vector<gpusim::Schedule>& kernels,
                                       const gpusim::RunOptions& run) {
  if (profile.dram.bandwidth_gb_per_s.is_unlimited()) return std::nullopt;
  double us = static_cast<double>(profile.launch.gap_ns) * 1e-3 * static_cast<double>(kernels.size() - 1);
  for (const gpusim::Schedule& each : kernels) {
    if (!check(each, profile).empty()) return std::nullopt;
    us += gpusim::estimate::quick_estimate(each, profile, run).us;
  }
  return us;
}

std::string idle_hint(const IdleSms& idle, const std::function<std::optional<double>(std::int64_t)>& us_of) {
  constexpr std::int64_t most_of_sm = 8;  ///< CTAs
  if (2 * idle.ctas > idle.sms) return "";
  const auto alone_us = us_of(1);
  if (!alone_us) return "";
  std::int64_t best = 1;
  double best_us = *alone_us;
  for (std::int64_t count = 2; count * idle.ctas <= most_of_sm * idle.sms; count *= 2) {
    const auto us = us_of(count);
    if (!us || *us > clearly_faster * best_us) continue;
    best = count;
    best_us = *us;
  }
  if (best_us > worth_telling * *alone_us) return "";
  return fmt::format("{} of {} SMs {} a {}; '--{} {}' {}", idle.ctas, idle.sms, idle.ctas == 1 ? "has" : "have",
                     idle.work, idle.option, best, idle.shared);
}

std::string matmul_hint(const gpusim::Profile& profile, const Matmul& matmul, const Options& options,
                        const gpusim::RunOptions& run) {
  if (std::string type = type_hint(profile, matmul); !type.empty()) return type;
  Problems ignored;
  const auto asked = matmul.choice ? std::nullopt : read_matmul_request(options, profile, ignored);
  if (!asked) return "";
  std::string slices = may_slice(matmul, options) ? slices_hint(profile, matmul, asked->request, run) : "";
  if (!slices.empty() || options.has("schedule")) return slices;
  return instruction_hint(profile, matmul, asked->request, run);
}

}  // namespace app
