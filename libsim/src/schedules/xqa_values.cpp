// XQA's warps that add up values: each of a piece of the head, groups of them of different keys.
#include <limits>

#include "schedules/element_cost.h"
#include "schedules/xqa_writer.h"

namespace gpusim::schedules {
namespace {

constexpr std::int64_t xqa_zeros = 2;  ///< registers that an instruction clears
constexpr Dealing xqa_known{1, 1};

class XqaValues : XqaWriter {
 public:
  explicit XqaValues(const AttentionPlan& plan)
      : XqaWriter(plan),
        o_(program_.token("o")),
        greatest_(program_.token("greatest")),
        before_(program_.token("before")),
        sum_(program_.token("sum")),
        m_(program_.token("m")),
        l_(program_.token("l")),
        part_(program_.token("part")) {}

  Program write() {
    constexpr double lowest = std::numeric_limits<float>::lowest();
    begin();
    append_index(body(), xqa_page_of_values);
    load_page(body(), page(0, true), valid(0, true));
    copy_values(body(), 0, true);
    append(body(), CommitGroup{});
    for (const Token token : {o_, sum_, greatest_})
      append(body(), Arithmetic{.pipe = Pipe::alu, .reads = {}, .writes = token, .overhead = true},
             token == o_ ? share(shape_.rows, xqa_keys) / xqa_zeros : 1);
    append(body(), Map{.pipe = Pipe::alu, .into = greatest_, .a = greatest_, .term = lowest});
    append_index(body(), xqa_values_begin);
    load_page(body(), page(1, true), valid(1, true));
    Loop loop{shape_.trips(), {}, true};
    for (std::int64_t step = 0; step < shape_.steps(); ++step) add(loop.body, step);
    body().emplace_back(std::move(loop));
    if (shape_.groups() > shape_.sharing()) merge();
    leave();
    return std::move(program_);
  }

 private:
  // The warp's group, its piece of the head, its buffers.
  [[nodiscard]] Layout group() const { return along(Coordinate::warp, 1, shape_.of_group(), shape_.groups()); }
  [[nodiscard]] Layout piece() const { return along(Coordinate::warp, 1, 1, shape_.of_group()); }
  [[nodiscard]] static Layout number() { return along(Coordinate::warp, 1, 1, xqa_warps); }
  /// Of a step, whose weights they are: so many warps' side by side, from the first on.
  [[nodiscard]] std::int64_t sources() const { return shape_.groups() / shape_.sharing(); }
  [[nodiscard]] std::int64_t first_source(std::int64_t step) const {
    return shape_.groups() == 1 ? step / shape_.halves() : step * sources();
  }
  [[nodiscard]] Layout source(std::int64_t step) const {
    return along(Coordinate::warp, 1, shape_.of_group() * shape_.sharing(), sources()) + first_source(step);
  }
  [[nodiscard]] bool is_first(std::int64_t step) const { return shape_.groups() > 1 || step % shape_.halves() == 0; }
  [[nodiscard]] bool is_last(std::int64_t step) const { return is_first(step + 1); }
  /// Holds where those have keys at all.
  [[nodiscard]] Bound valid(std::int64_t step, bool before_loop = false) const {
    const std::int64_t ahead = step / shape_.steps();
    return {block(ahead, before_loop) + source(step % shape_.steps()) * xqa_keys, plan_.problem.keys};
  }

  [[nodiscard]] Layout page(std::int64_t step, bool before_loop) const {
    constexpr std::int64_t of_block = xqa_block / xqa_page_keys;
    const std::int64_t of_step = shape_.piece * shape_.groups() / xqa_page_keys;
    const std::int64_t first = divided_up(plan_.problem.keys, xqa_page_keys) +
                               step / shape_.steps() * of_block * shape_.splits +
                               step % shape_.steps() * shape_.piece * shape_.groups() / xqa_page_keys;
    Layout place = along(Coordinate::block_z, of_block, 1, shape_.splits) + first;
    if (!before_loop) place += along(Coordinate::loop0, of_block * shape_.splits);
    if (of_step > 1) place += along(Coordinate::warp, 1, xqa_warps / of_step, of_step);
    return place;
  }
  void copy_values(Body& into, std::int64_t step, bool before_loop) {
    const std::int64_t ahead = step / shape_.steps();
    const Layout key =
        block(ahead, before_loop) + group() * shape_.piece + step % shape_.steps() * shape_.piece * shape_.groups();
    const Layout stage = number() * 2 + parity(shape_.steps(), step, before_loop);
    copy_piece(into, attention_v, xqa_v, own_copy(shape_.piece, xqa_keys, element_bytes()), key, piece() * xqa_keys,
               stage, xqa_copy, before_loop ? Guard() : valid(step - 1));
  }

  void add(Body& into, std::int64_t step) {
    const Bound inside = valid(step);
    append_index(into, xqa_values_step, 1, inside);
    copy_values(into, step + 1, false);
    append(into, CommitGroup{}, 1, inside);
    load_page(into, page(step + 2, false), valid(step + 2));
    if (is_first(step)) follow_maximum(into, step);
    append(into, WaitGroup{1}, 1, inside);
    if (step == 0) append_index(into, xqa_values_first, 1, inside);
    append_index(into, xqa_values_part, shape_.piece / xqa_depth, inside);
    const Access of_x = matrix_access({static_cast<int>(shape_.rows), xqa_depth}, element_bytes());
    const Access of_v = matrix_access({xqa_depth, xqa_keys}, element_bytes());
    const Layout weights = group() + step * shape_.groups();
    const Layout values = number() * 2 + parity(shape_.steps(), step, false);
    for (std::int64_t part = 0; part < shape_.piece / xqa_depth; ++part) {
      const Token x = half("x", part);
      const Token v = half("v", part);
      append(into, LoadShared{of_x.shared(xqa_x, weights, 0, part * xqa_depth), x, SharedRead::ldmatrix}, of_x.count,
             inside);
      append(into, by_row(x, m_), divided_up(share(shape_.rows, xqa_depth), narrowed_per_instruction), inside);
      append(into, LoadShared{of_v.shared(xqa_v, values, part * xqa_depth, 0), v, SharedRead::ldmatrix_trans},
             of_v.count, inside);
      multiply(into, x, v, o_, false, xqa_keys, inside);
    }
    if (is_last(step)) append(into, BarrierArrive{{xqa_consumed, source(step)}, {}, {}}, 1, inside);
  }

  /// What is there so far, and the new weights, are scaled to the greater maximum of both.
  void follow_maximum(Body& into, std::int64_t step) {
    const Bound inside = valid(step);
    append(into, BarrierWait{{xqa_produced, source(step)}, along(Coordinate::loop0)}, 1, inside);
    append(into, LoadShared{row_numbers(xqa_maxima, source(step)), m_}, 1, inside);
    append(into, LoadShared{row_numbers(xqa_sums, source(step)), l_}, 1, inside);
    append_index(into, xqa_maximum, 1, inside, {m_});
    join(into, inside);
    // A row's number goes from its lane to the four that have its elements, of the weights and of the output.
    for (int i = 0; i < 2; ++i)
      append(into, Shuffle{.into = part_, .from = before_, .distance = 1}, thread_rows(), inside);
    append(into, by_row(o_, before_), share(shape_.rows, xqa_keys), inside);
  }
  /// m, l and greatest, sum: factors of what was there in `before`, of the other in m.
  void join(Body& into, const Guard& guard) {
    const double scale = plan_.scale();
    append(into, Map{.pipe = Pipe::alu, .into = before_, .a = greatest_}, 1, guard);
    append(into,
           Map{.pipe = Pipe::alu, .into = greatest_, .a = greatest_, .b = m_, .combination = Combination::maximum}, 1,
           guard);
    for (const Token factor : {before_, m_}) {
      append(into, Map{.into = factor, .a = factor, .b = greatest_, .alpha = scale, .beta = -scale}, 1, guard);
      append(into, Map{.pipe = Pipe::sfu, .into = factor, .a = factor, .function = Function::exp2}, 1, guard);
    }
    append(into, Map{.into = sum_, .a = sum_, .b = before_, .combination = Combination::product}, 1, guard);
    append(into, Map{.into = l_, .a = l_, .b = m_, .combination = Combination::product}, 1, guard);
    append(into, Map{.into = sum_, .a = sum_, .b = l_}, 1, guard);
  }
  static Map by_row(Token x, Token of_row) {
    return {.into = x,
            .a = x,
            .b = of_row,
            .combination = Combination::product,
            .b_from = BroadcastFrom::row,
            .dealing = xqa_known};
  }

  /// Groups that had other keys tell their maxima and sums.
  void merge() {
    append(body(), CtaBarrier{});
    append_index(body(), xqa_merge);
    const Bound one_of_group{piece(), 1};
    append(body(), StoreShared{row_numbers(xqa_maxima, group()), greatest_, {}, {}}, 1, one_of_group);
    append(body(), StoreShared{row_numbers(xqa_sums, group()), sum_, {}, {}}, 1, one_of_group);
    append(body(), CtaBarrier{});
    for (std::int64_t other = shape_.sharing(); other < shape_.groups(); other += shape_.sharing()) {
      const Layout theirs = along(Coordinate::warp, 1, shape_.of_group(), shape_.groups(), other * shape_.of_group());
      append(body(), LoadShared{row_numbers(xqa_maxima, theirs), m_});
      append(body(), LoadShared{row_numbers(xqa_sums, theirs), l_});
      join(body(), std::nullopt);
      append(body(), by_row(o_, before_), share(shape_.rows, xqa_keys));
    }
  }

  /// Through shared memory, where groups add up; then whole rows.
  void leave() {
    const bool split = shape_.splits > 1;
    if (!split) {
      append_index(body(), xqa_quotient);
      append(body(), Map{.pipe = Pipe::sfu, .into = before_, .a = sum_, .function = Function::reciprocal});
      append(body(), by_row(o_, before_), share(shape_.rows, xqa_keys));
    }
    const Access all = mma_store_access({static_cast<int>(shape_.rows), static_cast<int>(xqa_keys)});
    append(body(), CtaBarrier{});
    append_index(body(), xqa_output, shape_.rows / xqa_counted_rows);
    append(body(), StoreShared{all.shared(xqa_out, number(), 0, 0), o_, {}, {}}, all.count);
    for (int i = 0; i < (shape_.groups() > 1 ? 2 : 0); ++i) append(body(), CtaBarrier{});
    const std::int64_t rows = shape_.rows / shape_.groups();
    const Access copied = own_copy(rows, xqa_keys, size_of(DType::fp32));
    const Layout first = group() * rows;
    for (std::int64_t other = 0; other < shape_.groups(); ++other) {
      const Token into = other == 0 ? o_ : part_;
      append(body(), LoadShared{copied.shared(xqa_out, piece() + other * shape_.of_group(), first, 0), into},
             copied.count);
      if (other > 0) append(body(), Map{.into = o_, .a = o_, .b = part_}, share(rows, xqa_keys));
    }
    if (!split) append_conversion(body(), o_, divided_up(share(rows, xqa_keys), narrowed_per_instruction));
    append_index(body(), xqa_store);
    append(body(),
           StoreGlobal{.to = copied.global(attention_o, first, piece() * xqa_keys, plan_.result_layer()),
                       .from = o_,
                       .origin_row = {},
                       .origin_column = piece() * xqa_keys},
           copied.count);
    if (!split) return;
    GlobalAccess number_of_row{.buffer = attention_maxima, .row = along(Coordinate::lane), .column = {}};
    number_of_row.lanes = Bound{along(Coordinate::lane), shape_.rows};
    number_of_row.layer = plan_.result_layer();
    append(body(), StoreGlobal{.to = number_of_row, .from = greatest_}, 1, Bound{number(), 1});
    number_of_row.buffer = attention_sums;
    append(body(), StoreGlobal{.to = number_of_row, .from = sum_}, 1, Bound{number(), 1});
  }
  Token o_, greatest_, before_, sum_, m_, l_, part_;
};

}  // namespace

Program xqa_values_program(const AttentionPlan& plan) { return XqaValues(plan).write(); }

}  // namespace gpusim::schedules
