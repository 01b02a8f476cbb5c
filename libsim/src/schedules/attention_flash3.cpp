// FlashAttention-3: bulk copies by a producer warp, wgmma by warp groups that also do the softmax.
#include "schedules/attention_plan.h"

namespace gpusim::schedules {
namespace {

// Barriers, and which of them have a slot for each stage.
constexpr BarrierId q_full{0};
constexpr BarrierId k_full{1};
constexpr BarrierId v_full{2};
constexpr BarrierId k_empty{3};
constexpr BarrierId v_empty{4};

constexpr int group_rows_of_q = 64;
constexpr int warps_of_group = 4;
constexpr int rows_of_warp = 16;
constexpr int wgmma_depth = 16;
constexpr std::int64_t flash3_prologue = 32;
constexpr std::int64_t flash3_trip = 5;

/// A block of keys by its place in the loop.
struct KeyBlock {
  Layout number;
  [[nodiscard]] Layout stage(const AttentionPlan& plan) const {
    Layout stage;
    const std::int64_t stages = plan.tiling.stages;
    if (stages == 1) return stage;
    if (number.terms().empty()) return number.offset() % stages;
    return along(Coordinate::loop0, 1, 1, stages, number.offset());
  }
  [[nodiscard]] Layout round(const AttentionPlan& plan) const {
    const std::int64_t stages = plan.tiling.stages;
    if (number.terms().empty()) return number.offset() / stages;
    return along(Coordinate::loop0, 1, stages, 0, number.offset());
  }
};

KeyBlock first_block() { return {Layout(0)}; }
KeyBlock block_ahead(std::int64_t ahead) { return {along(Coordinate::loop0) + ahead}; }

class Flash3Consumer {
 public:
  explicit Flash3Consumer(const AttentionPlan& plan) : plan_(plan), tokens_(attention_tokens(program_)) {}

  Program write(int registers) {
    Body& body = program_.body;
    append_overhead(body, flash3_prologue);
    append(body, RegisterReallocate{registers});
    append_attention_start(body, tokens_);
    append(body, BarrierWait{{q_full, 0}, 0});
    if (plan_.tiling.overlap)
      walk_overlapping(body);
    else
      walk(body);
    leave();
    return std::move(program_);
  }

 private:
  /// Scores, softmax and product with V of one block after another.
  void walk(Body& body) {
    Loop loop{plan_.blocks, {}, plan_.even_trips()};
    const Bound inside = plan_.inside();
    append(loop.body, Arithmetic{.pipe = Pipe::alu, .reads = {}, .writes = {}, .overhead = true}, flash3_trip, inside);
    make_scores(loop.body, block_ahead(0), inside);
    append(loop.body, WarpgroupWait{0}, 1, inside);
    release(loop.body, k_empty, block_ahead(0), inside);
    append_attention_softmax(loop.body, plan_, tokens_, 0, false);
    append_attention_rescale(loop.body, plan_, tokens_, inside);
    append_attention_weights(loop.body, plan_, tokens_, inside);
    weigh(loop.body, block_ahead(0), inside);
    append(loop.body, WarpgroupWait{0}, 1, inside);
    release(loop.body, v_empty, block_ahead(0), inside);
    body.emplace_back(std::move(loop));
  }

  /// The first block's scores and softmax, then in each trip the next block's beside this one's product with V.
  void walk_overlapping(Body& body) {
    make_scores(body, first_block(), std::nullopt);
    append(body, WarpgroupWait{0});
    release(body, k_empty, first_block(), std::nullopt);
    append_attention_softmax(body, plan_, tokens_, 0, true);
    append_attention_weights(body, plan_, tokens_, std::nullopt);

    Loop loop{plan_.blocks, {}, plan_.even_trips()};
    const Bound next = plan_.inside(1);
    const Bound inside = plan_.inside();
    append(loop.body, Arithmetic{.pipe = Pipe::alu, .reads = {}, .writes = {}, .overhead = true}, flash3_trip, inside);
    make_scores(loop.body, block_ahead(1), next);
    weigh(loop.body, block_ahead(0), inside);
    // Groups complete in order: the scores are there when only the product with V is left.
    append(loop.body, WarpgroupWait{1}, 1, next);
    release(loop.body, k_empty, block_ahead(1), next);
    append_attention_softmax(loop.body, plan_, tokens_, 1, false);
    append(loop.body, WarpgroupWait{0}, 1, inside);
    release(loop.body, v_empty, block_ahead(0), inside);
    append_attention_rescale(loop.body, plan_, tokens_, next);
    append_attention_weights(loop.body, plan_, tokens_, next);
    body.emplace_back(std::move(loop));
  }

  [[nodiscard]] Layout warp_row() const {
    return along(Coordinate::warp, group_rows_of_q, warps_of_group) +
           along(Coordinate::warp, rows_of_warp, 1, warps_of_group);
  }

  /// s = Q K^T of a block: its keys lie as rows.
  void make_scores(Body& body, const KeyBlock& block, const std::optional<Bound>& guard) {
    const int steps = plan_.problem.head_dim / wgmma_depth;
    const int keys = plan_.tiling.tile_n;
    append(body, BarrierWait{{k_full, block.stage(plan_)}, block.round(plan_)}, 1, guard);
    append(body, Arithmetic{.pipe = Pipe::alu, .reads = {}, .writes = tokens_.scores, .overhead = true}, 1, guard);
    WarpgroupMultiply multiply;
    const int vector_a = rows_of_warp * wgmma_depth / lanes_per_warp;
    const Layout depth = along(Coordinate::repeat, wgmma_depth, 1, steps);
    multiply.a = SharedAccess{.tile = tile_q,
                              .row = warp_row() + along(Coordinate::lane, 1, 1, rows_of_warp),
                              .column = depth + along(Coordinate::lane, vector_a, rows_of_warp),
                              .vector = vector_a};
    const int vector_b = keys * wgmma_depth / lanes_per_warp;
    multiply.b = SharedAccess{.tile = tile_k,
                              .stage = block.stage(plan_),
                              .row = along(Coordinate::lane, vector_b, wgmma_depth),
                              .column = depth + along(Coordinate::lane, 1, 1, wgmma_depth),
                              .vector = vector_b};
    multiply.c = tokens_.scores;
    multiply.input = plan_.problem.dtype;
    multiply.shape = {group_rows_of_q, keys, wgmma_depth};
    multiply.b_transposed = true;
    append(body, multiply, steps, guard);
    append(body, WarpgroupCommit{}, 1, guard);
  }

  /// o += p V of a block.
  void weigh(Body& body, const KeyBlock& block, const std::optional<Bound>& guard) {
    const int head = plan_.problem.head_dim;
    append(body, BarrierWait{{v_full, block.stage(plan_)}, block.round(plan_)}, 1, guard);
    WarpgroupMultiply multiply;
    multiply.a = tokens_.weights;
    const int vector = head * wgmma_depth / lanes_per_warp;
    multiply.b =
        SharedAccess{.tile = tile_v,
                     .stage = block.stage(plan_),
                     .row = along(Coordinate::repeat, wgmma_depth) + along(Coordinate::lane, 1, 1, wgmma_depth),
                     .column = along(Coordinate::lane, vector, wgmma_depth),
                     .vector = vector};
    multiply.c = tokens_.output;
    multiply.input = plan_.problem.dtype;
    multiply.shape = {group_rows_of_q, head, wgmma_depth};
    append(body, multiply, plan_.tiling.tile_n / wgmma_depth, guard);
    append(body, WarpgroupCommit{}, 1, guard);
  }

  void release(Body& body, BarrierId empty, const KeyBlock& block, const std::optional<Bound>& guard) const {
    append(body, BarrierArrive{.at = {empty, block.stage(plan_)}, .expect = Bytes(0), .peer = {}}, 1, guard);
  }

  void leave() {
    Body& body = program_.body;
    append_attention_end(body, plan_, tokens_, warp_row());
    const Access result = mma_store_access({rows_of_warp, plan_.problem.head_dim});
    if (plan_.tiling.splits == 1)
      append_conversion(body, tokens_.output, divided_up(plan_.outputs(), narrowed_per_instruction));
    append(body,
           StoreGlobal{.to = result.global(attention_o, plan_.first_row() + warp_row(), 0, plan_.result_layer()),
                       .from = tokens_.output,
                       .origin_row = plan_.row_origin()},
           result.count);
  }

  const AttentionPlan& plan_;
  Program program_;
  AttentionTokens tokens_;
};

/// Copies a block of rows, a swizzle's width of columns at a time.
void copy_block(Body& body, const AttentionPlan& plan, BufferId buffer, TileId tile, int rows, const Layout& row,
                const Layout& layer, const BarrierSlot& full, const Layout& stage, const std::optional<Bound>& guard) {
  const SharedTile shape = attention_tile(plan, "", rows, 1);
  const int columns = static_cast<int>(shape.swizzle) / size_of(plan.problem.dtype);
  append(body,
         BarrierArrive{.at = full,
                       .expect = Bytes(std::int64_t{rows} * plan.problem.head_dim * size_of(plan.problem.dtype)),
                       .peer = {}},
         1, guard);
  for (int column = 0; column < plan.problem.head_dim; column += columns) {
    BulkCopy copy;
    copy.buffer = buffer;
    copy.row = row;
    copy.column = column;
    copy.rows = rows;
    copy.columns = std::min(columns, plan.problem.head_dim - column);
    copy.tile = tile;
    copy.stage = stage;
    copy.done = full;
    copy.layer = layer;
    copy.tile_column = column;
    append(body, copy, 1, guard);
  }
}

Program flash3_producer(const AttentionPlan& plan, int registers) {
  Program program;
  append_overhead(program.body, flash3_prologue / 2);
  append(program.body, RegisterReallocate{registers});
  copy_block(program.body, plan, attention_q, tile_q, plan.tiling.tile_m, plan.first_row(), plan.q_layer(), {q_full, 0},
             0, std::nullopt);
  Loop loop{plan.blocks, {}, false};
  const Bound inside = plan.inside();
  const KeyBlock block = block_ahead(0);
  append(loop.body, Arithmetic{.pipe = Pipe::alu, .reads = {}, .writes = {}, .overhead = true}, flash3_trip, inside);
  const auto bring = [&](BufferId buffer, TileId tile, BarrierId full, BarrierId empty) {
    append(loop.body, BarrierWait{{empty, block.stage(plan)}, block.round(plan) + -1}, 1, inside);
    copy_block(loop.body, plan, buffer, tile, plan.tiling.tile_n, plan.first_key(), plan.kv_layer(),
               {full, block.stage(plan)}, block.stage(plan), inside);
  };
  bring(attention_k, tile_k, k_full, k_empty);
  bring(attention_v, tile_v, v_full, v_empty);
  program.body.emplace_back(std::move(loop));
  return program;
}

Program flash3_idle(int registers) {
  Program program;
  append(program.body, RegisterReallocate{registers});
  return program;
}

}  // namespace

std::vector<Role> flash3_roles(const AttentionPlan& plan) {
  constexpr int producer_registers = 24;
  constexpr int most_consumer_registers = 240;
  // What the producer's warp group leaves, shared out.
  const int groups = plan.compute_warps() / warps_of_group;
  const int left = (plan.tiling.registers - producer_registers) / groups / 8 * 8;
  const int consumer_registers = std::min(plan.tiling.registers + left, most_consumer_registers);
  return {{"consumer", plan.compute_warps(), Flash3Consumer(plan).write(consumer_registers)},
          {"producer", 1, flash3_producer(plan, producer_registers)},
          {"idle", warps_of_group - 1, flash3_idle(producer_registers)}};
}

std::vector<Barrier> flash3_barriers(const AttentionPlan& plan) {
  const int stages = plan.tiling.stages;
  return {{"Q full", 1, 1},
          {"K full", stages, 1},
          {"V full", stages, 1},
          {"K empty", stages, plan.compute_warps()},
          {"V empty", stages, plan.compute_warps()}};
}

}  // namespace gpusim::schedules
