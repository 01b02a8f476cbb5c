#include "machine/lowering.h"

#include <stdexcept>
#include <utility>
#include <variant>

namespace gpusim::machine {

sm::Kernel Lowering::run() {
  for (const Role& role : schedule_.roles) lower_role(role);
  kernel_.warps_per_cta = warps_.first + warps_.count;
  for (const Barrier& barrier : schedule_.barriers) {
    kernel_.barriers.push_back({barrier.name, kernel_.barrier_slots, barrier.slots, barrier.arrivals});
    kernel_.barrier_slots += barrier.slots;
  }
  return std::move(kernel_);
}

void Lowering::lower_role(const Role& role) {
  warps_ = {warps_.first + warps_.count, role.warps};
  code_ = sm::Code{};
  code_.name = role.name;
  code_.first_warp = warps_.first;
  code_.warps = role.warps;
  code_.tokens = static_cast<int>(role.program.tokens.size());
  const bool counted = steps_tiles_;
  lower_body(role.program.body, 0);
  code_.counts_tiles = steps_tiles_ && !counted;
  sm::Step exit;
  exit.kind = sm::StepKind::exit;
  exit.name = "EXIT";
  code_.steps.push_back(std::move(exit));
  kernel_.role_of_warp.insert(kernel_.role_of_warp.end(), static_cast<std::size_t>(role.warps),
                              static_cast<int>(kernel_.roles.size()));
  kernel_.roles.push_back(std::move(code_));
}

void Lowering::lower_body(const std::vector<Statement>& body, std::uint8_t depth) {
  for (const Statement& statement : body) {
    if (const auto* const loop = std::get_if<Loop>(&statement))
      lower_loop(*loop, depth);
    else
      lower_operation(std::get<Operation>(statement));
  }
}

void Lowering::lower_loop(const Loop& loop, std::uint8_t depth) {
  sm::Step marker;
  marker.kind = sm::StepKind::loop_begin;
  marker.depth = depth;
  marker.trips = loop.trips;
  marker.walk = loop.walk;
  marker.turns = loop.turns;
  marker.turn = loop.turn;
  marker.steps_tiles = loop.steps_tiles;
  steps_tiles_ = steps_tiles_ || (loop.steps_tiles && loop.trips > 0);
  const std::size_t begin = code_.steps.size();
  code_.steps.push_back(marker);
  lower_body(loop.body, static_cast<std::uint8_t>(depth + 1));
  marker.kind = sm::StepKind::loop_end;
  marker.jump = static_cast<std::int32_t>(begin + 1);
  code_.steps.push_back(marker);
  code_.steps[begin].jump = static_cast<std::int32_t>(code_.steps.size());
}

void Lowering::lower_operation(const Operation& operation) {
  if (operation.count <= 0) return;
  sm::Step step;
  step.count = operation.count;
  step.name = name(operation.action);
  if (operation.guard) {
    step.guard = static_cast<std::int32_t>(kernel_.guards.size());
    kernel_.guards.push_back({operation.guard->value, operation.guard->limit});
  }
  step.serial_class = static_cast<std::uint8_t>(operation.action.index());
  std::visit([&](const auto& action) { lower_action(action, step); }, operation.action);
  if (profile_.sm.issue == IssueMode::scoreboard) step.serial_class = sm::serial_exempt;
  code_.steps.push_back(std::move(step));
}

void Lowering::use(sm::Step& step, Token token, bool chained) {
  if (step.use_count == step.uses.size()) throw std::logic_error("an operation waits for more than six fragments");
  step.uses[step.use_count++] = {static_cast<std::uint8_t>(token.index()), chained};
}

void Lowering::store(sm::Step& step, Token token) {
  use(step, token);
  step.source = static_cast<std::uint8_t>(token.index());
}

void Lowering::read_address(Token token, sm::Step& step) {
  step.address = static_cast<std::uint8_t>(token.index());
  use(step, token);
}

void Lowering::fill(sm::Step& step, Token token) {
  use(step, token);
  write(step, token);
}

}  // namespace gpusim::machine
