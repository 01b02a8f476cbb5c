// FlashAttention-2: cp.async and mma.sync.
#include "schedules/attention_plan.h"

namespace gpusim::schedules {
namespace {

constexpr std::int64_t attention_prologue = 48;
/// Counter, comparison, branch; two pointers a block.
constexpr std::int64_t attention_trip = 7;

class Flash2Writer {
 public:
  explicit Flash2Writer(const AttentionPlan& plan) : plan_(plan), tokens_(attention_tokens(program_)) {}

  Program write() {
    Body& body = program_.body;
    append_overhead(body, attention_prologue);
    copy(body, attention_q, tile_q, plan_.tiling.tile_m, plan_.first_row(), plan_.q_layer(), std::nullopt);
    copy(body, attention_k, tile_k, plan_.tiling.tile_n, first_key(), plan_.kv_layer(), std::nullopt);
    append(body, CommitGroup{});
    append_attention_start(body, tokens_);

    Loop loop{plan_.blocks, {}, plan_.even_trips()};
    const Bound inside = plan_.inside();
    append(loop.body, Arithmetic{.pipe = Pipe::alu, .reads = {}, .writes = {}, .overhead = true}, attention_trip,
           inside);
    arrive(loop.body);
    copy(loop.body, attention_v, tile_v, plan_.tiling.tile_n, plan_.first_key(), plan_.kv_layer(), inside);
    append(loop.body, CommitGroup{}, 1, inside);
    make_scores(loop.body);
    append_attention_softmax(loop.body, plan_, tokens_, 0, false);
    append_attention_weights(loop.body, plan_, tokens_, inside);
    append_attention_rescale(loop.body, plan_, tokens_, inside);
    arrive(loop.body);
    copy(loop.body, attention_k, tile_k, plan_.tiling.tile_n, plan_.first_key(1), plan_.kv_layer(), plan_.inside(1));
    append(loop.body, CommitGroup{}, 1, plan_.inside(1));
    weigh(loop.body);
    body.emplace_back(std::move(loop));
    leave();
    return std::move(program_);
  }

 private:
  [[nodiscard]] Layout warp_row() const { return along(Coordinate::warp, plan_.row_share()); }
  [[nodiscard]] int element_bytes() const { return size_of(plan_.problem.dtype); }

  /// Of the loop's first trip, outside it.
  [[nodiscard]] Layout first_key() const {
    const Layout all = plan_.first_key();
    Layout key(all.offset());
    for (const Term& term : all.terms())
      if (term.source != Coordinate::loop0) key.add(term);
    return key;
  }

  void copy(Body& body, BufferId buffer, TileId tile, int rows, const Layout& row, const Layout& layer,
            std::optional<Bound> guard) const {
    const Access access = copy_access({rows, plan_.problem.head_dim}, element_bytes(), plan_.tiling.warps);
    if (!guard && access.busy_warps < plan_.tiling.warps) guard = Bound{along(Coordinate::warp), access.busy_warps};
    append(body, CopyAsync{access.global(buffer, row, 0, layer), access.shared(tile, 0, 0, 0)}, access.count, guard);
  }

  /// What was copied is there, for all warps.
  void arrive(Body& body) const {
    append(body, WaitGroup{0}, 1, plan_.inside());
    append(body, CtaBarrier{}, 1, plan_.inside());
  }

  /// s = Q K^T, 16 of the head's elements at a time; the next are read while these are multiplied.
  void make_scores(Body& body) {
    const Bound inside = plan_.inside();
    append(body, Arithmetic{.pipe = Pipe::alu, .reads = {}, .writes = tokens_.scores, .overhead = true}, 1, inside);
    const Access of_q = matrix_access({plan_.row_share(), depth}, element_bytes());
    const Access of_k = matrix_access({plan_.tiling.tile_n, depth}, element_bytes());
    const auto read = [&](int step) {
      const std::int64_t first = std::int64_t{step} * depth;
      append(body, LoadShared{of_q.shared(tile_q, 0, warp_row(), first), half("q", step), SharedRead::ldmatrix},
             of_q.count, inside);
      append(body, LoadShared{of_k.shared(tile_k, 0, 0, first), half("k", step), SharedRead::ldmatrix}, of_k.count,
             inside);
    };
    const int steps = plan_.problem.head_dim / depth;
    read(0);
    for (int step = 0; step < steps; ++step) {
      if (step + 1 < steps) read(step + 1);
      multiply(body, half("q", step), half("k", step), tokens_.scores, plan_.tiling.tile_n, true);
    }
  }

  /// o += p V, 16 keys at a time.
  void weigh(Body& body) {
    const Access of_v = matrix_access({depth, plan_.problem.head_dim}, element_bytes());
    const auto read = [&](int step) {
      const std::int64_t first = std::int64_t{step} * depth;
      append(body, LoadShared{of_v.shared(tile_v, 0, first, 0), half("v", step), SharedRead::ldmatrix_trans},
             of_v.count, plan_.inside());
    };
    const int steps = plan_.tiling.tile_n / depth;
    read(0);
    for (int step = 0; step < steps; ++step) {
      if (step + 1 < steps) read(step + 1);
      multiply(body, tokens_.weights, half("v", step), tokens_.output, plan_.problem.head_dim, false);
    }
  }

  void multiply(Body& body, Token a, Token b, Token c, int columns, bool b_transposed) const {
    Multiply multiply;
    multiply.a = a;
    multiply.b = b;
    multiply.c = c;
    multiply.input = plan_.problem.dtype;
    multiply.shape = {rows_a, columns_b, depth};
    multiply.b_transposed = b_transposed;
    append(body, multiply, std::int64_t{plan_.row_share() / rows_a} * (columns / columns_b), plan_.inside());
  }

  Token half(const char* name, int step) {
    const std::string wanted = name + std::to_string(step % 2);
    const auto found = std::find(program_.tokens.begin(), program_.tokens.end(), wanted);
    return found != program_.tokens.end() ? Token(found - program_.tokens.begin()) : program_.token(wanted);
  }

  /// Through shared memory, where Q was, and then whole rows; partial results as they are.
  void leave() {
    Body& body = program_.body;
    append_attention_end(body, plan_, tokens_, warp_row());
    const Access result = mma_store_access({plan_.row_share(), plan_.problem.head_dim});
    if (plan_.tiling.splits > 1) {
      append(body,
             StoreGlobal{.to = result.global(attention_o, plan_.first_row() + warp_row(), 0, plan_.result_layer()),
                         .from = tokens_.output,
                         .origin_row = plan_.row_origin()},
             result.count);
      return;
    }
    append_conversion(body, tokens_.output, divided_up(plan_.outputs(), narrowed_per_instruction));
    append(body, CtaBarrier{});
    append(body, StoreShared{result.shared(tile_o, 0, warp_row(), 0), tokens_.output, {}, {}}, result.count);
    append(body, CtaBarrier{});
    const Access rows = copy_access({plan_.tiling.tile_m, plan_.problem.head_dim}, element_bytes(), plan_.tiling.warps);
    const Token out = program_.token("out");
    append(body, LoadShared{rows.shared(tile_o, 0, 0, 0), out}, rows.count);
    append(body,
           StoreGlobal{.to = rows.global(attention_o, plan_.first_row(), 0, plan_.q_layer()),
                       .from = out,
                       .origin_row = plan_.row_origin()},
           rows.count);
  }

  // An instruction's, as every GPU with cp.async has it.
  static constexpr int rows_a = 16;
  static constexpr int columns_b = 8;
  static constexpr int depth = 16;

  const AttentionPlan& plan_;
  Program program_;
  AttentionTokens tokens_;
};

}  // namespace

std::vector<Role> flash2_roles(const AttentionPlan& plan) {
  return {{"worker", plan.tiling.warps, Flash2Writer(plan).write()}};
}

}  // namespace gpusim::schedules
