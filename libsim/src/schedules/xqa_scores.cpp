// XQA's warps that make scores: each of keys of its own, which it copies in pieces of the head.
#include "schedules/xqa_writer.h"

namespace gpusim::schedules {
namespace {

constexpr Dealing xqa_dealing{2, 4};
constexpr std::int64_t xqa_compared = 2;
constexpr std::int64_t xqa_copied = xqa_warps * lanes_per_warp * 16;  ///< bytes, of an instruction of four warps

class XqaScores : XqaWriter {
 public:
  explicit XqaScores(const AttentionPlan& plan)
      : XqaWriter(plan),
        s_(program_.token("s")),
        m_(program_.token("m")),
        l_(program_.token("l")),
        other_(program_.token("other")) {}

  Program write() {
    begin();
    append_index(body(), xqa_query);
    append_index(body(), xqa_query_copy, shape_.rows * shape_.head * element_bytes() / xqa_copied);
    for (std::int64_t part = 0; part < shape_.parts(); ++part)
      copy(body(), attention_q, xqa_q,
           copy_access({static_cast<int>(shape_.rows), static_cast<int>(shape_.piece)}, element_bytes(), xqa_warps), 0,
           part * shape_.piece, part, std::nullopt);
    append(body(), CommitGroup{});
    append_index(body(), xqa_page_of_keys);
    load_page(body(), page(0, true), valid(0, true));
    copy_keys(body(), 0, 0, true);
    append(body(), CommitGroup{});
    append(body(), WaitGroup{1});
    append(body(), BarrierArrive{{xqa_query_there, 0}, {}, {}});
    append(body(), BarrierWait{{xqa_query_there, 0}, 0});
    append_index(body(), xqa_scores_begin);
    Loop loop{shape_.trips(), {}, true};
    make_scores(loop.body);
    weigh(loop.body);
    leave(loop.body);
    body().emplace_back(std::move(loop));
    for (std::int64_t i = 0; i < xqa_last_barriers(shape_); ++i) append(body(), CtaBarrier{});
    return std::move(program_);
  }

 private:
  [[nodiscard]] Layout first_key(std::int64_t ahead, bool before_loop) const {
    return block(ahead, before_loop) + along(Coordinate::warp, xqa_keys);
  }
  [[nodiscard]] Layout page(std::int64_t ahead, bool before_loop) const {
    constexpr std::int64_t pages = xqa_block / xqa_page_keys;
    Layout place = along(Coordinate::block_z, pages, 1, shape_.splits) + ahead * pages * shape_.splits;
    if (!before_loop) place += along(Coordinate::loop0, pages * shape_.splits);
    return place + along(Coordinate::warp);
  }
  [[nodiscard]] Bound valid(std::int64_t ahead = 0, bool before_loop = false) const {
    return {first_key(ahead, before_loop), plan_.problem.keys};
  }
  [[nodiscard]] static Layout is_not(std::int64_t warp) {  ///< 0 for that warp
    return along(Coordinate::warp, 1, 1, xqa_warps, xqa_warps - warp);
  }
  void copy_keys(Body& into, std::int64_t part, std::int64_t step, bool before_loop) {
    const std::int64_t ahead = step / shape_.parts();
    const Layout stage = along(Coordinate::warp, 2) + parity(shape_.parts(), step, before_loop);
    copy_piece(into, attention_k, xqa_k, own_copy(xqa_keys, shape_.piece, element_bytes()),
               first_key(ahead, before_loop), part * shape_.piece, stage, step > 1 ? xqa_later_copy : xqa_copy,
               before_loop ? Guard() : valid());
  }

  void make_scores(Body& into) {
    const Bound inside = valid();
    const Access of_q = matrix_access({static_cast<int>(shape_.rows), xqa_depth}, element_bytes());
    const Access of_k = matrix_access({xqa_keys, xqa_depth}, element_bytes());
    append_index(into, xqa_scores_trip, 1, inside);
    append(into, Arithmetic{.pipe = Pipe::alu, .reads = {}, .writes = s_, .overhead = true}, 1, inside);
    for (std::int64_t part = 0; part < shape_.parts(); ++part) {
      copy_keys(into, (part + 1) % shape_.parts(), part + 1, false);
      append(into, CommitGroup{}, 1, inside);
      if (part + 2 == shape_.parts()) load_page(into, page(1, false), valid(1));
      append(into, WaitGroup{1}, 1, inside);
      append_index(into, xqa_scores_step, shape_.piece / xqa_depth, inside);
      const Layout stage = along(Coordinate::warp, 2) + parity(shape_.parts(), part, false);
      for (std::int64_t step = 0; step < shape_.piece / xqa_depth; ++step) {
        const Token q = half("q", step);
        const Token k = half("k", step);
        append(into, LoadShared{of_q.shared(xqa_q, part, 0, step * xqa_depth), q, SharedRead::ldmatrix}, of_q.count,
               inside);
        append(into, LoadShared{of_k.shared(xqa_k, stage, 0, step * xqa_depth), k, SharedRead::ldmatrix}, of_k.count,
               inside);
        multiply(into, q, k, s_, true, xqa_keys, inside);
      }
    }
    append_cost(into, Pipe::fma, s_, share(shape_.rows, xqa_keys), inside);  // times 1 / sqrt(d)
  }

  void meet_quad(Body& into, Token value, Combination combination) {
    const Pipe pipe = combination == Combination::maximum ? Pipe::alu : Pipe::fma;
    for (int distance = xqa_dealing.slots / 2; distance >= 1; distance /= 2) {
      append(into, Shuffle{.into = other_, .from = value, .distance = distance}, thread_rows(), valid());
      append(into, Map{.pipe = pipe, .into = value, .a = value, .b = other_, .combination = combination}, thread_rows(),
             valid());
    }
  }

  /// Weights of these keys alone: whoever adds up the values knows the others' maxima.
  void weigh(Body& into) {
    const Bound inside = valid();
    const std::int64_t scores = share(shape_.rows, xqa_keys);
    const double scale = plan_.scale();
    const Layout beyond = first_key(0, false) * -1 + plan_.problem.keys;
    append(into, BarrierWait{{xqa_consumed, along(Coordinate::warp)}, along(Coordinate::loop0) + -1}, 1, inside);
    append_index(into, xqa_hint, 1, inside);
    append(into, LoadShared{row_numbers(xqa_maxima, along(Coordinate::warp)), other_}, 1, inside);
    if (plan_.problem.keys % xqa_keys != 0) {
      const Bound in_part = only({beyond, xqa_keys}, is_not(plan_.problem.keys / xqa_keys % xqa_warps));
      append_index(into, xqa_mask, 1, in_part);
      append(into, Map{.pipe = Pipe::alu, .into = s_, .a = s_, .columns = beyond}, xqa_compared * scores, in_part);
    }
    append(into,
           Reduce{.pipe = Pipe::alu, .into = m_, .from = s_, .reduction = Reduction::maximum, .dealing = xqa_dealing},
           scores, inside);
    meet_quad(into, m_, Combination::maximum);
    append_index(into, xqa_softmax, 1, inside);
    append(into,
           Map{.into = s_,
               .a = s_,
               .b = m_,
               .alpha = scale,
               .beta = -scale,
               .b_from = BroadcastFrom::row,
               .dealing = xqa_dealing},
           scores, inside);
    append(into, Map{.pipe = Pipe::sfu, .into = s_, .a = s_, .function = Function::exp2}, scores, inside);
    append(into, Reduce{.into = l_, .from = s_, .dealing = xqa_dealing}, scores, inside);
    meet_quad(into, l_, Combination::sum);
    append_cost(into, Pipe::alu, s_, divided_up(scores, narrowed_per_instruction), inside);
  }

  void leave(Body& into) {
    const Bound inside = valid();
    const Access of_x = mma_store_access({static_cast<int>(shape_.rows), static_cast<int>(shape_.piece)});
    append_index(into, xqa_weights, shape_.rows / xqa_counted_rows, inside);
    for (std::int64_t half = 0; half < shape_.halves(); ++half) {
      const Layout stage = along(Coordinate::warp, shape_.halves()) + half;
      append(into, StoreShared{of_x.shared(xqa_x, stage, 0, 0), s_, {}, half * -shape_.piece}, of_x.count, inside);
    }
    for (const bool maximum : {true, false}) {
      const SharedAccess place{.tile = maximum ? xqa_maxima : xqa_sums,
                               .stage = along(Coordinate::warp),
                               .row = along(Coordinate::lane, 1, 4) + along(Coordinate::repeat, 8),
                               .column = {},
                               .vector = 1,
                               .lanes = Bound{along(Coordinate::lane, 1, 1, 4), 1}};
      append(into, StoreShared{place, maximum ? m_ : l_, {}, {}}, thread_rows(), inside);
    }
    append(into, BarrierArrive{{xqa_produced, along(Coordinate::warp)}, {}, {}}, 1, inside);
  }

  Token s_, m_, l_, other_;
};

}  // namespace

Program xqa_scores_program(const AttentionPlan& plan) { return XqaScores(plan).write(); }

}  // namespace gpusim::schedules
