// The softmax of attention, on scores as mma leaves them: pairs of columns, four lanes to a row.
#include <limits>

#include "schedules/attention_plan.h"
#include "schedules/element_cost.h"

namespace gpusim::schedules {
namespace {

constexpr Dealing of_mma{2, 4};
constexpr std::int64_t compared_per_score = 2;  ///< an index and a selection

Layout trips_before(std::int64_t ahead) { return along(Coordinate::loop0) + ahead; }

Layout zero_trips(const Layout& layout) {
  Layout constant(layout.offset());
  for (const Term& term : layout.terms())
    if (term.source != Coordinate::loop0) constant.add(term);
  return constant;
}

/// Four lanes' become one, known to all four.
void meet_quad(Body& body, const AttentionPlan& plan, Token value, Token other, Combination combination,
               const std::optional<Bound>& guard) {
  const Pipe pipe = combination == Combination::maximum ? Pipe::alu : Pipe::fma;
  for (int distance = of_mma.slots / 2; distance >= 1; distance /= 2) {
    append(body, Shuffle{.into = other, .from = value, .distance = distance}, plan.thread_rows(), guard);
    append(body, Map{.pipe = pipe, .into = value, .a = value, .b = other, .combination = combination},
           plan.thread_rows(), guard);
  }
}

/// Keys that a row does not see, or that are none, get a weight of 0.
void mask(Body& body, const AttentionPlan& plan, const AttentionTokens& tokens, std::int64_t ahead, bool peeled) {
  const std::int64_t blocks = plan.masked_blocks();
  if (blocks == 0 || (peeled && ahead > 0)) return;
  const Layout key = peeled ? zero_trips(plan.first_key()) : plan.first_key(ahead);
  Map map{.pipe = Pipe::alu, .into = tokens.scores, .a = tokens.scores};
  if (plan.problem.causal)
    map.diagonal = plan.first_row() + plan.invisible + key * -1;
  else
    map.columns = Layout(plan.problem.keys) + key * -1;
  std::optional<Bound> guard;
  if (!peeled) guard = Bound{trips_before(ahead), blocks};
  if (!peeled && ahead >= blocks) return;
  append(body, map, compared_per_score * plan.scores(), guard);
}

}  // namespace

AttentionTokens attention_tokens(Program& program) {
  AttentionTokens tokens;
  tokens.scores = program.token("s");
  tokens.output = program.token("o");
  tokens.maximum = program.token("m");
  tokens.before = program.token("before");
  tokens.sum = program.token("l");
  tokens.other = program.token("other");
  tokens.weights = program.token("p");
  return tokens;
}

void append_attention_start(Body& body, const AttentionTokens& tokens) {
  constexpr double lowest = std::numeric_limits<float>::lowest();
  for (const Token token : {tokens.output, tokens.sum, tokens.maximum})
    append(body, Arithmetic{.pipe = Pipe::alu, .reads = {}, .writes = token, .overhead = true});
  append(body, Map{.pipe = Pipe::alu, .into = tokens.maximum, .a = tokens.maximum, .term = lowest});
}

void append_attention_softmax(Body& body, const AttentionPlan& plan, const AttentionTokens& tokens, std::int64_t ahead,
                              bool peeled) {
  std::optional<Bound> guard;
  if (!peeled) guard = plan.inside(ahead);
  const std::int64_t rows = plan.thread_rows();
  const double scale = plan.scale();
  mask(body, plan, tokens, ahead, peeled);
  append(body, Map{.pipe = Pipe::alu, .into = tokens.before, .a = tokens.maximum}, rows, guard);
  append(body,
         Reduce{.pipe = Pipe::alu,
                .into = tokens.maximum,
                .from = tokens.scores,
                .reduction = Reduction::maximum,
                .dealing = of_mma,
                .keep = true},
         plan.scores(), guard);
  meet_quad(body, plan, tokens.maximum, tokens.other, Combination::maximum, guard);
  append(body, Map{.into = tokens.before, .a = tokens.before, .b = tokens.maximum, .alpha = scale, .beta = -scale},
         rows, guard);
  append(body, Map{.pipe = Pipe::sfu, .into = tokens.before, .a = tokens.before, .function = Function::exp2}, rows,
         guard);
  append(body,
         Map{.into = tokens.scores,
             .a = tokens.scores,
             .b = tokens.maximum,
             .alpha = scale,
             .beta = -scale,
             .b_from = BroadcastFrom::row,
             .dealing = of_mma},
         plan.scores(), guard);
  append(body, Map{.pipe = Pipe::sfu, .into = tokens.scores, .a = tokens.scores, .function = Function::exp2},
         plan.scores(), guard);
  append(body, Map{.into = tokens.sum, .a = tokens.sum, .b = tokens.before, .combination = Combination::product}, rows,
         guard);
  append(body, Reduce{.into = tokens.sum, .from = tokens.scores, .dealing = of_mma, .keep = true}, plan.scores(),
         guard);
}

void append_attention_weights(Body& body, const AttentionPlan& plan, const AttentionTokens& tokens,
                              const std::optional<Bound>& guard) {
  append(body, Map{.pipe = Pipe::alu, .into = tokens.weights, .a = tokens.scores},
         divided_up(plan.scores(), narrowed_per_instruction), guard);
}

void append_attention_rescale(Body& body, const AttentionPlan& plan, const AttentionTokens& tokens,
                              const std::optional<Bound>& guard) {
  append(body,
         Map{.into = tokens.output,
             .a = tokens.output,
             .b = tokens.before,
             .combination = Combination::product,
             .b_from = BroadcastFrom::row,
             .dealing = of_mma},
         plan.outputs(), guard);
}

void append_attention_end(Body& body, const AttentionPlan& plan, const AttentionTokens& tokens,
                          const Layout& warp_row) {
  const bool split = plan.tiling.splits > 1;
  meet_quad(body, plan, tokens.sum, tokens.other, Combination::sum, std::nullopt);
  if (split) {
    // The first of each row's four lanes, a row after the other.
    const Layout row = plan.first_row() + warp_row + along(Coordinate::lane, 1, 4) + along(Coordinate::repeat, 8);
    const GlobalAccess place{.buffer = attention_maxima,
                             .row = row,
                             .lanes = Bound{along(Coordinate::lane, 1, 1, 4), 1},
                             .layer = plan.result_layer()};
    GlobalAccess sums = place;
    sums.buffer = attention_sums;
    append(body, StoreGlobal{.to = place, .from = tokens.maximum, .origin_row = plan.row_origin()}, plan.thread_rows());
    append(body, StoreGlobal{.to = sums, .from = tokens.sum, .origin_row = plan.row_origin()}, plan.thread_rows());
    return;
  }
  append_cost(body, Pipe::fma, tokens.sum, division_cost.fma * plan.thread_rows());
  append(body, Map{.pipe = Pipe::sfu, .into = tokens.sum, .a = tokens.sum, .function = Function::reciprocal},
         plan.thread_rows());
  append(body,
         Map{.into = tokens.output,
             .a = tokens.output,
             .b = tokens.sum,
             .combination = Combination::product,
             .b_from = BroadcastFrom::row,
             .dealing = of_mma},
         plan.outputs());
}

}  // namespace gpusim::schedules
