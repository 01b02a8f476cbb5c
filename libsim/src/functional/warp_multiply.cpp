// Multiplications of fragments, and of what lies in shared memory.
#include <utility>

#include "functional/warp.h"

namespace gpusim::functional {
namespace {

/// The elements, or `made` of them: unpacked, transposed.
const Elements& oriented(const Elements& elements, bool packed, bool transposed, Elements& made) {
  if (!packed && !transposed) return elements;
  made = packed ? elements.unpacked() : elements;
  if (transposed) made = made.transposed();
  return made;
}

}  // namespace

bool Warp::perform(const Multiply& multiply) {
  Elements turned_a;
  Elements turned_b;
  const bool packed = is_dot_product(multiply);
  const Elements& a = oriented(fragment(multiply.a).elements, packed, multiply.a_transposed, turned_a);
  const Elements& b = oriented(fragment(multiply.b).elements, packed, multiply.b_transposed, turned_b);
  Fragment& c = fragment(multiply.c);
  if (multiply.sparse)
    c.elements.add_product(a.spread(), b);
  else
    c.elements.add_product(a, b);
  c.lane_values.clear();
  return true;
}

bool Warp::perform(const Scale& scale) {
  const auto elements = [this](const std::optional<Token>& token) {
    return token ? &fragment(*token).elements : nullptr;
  };
  Fragment& c = fragment(scale.c);
  const Elements* source = elements(scale.source);
  Elements multiplied;
  if (source != nullptr && scale.factors) {
    multiplied = source->times(*scale.factors, fragment(scale.factors->rows).elements,
                               fragment(scale.factors->columns).elements, at_);
    source = &multiplied;
  }
  c.elements.scale(scale, source, elements(scale.bias));
  c.lane_values.clear();
  return true;
}

Elements Warp::operand_a(const Instruction& from, const Coordinates& at) {
  const auto& multiply = std::get<WarpgroupMultiply>(from.operation->action);
  const auto* token = std::get_if<Token>(&multiply.a);
  Elements turned;
  Elements a = token != nullptr
                   ? oriented(fragment(*token).elements, false, multiply.a_transposed, turned)
                   : read(std::get<SharedAccess>(multiply.a), from.shared_a, from.cells_a, at, multiply.a_transposed);
  if (!multiply.metadata) return a;
  return a.spread(fragment(multiply.metadata->fragment).elements, multiply.metadata->words);
}

Elements Warp::operand_b(const Instruction& from, const Coordinates& at) {
  const auto& multiply = std::get<WarpgroupMultiply>(from.operation->action);
  return read(multiply.b, from.shared, from.cells, at, multiply.b_transposed);
}

bool Warp::perform(const WarpgroupMultiply& multiply) {
  Fragment& c = fragment(multiply.c);
  if (c.multiplies++ == 0) c.accumulated = std::exchange(c.elements, {});
  c.lane_values.clear();
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
  const auto& action = std::get<WarpgroupMultiply>(multiply.instruction->operation->action);
  Fragment& c = fragment(action.c);
  if (action.c_transposed)
    c.accumulated.add_product(multiply.b.transposed(), multiply.a.transposed());
  else
    c.accumulated.add_product(multiply.a, multiply.b);
  if (--c.multiplies == 0) c.elements = std::exchange(c.accumulated, {});
}

}  // namespace gpusim::functional
