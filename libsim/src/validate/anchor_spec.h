// Anchors as their files describe them: what to measure, how to read it, what was published.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gpusim/validate_anchors.h"

namespace gpusim::validate {

/// How far a simulated value may be off.
struct Tolerance {
  double amount = 0;
  bool relative = false;  ///< a share of what was expected; else in its unit
  std::string text = "exact";
};

/// How a check's value follows from the probe's readings.
enum class Reading : std::uint8_t {
  value,       ///< the quantity as the probe reads it
  difference,  ///< less what it reads `against` other parameters
  ratio,       ///< over what it reads against them
  spread,      ///< largest over smallest of the sweep
  knee,        ///< where, between the sweep's two ends, it has risen by the share `threshold` of the whole step
  first,       ///< first of the sweep at which its ratio against other parameters is at least `threshold`
};

struct CheckSpec {
  std::string gpu;
  std::string quantity;  ///< as the report names it
  std::string unit;
  std::string source;
  std::string note;

  std::string probe;  ///< "": no probe can measure it
  std::map<std::string, std::string> parameters;
  std::string clock;  ///< "1410", "boost", "base", "sustained"
  std::string read;   ///< the probe's quantity

  Reading reading = Reading::value;
  std::map<std::string, std::string> against;
  std::string sweep;
  std::vector<std::string> at;
  double threshold = 0;
  double offset = 0;  ///< added to what is read: where the source begins to count

  Expected expected;
  Tolerance tolerance;
  std::string input;
};

struct AnchorSpec {
  std::string id;
  std::string title;
  std::string setup;
  std::string source;
  std::string left_out;  ///< why nothing of it is checked, or ""
  std::vector<CheckSpec> checks;
};

/// The anchors of one file. A check takes what it does not say from its anchor's "defaults"; one whose "at" and
/// "expected" are lists stands for a check each. Throws InputError with everything that is wrong.
[[nodiscard]] std::vector<AnchorSpec> parse_anchors(std::string_view text, std::string_view origin);

/// Those of the library, in order of file and place.
[[nodiscard]] std::vector<AnchorSpec> all_anchors();

}  // namespace gpusim::validate
