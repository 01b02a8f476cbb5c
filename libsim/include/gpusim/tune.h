// Choosing a schedule by trying.
//
//   const auto choice = gpusim::choose_gemm(gpu, {.m = 8192, .n = 8192, .k = 8192, .dtype = DType::bf16});
//   const auto schedules = schedules::gemm_kernels(problem, choice.tiling);
//   std::cout << choice.reason;   // "wgmma 128x256x64, 4 stages, ...: 1490.0 us simulated on a piece, the fastest ..."
//
// Candidates (schedules/gemm_candidates.h) are ranked by the quick model (estimate/quick.h); of those it cannot tell
// from the best some are simulated, which differ in more than stages where they can, and the fastest is chosen. No
// measured time is read. Equal inputs give equal choices.
//
// A large product is simulated in part: a piece of one wave of CTAs, or all of them where they are a few waves, at two
// lengths of k. With Q of the quick model and S simulated, on the piece at k1 and k2, the whole product takes
//   Q(whole, k1) S(k1) / Q(piece, k1)  +  (Q(whole, k) - Q(whole, k1)) (S(k2) - S(k1)) / (Q(piece, k2) - Q(piece, k1))
// which is linear in k and leaves waves that are not simulated, and the last, incomplete one, to the quick model. The
// power of the whole is taken to be that of the piece at k1 and, for all of its k beyond k1, of what lies between k1
// and k2.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpusim/gpu.h"
#include "gpusim/result.h"
#include "gpusim/run_options.h"
#include "gpusim/schedules/gemm.h"
#include "gpusim/schedules/gemm_candidates.h"

namespace gpusim {

/// How far pieces may be off where a product is many waves: settle_within of the command's `--schedule auto` and
/// `tune`.
inline constexpr double settled_within = 0.05;

struct GemmChoiceOptions {
  std::optional<schedules::GemmTile> tile;  ///< only this one; its k 0: any
  schedules::GemmRequest request;           ///< what else is fixed; its tile is not looked at
  schedules::GemmLibrary library = schedules::GemmLibrary::recent;
  int simulated = 3;  ///< at most so many; one alone, with none to compare it with, is not
  /// Tries what schedules::choose takes of the request, too, and simulates it beside so many: nothing is then chosen
  /// that is slower than what one has without trying.
  bool usual = false;
  double within = 0.3;  ///< of the best quick estimate: what it cannot tell apart
  bool whole = false;   ///< simulate the whole product, however large
  /// What pieces put within this share of the best time is simulated whole after that, and the fastest of these is
  /// chosen: a piece tells a time to some per cent (settled_within). 0: nothing is. That takes as long as their whole
  /// runs do
  double settle_within = 0;
  /// As the product will be run; max_cycles and max_ctas are not looked at. A piece whose A and B stay in L2 finds them
  /// there unless l2_by_buffer names them: most waves of the whole do. Nothing is there of a C that is read and does
  /// not fit with them. Of what others left dirty a piece that is one of many waves finds nothing.
  RunOptions run;
  /// Watts that the board may draw in a product that takes `us`: a trial's simulated time is at the clock they leave
  /// it, so that one that moves less from L2 may win. Without it, or without a power section in the
  /// profile, at run's clock.
  std::function<double(double us)> watts;
  bool keep_results = false;  ///< of trials that were simulated whole
  int jobs = 0;               ///< threads; 0: one for each core. They change nothing but how long it takes
  std::function<void(std::size_t done, std::size_t of)>
      progress;  ///< of simulations, by one thread at a time; from 0 again where some are settled
};

/// What was simulated for a product too large to be: its sizes, and two lengths of k.
struct GemmPiece {
  std::int64_t m = 0, n = 0, batch = 1;
  std::int64_t k_short = 0;
  std::int64_t k_long = 0;  ///< equal to k_short when the whole of k was simulated
};

/// One way that was looked at.
struct GemmTrial {
  schedules::GemmTiling tiling;
  std::vector<std::pair<std::string, std::string>> choices;  ///< the tiling in words, as a Schedule has them
  double quick_us = 0;
  std::optional<double> simulated_us;          ///< of the whole product; by a piece where there is one
  std::optional<std::int64_t> clock_mhz = {};  ///< of simulated_us, where `watts` decides
  std::optional<GemmPiece> piece;              ///< none of what was simulated whole
  std::optional<Result> result = {};  ///< of the whole product at run's clock, where that was simulated and kept
};

struct GemmChoice {
  schedules::GemmTiling tiling;
  /// The chosen one first: those simulated whole to settle it, simulated ones, and the others, each by their times.
  std::vector<GemmTrial> trials;
  std::string reason;    ///< what was tried and why this one, in a sentence
  bool stopped = false;  ///< options.run.stop gave up: not all that should be were simulated
};

/// Throws ScheduleError when the GPU cannot multiply the types or has none of the wanted candidates, when an option is
/// below 0, and what Gpu::run() throws.
[[nodiscard]] GemmChoice choose_gemm(const Gpu& gpu, const schedules::GemmProblem& problem,
                                     const GemmChoiceOptions& options = {});

/// "wgmma 128x256x64, 4 stages, cluster 2x1, 132 CTAs"
[[nodiscard]] std::string summary(const schedules::GemmTiling& tiling);

/// Trials that a page about something else shows.
inline constexpr std::size_t usual_trials = 5;
/// The reason, what was simulated, and a table of the first `most` trials; ends with a newline.
[[nodiscard]] std::string choice_text(const GemmChoice& choice, std::size_t most = usual_trials);
/// An object with `reason`, `stopped` and `trials`; ends with a newline.
[[nodiscard]] std::string choice_json(const GemmChoice& choice);
/// A line for each trial: rank, schedule, its times in microseconds, and the choices it is made of.
[[nodiscard]] std::string choice_csv(const GemmChoice& choice);

}  // namespace gpusim
