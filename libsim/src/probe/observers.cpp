#include "probe/observers.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace gpusim::probe {

double Stopwatch::per_lap(std::size_t first) const {
  if (laps_.size() < first + 2) throw std::logic_error("a stopwatch needs two laps");
  return static_cast<double>(laps_.back() - laps_[first]) / static_cast<double>(laps_.size() - 1 - first);
}

std::vector<IssueLog::Entry> IssueLog::of_warp(int warp) const {
  std::vector<Entry> result;
  for (const Entry& entry : entries_)
    if (entry.warp == warp) result.push_back(entry);
  return result;
}

namespace {

/// Events before `at`, a fraction for the way from one to the next.
double position(const std::vector<std::int64_t>& events, double at) {
  const auto next = std::upper_bound(events.begin(), events.end(), at, [](double point, std::int64_t event) {
    return point < static_cast<double>(event);
  });
  if (next == events.begin()) return 0;
  const auto index = static_cast<double>(next - events.begin());
  if (next == events.end()) return index;
  const auto before = static_cast<double>(*std::prev(next));
  return index + (at - before) / (static_cast<double>(*next) - before);
}

}  // namespace

double RateMeter::over_last_half(std::int64_t end) const {
  std::int64_t first = end;
  for (const auto& track : tracks_)
    if (!track.empty()) first = std::min(first, track.front());
  if (end <= first) throw std::logic_error("nothing happened that a rate could be read of");
  const auto until = static_cast<double>(end);
  const double from = (static_cast<double>(first) + until) / 2;
  double events = 0;
  for (const auto& track : tracks_)
    if (!track.empty()) events += position(track, until) - position(track, from);
  return events / (until - from);
}

double RateMeter::while_all_issue() const {
  std::int64_t end = std::numeric_limits<std::int64_t>::max();
  for (const auto& track : tracks_)
    if (!track.empty()) end = std::min(end, track.back());
  return over_last_half(end);
}

double RateMeter::while_ctas_follow() const {
  std::int64_t end = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t at : ends_)
    if (at >= last_start_) end = std::min(end, at);
  return over_last_half(end);
}

double RateMeter::starts_per_cycle(std::int64_t slots, double skipped) const {
  double rate = 0;
  for (const auto& track : tracks_) {
    const auto starts = static_cast<std::int64_t>(track.size());
    if (starts == 0) continue;
    const auto begin = static_cast<std::int64_t>(static_cast<double>(starts) * skipped);
    const std::int64_t turns = (starts - 1 - begin) / slots;
    if (turns < 1) throw std::logic_error("too few CTAs for a rate");
    const auto at = [&](std::int64_t index) { return track[static_cast<std::size_t>(index)]; };
    const std::int64_t end = begin + turns * slots;
    rate += static_cast<double>(turns * slots) / static_cast<double>(at(end) - at(begin));
  }
  return rate;
}

}  // namespace gpusim::probe
