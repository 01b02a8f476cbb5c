#include "schedule/register_problems.h"

#include <algorithm>
#include <optional>
#include <string>

#include "schedule/needs.h"
#include "schedule/number_text.h"

namespace gpusim::schedule {
namespace {

void check_launch(const Schedule& schedule, const Profile& profile, std::vector<Problem>& problems) {
  const int registers = schedule.registers_per_thread;
  if (registers > profile.sm.registers_per_thread) {
    problems.push_back({"schedule.registers", "a thread needs " + text(registers) + " registers; it may have " +
                                                  text(profile.sm.registers_per_thread)});
    return;
  }
  const std::int64_t needed = registers_per_cta(schedule, profile);
  if (profile.sm.registers.admits(needed)) return;
  const std::int64_t warp = profile.sm.registers.value() / warps_per_cta(schedule);
  const std::int64_t fit = warp / profile.sm.register_granule * profile.sm.register_granule / 32;
  problems.push_back({"schedule.registers", text(warps_per_cta(schedule)) + " warps of " + text(registers) +
                                                " registers a thread need " + text(needed) + " registers; an SM has " +
                                                text(profile.sm.registers.value()) + ", " + text(fit) +
                                                " for each of their threads"});
}

/// The registers a thread has when all of the body has run, where it changes them.
std::optional<int> last_reallocation(const std::vector<Statement>& body) {
  std::optional<int> last;
  for (const Statement& statement : body) {
    std::optional<int> here;
    if (const auto* loop = std::get_if<Loop>(&statement))
      here = last_reallocation(loop->body);
    else if (const auto* change = std::get_if<RegisterReallocate>(&std::get<Operation>(statement).action))
      here = change->registers;
    if (here) last = here;
  }
  return last;
}

/// What warps give back is there for others of the same CTA; nothing else is.
void check_reallocation(const Schedule& schedule, const Profile& profile, std::vector<Problem>& problems) {
  constexpr std::int64_t lanes = 32;
  constexpr std::int64_t step = 8;
  bool changes = false;
  std::int64_t needed = 0;
  const Role* largest = nullptr;
  std::int64_t most = 0;
  for (const Role& role : schedule.roles) {
    const std::optional<int> last = last_reallocation(role.program.body);
    changes = changes || last.has_value();
    const std::int64_t registers = last.value_or(schedule.registers_per_thread);
    needed += role.warps * registers_per_warp(registers, profile);
    if (!last || registers <= most) continue;
    most = registers;
    largest = &role;
  }
  if (!changes) return;
  if (!profile.tensor.wgmma) {
    problems.push_back(
        {"schedule.registers", "the GPU has no setmaxnreg: that comes with warp-group multiplies (wgmma)"});
    return;
  }
  const std::int64_t there = registers_per_cta(schedule, profile);
  if (needed <= there) return;
  const std::int64_t share = largest->warps * lanes * step;
  const std::int64_t fit = most - (needed - there + share - 1) / share * step;
  problems.push_back(
      {"schedule.registers",
       "after setmaxnreg the CTA's warps have " + text(needed) + " registers; it was started with " + text(there) +
           (fit > 0 ? "; with " + text(fit) + " a thread of '" + largest->name + "' they would fit" : "")});
}

}  // namespace

void register_problems(const Schedule& schedule, const Profile& profile, std::vector<Problem>& problems) {
  check_launch(schedule, profile, problems);
  check_reallocation(schedule, profile, problems);
}

}  // namespace gpusim::schedule
