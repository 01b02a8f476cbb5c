// Multiplications of fragments, and of what lies in shared memory.
#include <utility>

#include "functional/warp.h"

namespace gpusim::functional {

bool Warp::perform(const Multiply& multiply) {
  fragment(multiply.c).elements.add_product(fragment(multiply.a).elements, fragment(multiply.b).elements);
  return true;
}

bool Warp::perform(const Scale& scale) {
  const Elements* source = scale.source ? &fragment(*scale.source).elements : nullptr;
  fragment(scale.c).elements.scale(scale.alpha, scale.beta, source);
  return true;
}

Elements Warp::operand_a(const Instruction& from, const Coordinates& at) {
  const auto& a = std::get<WarpgroupMultiply>(from.operation->action).a;
  if (const auto* token = std::get_if<Token>(&a)) return fragment(*token).elements;
  return read(std::get<SharedAccess>(a), from.shared_a, from.cells_a, at);
}

Elements Warp::operand_b(const Instruction& from, const Coordinates& at) {
  return read(std::get<WarpgroupMultiply>(from.operation->action).b, from.shared, from.cells, at);
}

bool Warp::perform(const WarpgroupMultiply& multiply) {
  Fragment& c = fragment(multiply.c);
  if (c.multiplies++ == 0) c.accumulated = std::exchange(c.elements, {});
  open_multiplies_.push_back({&instruction(), at_, operand_a(instruction(), at_), operand_b(instruction(), at_)});
  return true;
}

bool Warp::perform(const WarpgroupCommit&) {
  multiply_groups_.push_back(std::exchange(open_multiplies_, {}));
  return true;
}

bool Warp::perform(const WarpgroupWait& wait) {
  while (multiply_groups_.size() > static_cast<std::size_t>(wait.pending)) {
    for (PendingMultiply& multiply : multiply_groups_.front()) finish(multiply);
    multiply_groups_.pop_front();
  }
  return true;
}

void Warp::finish(PendingMultiply& multiply) {
  // The operands may be read at any time until now: what has changed meanwhile is nothing to rely on.
  multiply.a.keep_common(operand_a(*multiply.instruction, multiply.at));
  multiply.b.keep_common(operand_b(*multiply.instruction, multiply.at));
  Fragment& c = fragment(std::get<WarpgroupMultiply>(multiply.instruction->operation->action).c);
  c.accumulated.add_product(multiply.a, multiply.b);
  if (--c.multiplies == 0) c.elements = std::exchange(c.accumulated, {});
}

}  // namespace gpusim::functional
