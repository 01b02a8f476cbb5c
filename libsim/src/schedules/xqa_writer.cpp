#include "schedules/xqa_writer.h"

#include <algorithm>

namespace gpusim::schedules {
namespace {

Layout without_warp(const Layout& layout) {
  Layout made(layout.offset());
  for (const Term& term : layout.terms())
    if (term.source != Coordinate::warp) made.add(term);
  return made;
}

}  // namespace

XqaWriter::XqaWriter(const AttentionPlan& plan)
    : plan_(plan), shape_(xqa_shape(plan)), lengths_(program_.token("lengths")), page_(program_.token("page")) {}

Layout XqaWriter::block(std::int64_t ahead, bool before_loop) const {
  Layout key = along(Coordinate::block_z, xqa_block, 1, shape_.splits) + ahead * xqa_block * shape_.splits;
  if (!before_loop) key += along(Coordinate::loop0, xqa_block * shape_.splits);
  return key;
}

Layout XqaWriter::parity(std::int64_t steps, std::int64_t step, bool before_loop) {
  if (before_loop || steps % 2 == 0) return step % 2;
  return along(Coordinate::loop0, 1, 1, 2, step);
}

Access XqaWriter::own_copy(std::int64_t rows, std::int64_t columns, int element_bytes) {
  Access access = copy_access({static_cast<int>(rows), static_cast<int>(columns)}, element_bytes, 1);
  access.row = without_warp(access.row);
  access.column = without_warp(access.column);
  return access;
}

BufferId XqaWriter::lengths_buffer() const {
  return BufferId((shape_.splits > 1 ? attention_sums.index() : attention_o.index()) + 1);
}

Layout XqaWriter::sequence() const { return along(Coordinate::block_z, 1, shape_.splits * plan_.problem.kv_heads); }

void XqaWriter::begin() {
  append_index(body(), xqa_first);
  append(body(), LoadGlobal{.from = {.buffer = lengths_buffer(), .row = sequence(), .column = {}}, .into = lengths_});
  append_index(body(), xqa_begin);
  append(body(), CtaBarrier{});
  append_index(body(), xqa_length, 1, {}, {lengths_});
}

void XqaWriter::load_page(Body& into, const Layout& place, const Guard& guard) {
  GlobalAccess pages{.buffer = BufferId(lengths_buffer().index() + 1), .row = sequence(), .column = place};
  append(into, LoadGlobal{.from = pages, .into = page_}, 1, guard);
}

void XqaWriter::copy(Body& into, BufferId buffer, TileId tile, const Access& access, const Layout& row,
                     const Layout& column, const Layout& stage, const Guard& guard) {
  append(into,
         CopyAsync{access.global(buffer, row, column, buffer == attention_q ? plan_.q_layer() : plan_.kv_layer()),
                   access.shared(tile, stage, 0, 0)},
         access.count, guard);
}

void XqaWriter::copy_piece(Body& into, BufferId buffer, TileId tile, const Access& access, const Layout& row,
                           const Layout& column, const Layout& stage, IndexCost cost, const Guard& guard) {
  append_index(into, cost, access.count, guard, {page_});
  copy(into, buffer, tile, access, row, column, stage, guard);
}

void XqaWriter::multiply(Body& into, Token a, Token b, Token c, bool b_transposed, std::int64_t columns,
                         const Guard& guard) const {
  Multiply multiply;
  multiply.a = a;
  multiply.b = b;
  multiply.c = c;
  multiply.input = plan_.problem.dtype;
  multiply.b_transposed = b_transposed;
  append(into, multiply, shape_.rows / multiply.shape.m * (columns / multiply.shape.n), guard);
}

Token XqaWriter::half(const char* name, std::int64_t step) {
  const std::string wanted = name + std::to_string(step % 2);
  const auto found = std::find(program_.tokens.begin(), program_.tokens.end(), wanted);
  return found != program_.tokens.end() ? Token(found - program_.tokens.begin()) : program_.token(wanted);
}

SharedAccess XqaWriter::row_numbers(TileId tile, const Layout& stage) const {
  return {.tile = tile,
          .stage = stage,
          .row = along(Coordinate::lane, 1, 1, shape_.rows),
          .column = {},
          .vector = 1,
          .lanes = Bound{along(Coordinate::lane), shape_.rows}};
}

std::int64_t xqa_last_barriers(const XqaShape& shape) {
  const bool merges = shape.groups() > shape.sharing();
  return (merges ? 2 : 0) + (shape.groups() > 1 ? 3 : 1);
}

}  // namespace gpusim::schedules
