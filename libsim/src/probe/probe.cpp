// Points to readings: names resolved, GPUs that cannot refused.
#include "gpusim/probe.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "clocks.h"
#include "gpusim/profile_io.h"
#include "probe/kind.h"

namespace gpusim {

namespace {

const probe::Kind& kind_named(std::string_view name) {
  std::vector<std::string> names;
  for (const probe::Kind& kind : probe::kinds()) {
    if (kind.name == name) return kind;
    names.push_back(kind.name);
  }
  throw ScheduleError(
      {Problem{"probe", "there is no probe '" + std::string(name) + "'" + probe::choices_text(name, names)}});
}

/// Built-in GPUs that can run the point.
std::string able(const probe::Kind& kind, const probe::Values& values) {
  std::string names;
  for (const ProfileName& each : list_profiles())
    if (kind.lack(load_profile(each.name), values).empty()) names += (names.empty() ? "" : ", ") + each.name;
  return names.empty() ? "none of the built-in GPUs can" : names + " can";
}

ProbeReading read(const Profile& profile, const ProbePoint& point, const std::function<bool()>& stop) {
  const probe::Kind& kind = kind_named(point.kind);
  std::vector<Problem> problems;
  if (point.clock_mhz)
    if (const auto problem = problem_of_clock(*point.clock_mhz)) problems.push_back(*problem);
  probe::Values values(kind.parameters, point.parameters, problems);
  if (!problems.empty()) throw ScheduleError(std::move(problems));
  if (kind.lack != nullptr) {
    const std::string lack = kind.lack(profile, values);
    if (!lack.empty())
      throw ScheduleError(
          {Problem{"probe " + kind.name, profile.name + " cannot run it: " + lack + "; " + able(kind, values)}});
  }
  const probe::Bench bench(profile, point.clock_mhz, stop);
  ProbeReading reading;
  reading.quantities = kind.measure(bench, values);
  reading.point = {kind.name, values.all(), bench.clock_mhz()};
  return reading;
}

}  // namespace

double ProbeReading::operator[](std::string_view name) const {
  for (const ProbeQuantity& quantity : quantities)
    if (quantity.name == name) return quantity.value;
  throw std::logic_error("probe " + point.kind + " has no quantity '" + std::string(name) + "'");
}

ProbeReading measure(const Profile& profile, const ProbePoint& point) { return read(profile, point, {}); }

std::optional<ProbeReading> measure(const Profile& profile, const ProbePoint& point,
                                    const std::function<bool()>& stop) {
  try {
    return read(profile, point, stop);
  } catch (const probe::Stopped&) {
    return std::nullopt;
  }
}

const std::vector<ProbeKind>& probe_kinds() {
  static const std::vector<ProbeKind> all = [] {
    std::vector<ProbeKind> described;
    for (const probe::Kind& kind : probe::kinds()) {
      ProbeKind& each = described.emplace_back(ProbeKind{kind.name, kind.title, kind.mirrors, {}, kind.quantities});
      for (const probe::Parameter& parameter : kind.parameters) each.parameters.push_back(parameter.description);
    }
    return described;
  }();
  return all;
}

std::vector<ProbePoint> sweep(const Profile& profile, std::string_view kind_name,
                              const std::map<std::string, std::vector<std::string>>& overrides) {
  const probe::Kind& kind = kind_named(kind_name);
  probe::Curve curve = kind.curve(profile, overrides);
  std::vector<Problem> problems;
  for (const auto& [name, values] : overrides) {
    if (values.empty()) problems.push_back({name, "it needs a value"});
    for (const std::string& value : values) (void)probe::Values(kind.parameters, {{name, value}}, problems);
    curve[name] = values;
  }
  if (!problems.empty()) throw ScheduleError(std::move(problems));

  std::vector<ProbePoint> points{{kind.name, {}, {}}};
  for (const probe::Parameter& parameter : kind.parameters) {
    const auto found = curve.find(parameter.description.name);
    if (found == curve.end()) continue;
    std::vector<ProbePoint> longer;
    for (const ProbePoint& point : points)
      for (const std::string& value : found->second) {
        longer.push_back(point);
        longer.back().parameters[found->first] = value;
      }
    points = std::move(longer);
  }
  return points;
}

std::optional<std::int64_t> probe_bytes(std::string_view size) {
  const std::int64_t bytes = probe::bytes_of(size);
  return bytes < 0 ? std::nullopt : std::optional(bytes);
}

namespace probe {

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all{latency_kind(), bandwidth_kind(), stride_kind(),  shared_kind(), memory_op_kind(),
                                     issue_kind(),   l2_kind(),        noc_kind(),     dram_kind(),   tma_kind(),
                                     dsm_kind(),     registers_kind(), mma_kind(),     wgmma_kind(),  barrier_kind(),
                                     atomic_kind(),  launch_kind(),    dispatch_kind()};
  return all;
}

}  // namespace probe

}  // namespace gpusim
