// memory-op: what one memory instruction takes. issue: how fast several issue.
#include <algorithm>
#include <stdexcept>

#include "gpusim/schedules/probes.h"
#include "probe/kind.h"
#include "probe/observers.h"

namespace gpusim::probe {

namespace {

using schedules::MemoryOp;
using Then = schedules::MemoryOperation::Then;

const std::vector<std::string>& op_names() {
  static const std::vector<std::string> names{"ldg", "lds", "stg", "sts", "ldc", "ldgsts"};
  return names;
}

/// From the measured instruction, the first after the barrier, to the last.
double to_last(const Bench& bench, schedules::MemoryOperation operation, Then then) {
  operation.then = then;
  IssueLog log;
  (void)bench.run({schedules::memory_operation(operation)}, L2State::cold, &log);
  const std::vector<IssueLog::Entry> entries = log.of_warp(0);
  const auto barrier =
      std::find_if(entries.begin(), entries.end(), [](const auto& entry) { return entry.operation == "BAR"; });
  if (entries.end() - barrier < 3) throw std::logic_error("the measured instruction was not issued");
  return static_cast<double>(entries.back().at - std::next(barrier)->at);
}

std::string lack_op(const Profile& profile, const Values& values) {
  return values.is("op", "ldgsts") && !profile.async_copy ? "it has no asynchronous copies (cp.async)" : "";
}

Quantities measure_op(const Bench& bench, Values& values) {
  schedules::MemoryOperation operation;
  const auto found = std::find(op_names().begin(), op_names().end(), values.text("op"));
  operation.op = static_cast<MemoryOp>(found - op_names().begin());
  operation.width = static_cast<int>(values.number("width"));
  operation.uniform = values.is("address", "uniform");
  const bool stores = operation.op == MemoryOp::stg || operation.op == MemoryOp::sts;
  const bool immediate = operation.op == MemoryOp::ldc && operation.uniform;
  Quantities quantities;
  if (!stores) quantities.push_back({"raw", to_last(bench, operation, Then::use_result), "cycles"});
  if (!immediate) {
    double war = to_last(bench, operation, Then::overwrite_address);
    if (stores) war = std::max(war, to_last(bench, operation, Then::overwrite_data));
    quantities.push_back({"war", war, "cycles"});
  }
  return quantities;
}

Curve op_curve(const Profile& profile, const Curve&) {
  Curve curve{{"op", {"ldg", "lds", "stg", "sts"}}, {"width", {"32", "64", "128"}}, {"address", {"uniform", "lanes"}}};
  if (profile.async_copy) curve["op"].emplace_back("ldgsts");
  return curve;
}

Quantities measure_issue(const Bench& bench, Values& values) {
  constexpr double first_cycle = 2;  // as the published table counts
  schedules::LoadBurst burst;
  burst.loads = static_cast<int>(values.number("load"));
  burst.warps = static_cast<int>(values.number("sub_partitions"));
  if (burst.warps > bench.profile().sm.sub_partitions)
    refuse("sub_partitions", "an SM has " + std::to_string(bench.profile().sm.sub_partitions));
  IssueLog log;
  (void)bench.run({schedules::load_burst(burst)}, L2State::cold, &log);
  std::int64_t begin = 0;
  std::vector<double> issued;
  for (int warp = 0; warp < burst.warps; ++warp) {
    const std::vector<IssueLog::Entry> entries = log.of_warp(warp);
    const std::int64_t first = entries[entries.size() - static_cast<std::size_t>(burst.loads)].at;
    begin = warp == 0 ? first : std::min(begin, first);
    issued.push_back(static_cast<double>(entries.back().at));
  }
  const auto [earliest, latest] = std::minmax_element(issued.begin(), issued.end());
  const double origin = static_cast<double>(begin) - first_cycle;
  return {{"first", *earliest - origin, "cycle"}, {"last", *latest - origin, "cycle"}};
}

Curve issue_curve(const Profile& profile, const Curve&) {
  Curve curve;
  for (int load = 1; load <= 8; ++load) curve["load"].push_back(std::to_string(load));
  for (std::int64_t part = 1; part <= profile.sm.sub_partitions; ++part)
    curve["sub_partitions"].push_back(std::to_string(part));
  return curve;
}

}  // namespace

Kind memory_op_kind() {
  return {"memory-op",
          "one memory instruction: load to use (raw), and issue to overwriting its registers (war)",
          "arXiv:2503.20481 (Huerta et al.), table 2",
          {word("op", "the instruction", op_names()), word("width", "bits a lane", {"32", "64", "128"}),
           word("address", "in lanes' registers, or uniform (ldc: immediate)", {"lanes", "uniform"})},
          {{"raw", "cycles"}, {"war", "cycles"}},
          lack_op,
          measure_op,
          op_curve};
}

Kind issue_kind() {
  return {"issue",
          "cycle in which the n-th of independent loads issues; the first issues in cycle 2",
          "arXiv:2503.20481 (Huerta et al.), table 1",
          {number("load", "which load", "6", 1, 64),
           number("sub_partitions", "sub-partitions that issue so many loads at the same time", "1", 1, 16)},
          {{"first", "cycle"}, {"last", "cycle"}},
          nullptr,
          measure_issue,
          issue_curve};
}

}  // namespace gpusim::probe
