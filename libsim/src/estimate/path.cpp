#include "estimate/path.h"

#include <algorithm>

namespace gpusim::estimate {

std::size_t Ledger::index_of(std::string_view field, std::string_view what, Cycles each) {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.each == each && entry.field == field && entry.what == what;
  });
  if (found != entries_.end()) return static_cast<std::size_t>(found - entries_.begin());
  entries_.push_back({std::string(field), std::string(what), each});
  return entries_.size() - 1;
}

void Ledger::extend(Path& path, std::string_view field, std::string_view what, Cycles each, std::int64_t count) {
  if (each.count() == 0 || count == 0) return;
  path.time_ += each.count() * count;
  if (!keeps_terms_) return;
  const std::size_t term = index_of(field, what, each);
  const auto known =
      std::find_if(path.steps_.begin(), path.steps_.end(), [&](const Path::Step& step) { return step.term == term; });
  if (known != path.steps_.end()) {
    known->count += count;
  } else {
    path.steps_.push_back({term, count});
  }
}

void Ledger::extend(Path& path, const Pace& pace, std::int64_t count) {
  if (pace.cycles % pace.instructions == 0) {
    extend(path, pace.field, pace.what, Cycles(pace.cycles / pace.instructions), count);
  } else {
    const std::int64_t total = (pace.cycles * count + pace.instructions - 1) / pace.instructions;
    extend(path, pace.field, pace.what, Cycles(1), total);
  }
}

std::vector<PathTerm> Ledger::terms(const Path& path) const {
  std::vector<PathTerm> terms;
  for (const Path::Step& step : path.steps()) {
    const Entry& entry = entries_[step.term];
    terms.push_back({entry.field, entry.what, entry.each, step.count});
  }
  return terms;
}

}  // namespace gpusim::estimate
