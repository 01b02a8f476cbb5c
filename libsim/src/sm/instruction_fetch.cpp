#include "sm/instruction_fetch.h"

#include <algorithm>

namespace gpusim::sm {
namespace {

constexpr std::int64_t instruction_bytes = 16;

/// Where a loop begins there is no instruction; its end is a branch, and comes with what follows.
std::int64_t code_bytes(const Step& step) {
  return step.kind == StepKind::loop_begin ? 0 : step.count * instruction_bytes;
}

}  // namespace

bool have_same_instructions(const Kernel& one, const Kernel& other) {
  const auto are_same = [](const Step& a, const Step& b) { return a.kind == b.kind && a.count == b.count; };
  return std::equal(one.roles.begin(), one.roles.end(), other.roles.begin(), other.roles.end(),
                    [&](const Code& a, const Code& b) {
                      return std::equal(a.steps.begin(), a.steps.end(), b.steps.begin(), b.steps.end(), are_same);
                    });
}

void InstructionFetch::begin(const Kernel& kernel, bool cold) {
  last_ = Cycle(0);
  there_.clear();
  if (!cold || (latency_ == Cycles(0) && rate_.is_unlimited())) return;
  for (const Code& code : kernel.roles) there_.emplace_back(code.steps.size(), Cycle::never());
}

/// Steps between the last one fetched and this one come with it: what a guard left out. What lies behind a loop does
/// not come with the loop's own stream.
Cycle InstructionFetch::fetch(std::int32_t role, const Code& code, std::uint32_t pc, Cycle at) {
  if (there_.empty()) return at;
  std::vector<Cycle>& there = there_[static_cast<std::size_t>(role)];
  if (there[pc] != Cycle::never()) return std::max(at, there[pc]);
  std::uint32_t first = pc;
  while (first > 0 && there[first - 1] == Cycle::never() && code.steps[first - 1].kind != StepKind::loop_end) --first;
  const bool streams = first > 0 && there[first - 1] != Cycle::never();
  Cycle begins = std::max(at + latency_, last_);
  if (streams) begins = last_;
  for (std::uint32_t step = first; step <= pc; ++step) {
    if (!rate_.is_unlimited()) {
      const std::int64_t parts = code_bytes(code.steps[step]) * rate_.period();
      begins += Cycles((parts + rate_.amount() - 1) / rate_.amount());
    }
    there[step] = begins;
  }
  last_ = begins;
  return std::max(at, begins);
}

}  // namespace gpusim::sm
