// Measured microbenchmarks against the simulated ones.
//
//   const auto report = validate::anchors(load_profile("a100-sxm-40gb"));
//   report.score      // mean share of checks within tolerance
//
// An anchor is a microbenchmark that was published ("LAT-02", an A100's pointer chase), or one that this project ran
// itself ("SI-01"); every quantity it measured on a GPU that has a profile is a check. A check that reads what a
// profile's number was taken from says so and is not counted: it would only test that the number arrives. The anchors,
// their tolerances and sources are data, part of the library.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpusim/profile.h"

namespace gpusim::validate {

enum class Verdict : std::uint8_t {
  pass,   ///< within tolerance
  miss,   ///< not within tolerance, or the model cannot say
  input,  ///< a profile's number comes from this very measurement, and arrives: not counted
};
[[nodiscard]] std::string_view name(Verdict verdict);

/// What was measured: one value (low == high), or a range.
struct Expected {
  double low = 0;
  double high = 0;
};

/// One quantity of an anchor on one GPU.
struct AnchorCheck {
  std::string anchor;    ///< "LAT-02"
  std::string gpu;       ///< profile's name
  std::string quantity;  ///< "near L2 hit"
  std::string unit;
  Expected expected;
  std::optional<double> simulated;  ///< none: the model cannot say
  std::optional<double> error;      ///< in percent of what was expected, of its nearer end; 0 inside a range
  std::string tolerance;            ///< "5%", "1 cycle", "exact"
  Verdict verdict = Verdict::miss;
  std::string input;  ///< key of the profile's number that comes from this measurement, or "": if so, not counted
  std::string source;
  std::string note;  ///< why nothing was simulated; how it was read
};

/// An anchor over all its GPUs (or the one asked for).
struct AnchorScore {
  std::string anchor;
  std::string title;
  std::optional<double> score;  ///< share of counted checks that pass; none: nothing counted
  int counted = 0;
  int passed = 0;
  std::string note;  ///< why it is left out, or ""
};

struct AnchorReport {
  std::vector<AnchorCheck> checks;
  std::vector<AnchorScore> anchors;
  std::optional<double> score;  ///< mean over counted anchors
};

/// Called before each check; what it throws ends the run.
using BeforeCheck = std::function<void()>;

/// Runs the microbenchmark of every check.
[[nodiscard]] AnchorReport anchors(const BeforeCheck& before_check = {});

/// Those of one GPU, the profile's name says which; on the profile as it is. Throws InputError when there are none.
[[nodiscard]] AnchorReport anchors(const Profile& profile, const BeforeCheck& before_check = {});

/// The report as JSON text ending with a newline: `checks`, `anchors`, `score`.
[[nodiscard]] std::string to_json(const AnchorReport& report);

}  // namespace gpusim::validate
