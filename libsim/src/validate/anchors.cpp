// All anchors: which GPUs, in which order, and what they score.
#include "validate/anchors.h"

#include <array>
#include <map>
#include <set>

#include "gpusim/error.h"
#include "gpusim/profile_io.h"
#include "validate/anchor_check.h"
#include "validate/anchor_measure.h"

namespace gpusim::validate {

namespace {

/// Profiles by name, each loaded once.
class Profiles {
 public:
  const Profile& operator[](const std::string& name) {
    const auto found = known_.find(name);
    return found != known_.end() ? found->second : known_.emplace(name, load_profile(name)).first->second;
  }
  void add(Profile profile) { known_.insert_or_assign(profile.name, std::move(profile)); }

 private:
  std::map<std::string, Profile> known_;
};

std::string gpus_with_anchors(const std::vector<AnchorSpec>& specs) {
  std::set<std::string> names;
  for (const AnchorSpec& anchor : specs)
    for (const CheckSpec& check : anchor.checks) names.insert(check.gpu);
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

AnchorScore score_of(const AnchorSpec& spec, const std::vector<AnchorCheck>& checks) {
  AnchorScore score{spec.id, spec.title, std::nullopt, 0, 0, spec.left_out};
  for (const AnchorCheck& check : checks) {
    if (check.anchor != spec.id || !check.input.empty()) continue;
    ++score.counted;
    score.passed += check.verdict == Verdict::pass ? 1 : 0;
  }
  if (score.counted > 0) score.score = static_cast<double>(score.passed) / score.counted;
  return score;
}

void add_mean(AnchorReport& report) {
  double sum = 0;
  int counted = 0;
  for (const AnchorScore& anchor : report.anchors) {
    if (!anchor.score) continue;
    sum += *anchor.score;
    ++counted;
  }
  if (counted > 0) report.score = sum / counted;
}

}  // namespace

std::string_view name(Verdict verdict) {
  constexpr std::array<std::string_view, 3> names{"pass", "miss", "input"};
  return names[static_cast<std::size_t>(verdict)];
}

AnchorReport run_anchors(const std::vector<AnchorSpec>& specs, const Profile* gpu, const Measure& measure,
                         const BeforeCheck& before_check) {
  Profiles profiles;
  if (gpu != nullptr) profiles.add(*gpu);
  Readings readings(measure);
  AnchorReport report;
  for (const AnchorSpec& anchor : specs) {
    bool concerned = gpu == nullptr;
    for (const CheckSpec& check : anchor.checks) {
      if (gpu != nullptr && check.gpu != gpu->name) continue;
      concerned = true;
      if (before_check) before_check();
      report.checks.push_back(run_check(check, profiles[check.gpu], readings));
      report.checks.back().anchor = anchor.id;
    }
    if (concerned) report.anchors.push_back(score_of(anchor, report.checks));
  }
  if (gpu != nullptr && report.checks.empty()) {
    throw InputError({Problem{
        gpu->name, "no measured microbenchmark of this GPU is known; there are some of " + gpus_with_anchors(specs)}});
  }
  add_mean(report);
  return report;
}

AnchorReport anchors(const BeforeCheck& before_check) {
  return run_anchors(all_anchors(), nullptr, measure_anchor, before_check);
}

AnchorReport anchors(const Profile& profile, const BeforeCheck& before_check) {
  return run_anchors(all_anchors(), &profile, measure_anchor, before_check);
}

}  // namespace gpusim::validate
