#include "validate/anchor_check.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "gpusim/error.h"
#include "validate/anchor_size.h"

namespace gpusim::validate {

namespace {

/// A knee is known when its two sides are no further apart than this.
constexpr double knee_width = 1.01;

/// A check's probe, at any of its points.
class Subject {
 public:
  Subject(const CheckSpec& spec, const Profile& profile, Readings& readings)
      : spec_(spec), profile_(profile), readings_(readings) {}

  double simulated() {
    switch (spec_.reading) {
      case Reading::difference:
        return value() - value_against({});
      case Reading::ratio:
        return value() / value_against({});
      case Reading::spread:
        return spread();
      case Reading::knee:
        return knee();
      case Reading::first:
        return first();
      case Reading::value:
        break;
    }
    return value();
  }

 private:
  using Parameters = std::map<std::string, std::string>;

  double read(Parameters parameters) {
    return readings_.read(profile_, {spec_.probe, std::move(parameters), clock_mhz()}, spec_.read);
  }

  double value() { return read(spec_.parameters); }

  double value_at(const std::string& place) {
    Parameters parameters = spec_.parameters;
    parameters[spec_.sweep] = place;
    return read(std::move(parameters));
  }

  /// With the other parameters; those of the sweep, where it has `place`, unless they say otherwise.
  double value_against(const std::string& place) {
    Parameters parameters = spec_.parameters;
    if (!place.empty()) parameters[spec_.sweep] = place;
    for (const auto& [key, other] : spec_.against) parameters[key] = other;
    return read(std::move(parameters));
  }

  double spread() {
    double least = value_at(spec_.at.front());
    double most = least;
    for (const std::string& place : spec_.at) {
      const double now = value_at(place);
      least = std::min(least, now);
      most = std::max(most, now);
    }
    return most / least;
  }

  /// Bisects sizes between the two ends. In units of the check ("20" for MiB).
  double knee() {
    double before = bytes_from(spec_.at.front());
    double after = bytes_from(spec_.at.back());
    const double low = value_at(spec_.at.front());
    const double risen = low + spec_.threshold * (value_at(spec_.at.back()) - low);
    while (after / before > knee_width) {
      const std::string place = whole_kibibytes(std::sqrt(before * after));
      const double between = bytes_from(place);
      if (between <= before || between >= after) break;  // no whole KiB is left between them
      (value_at(place) > risen ? after : before) = between;
    }
    return std::sqrt(before * after) / bytes_from("1" + spec_.unit);
  }

  double first() {
    for (const std::string& place : spec_.at) {
      if (value_at(place) / value_against(place) >= spec_.threshold) return std::stod(place);
    }
    throw InputError({Problem{spec_.quantity, "is not reached at " + spec_.at.back()}});
  }

  std::optional<std::int64_t> clock_mhz() const {
    if (spec_.clock.empty() || spec_.clock == "boost") return profile_.clock.boost_mhz;
    if (spec_.clock == "base") return profile_.clock.base_mhz;
    if (spec_.clock == "sustained") return profile_.clock.sustained_mhz;
    return std::stoll(spec_.clock);
  }

  const CheckSpec& spec_;
  const Profile& profile_;
  Readings& readings_;
};

}  // namespace

double percent_error(Expected expected, double simulated) {
  const double nearer = std::clamp(simulated, expected.low, expected.high);
  return 100 * (simulated / nearer - 1);
}

bool is_within(Expected expected, const Tolerance& tolerance, double simulated) {
  constexpr double rounding = 1e-9;
  const double nearer = std::clamp(simulated, expected.low, expected.high);
  const double allowed = tolerance.relative ? tolerance.amount * std::abs(nearer) : tolerance.amount;
  return std::abs(simulated - nearer) <= allowed + rounding;
}

AnchorCheck run_check(const CheckSpec& spec, const Profile& profile, Readings& readings) {
  AnchorCheck check;
  check.gpu = spec.gpu;
  check.quantity = spec.quantity;
  check.unit = spec.unit;
  check.expected = spec.expected;
  check.tolerance = spec.tolerance.text;
  check.input = spec.input;
  check.source = spec.source;
  check.note = spec.note;
  if (!spec.probe.empty()) {
    try {
      check.simulated = Subject(spec, profile, readings).simulated() + spec.offset;
    } catch (const InputError& error) {
      check.note = error.what();
    }
  }
  if (check.simulated) check.error = percent_error(spec.expected, *check.simulated);
  const bool passes = check.simulated && is_within(spec.expected, spec.tolerance, *check.simulated);
  check.verdict = !passes ? Verdict::miss : spec.input.empty() ? Verdict::pass : Verdict::input;
  return check;
}

}  // namespace gpusim::validate
