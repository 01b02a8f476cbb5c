// --m, --dtype and the like: which matrix product; and with --tile, --schedule and so on, how it is cut.
#pragma once

#include <optional>
#include <vector>

#include "gpusim/profile.h"
#include "gpusim/schedules/gemm.h"
#include "gpusim/schedules/gemm_candidates.h"
#include "gpusim/tune.h"
#include "machine_options.h"
#include "options.h"
#include "values.h"

namespace app {

[[nodiscard]] std::vector<OptionGroup> matmul_option_groups();

/// A product and the kernels chosen for it.
struct Matmul {
  gpusim::schedules::GemmProblem problem;
  gpusim::schedules::GemmTiling tiling;
  std::vector<gpusim::Schedule> schedules;   ///< in the order they run
  std::optional<gpusim::GemmChoice> choice;  ///< where it was chosen by trying
};

/// What is asked for: the product, and how far it is fixed how it is cut.
struct MatmulRequest {
  gpusim::schedules::GemmProblem problem;
  gpusim::schedules::GemmRequest request;
};

/// Nothing, and problems, when the options make no sense.
[[nodiscard]] std::optional<MatmulRequest> read_matmul_request(const Options& options, const gpusim::Profile& profile,
                                                               Problems& problems);

/// Nothing, and problems, when the options make no sense or the GPU cannot run them. Chooses by trying where --schedule
/// or --tile says auto, as `run` will run it; throws Interrupted when a signal asks to stop meanwhile.
[[nodiscard]] std::optional<Matmul> read_matmul(const Options& options, const gpusim::Profile& profile,
                                                const PoweredRun& run, Problems& problems);

/// Whether a candidate that is simulated whole is simulated as `run` will run it: to its end, and at the same clock.
[[nodiscard]] bool runs_alike(const PoweredRun& run);

/// Candidates are run as `run` says; under power compared at the clock that the board's limit leaves each.
void choose_as_run(const PoweredRun& run, const gpusim::Profile& profile, gpusim::GemmChoiceOptions& choosing);

/// --library; nothing when it was not given, and a problem when there is no such library.
[[nodiscard]] std::optional<gpusim::schedules::GemmLibrary> read_library(const Options& options, Problems& problems);

/// Chooses by trying, with a counter on a terminal; throws Interrupted when a signal asks to stop.
[[nodiscard]] gpusim::GemmChoice choose_by_trying(const gpusim::Profile& profile,
                                                  const gpusim::schedules::GemmProblem& problem,
                                                  gpusim::GemmChoiceOptions choosing);

/// A line with the options that ask for what was chosen; empty where none do.
[[nodiscard]] std::string as_options(const gpusim::Profile& profile, const gpusim::schedules::GemmProblem& problem,
                                     const gpusim::GemmChoice& choice);

/// The library's problems, at the options they are about.
void add_gemm_problems(std::vector<gpusim::Problem> found, Problems& problems);

}  // namespace app
