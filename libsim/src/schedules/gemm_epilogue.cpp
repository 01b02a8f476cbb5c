#include "schedules/gemm_epilogue.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "schedules/gemm_cta_slices.h"
#include "schedules/gemm_epilogue_staging.h"
#include "schedules/gemm_registers.h"
#include "schedules/gemm_scale.h"

namespace gpusim::schedules {
namespace {

class Writer {
 public:
  Writer(GemmProgram& program, Body& body, const GemmPlan& plan, const ResultAccess& result)
      : program_(program), body_(body), plan_(plan), result_(result), staging_(plan) {}

  void write() {
    append_overhead(body_, epilogue_overhead + addresses());
    if (!plan_.fixes_up()) return write_tile();
    Body whole;
    Writer(program_, whole, plan_, result_).write_tile();
    append_unless_cut(std::move(whole));
    const Access single = store_access(result_.c, 1, false);
    const GlobalAccess to = single.global(plan_.partials(), block_row(plan_) + result_.row,
                                          block_column(plan_) + result_.column, batch_layer(plan_));
    append(body_, AtomicAdd{to, program_.c(), std::nullopt}, single.count, Bound{along(Coordinate::partial, -1), 0});
  }

 private:
  void write_tile() {
    if (plan_.adds_atomically())
      scale_alpha();
    else if (plan_.scales())
      scale();
    if (size_of(plan_.result_type()) < size_of(plan_.problem.accumulate))
      append_conversion(body_, program_.c(),
                        (plan_.result_elements() + narrowed_per_instruction - 1) / narrowed_per_instruction);
    if (plan_.tiling.epilogue == Epilogue::direct)
      return store(result_.c, result_.row, result_.column, program_.c(), std::nullopt);
    if (plan_.tiling.epilogue == Epilogue::tma) return staging_.append_bulk(program_, body_, result_);
    staging_.append_fill(program_, body_, result_);
    const Access rows = staging_.rows();
    const Token from = program_.token("rows");
    append(body_, LoadShared{rows.shared(plan_.c_tile(), 0, 0, 0), from}, rows.count, staging_.busy(rows));
    store(rows, 0, 0, from, staging_.busy(rows));
    staging_.append_leave(program_, body_);
  }

  /// Warps meet in each item: phases are counted so.
  void append_unless_cut(Body operations) {
    for (Statement& statement : operations) {
      const Action& action = std::get<Operation>(statement).action;
      const bool meets = std::holds_alternative<CtaBarrier>(action) || std::holds_alternative<BarrierArrive>(action) ||
                         std::holds_alternative<BarrierWait>(action);
      if (meets)
        body_.push_back(std::move(statement));
      else
        append_where(body_, {std::move(statement)}, Bound{along(Coordinate::partial), 1});
    }
  }

  /// Accesses whose addresses have to be worked out.
  [[nodiscard]] std::int64_t addresses() const {
    if (plan_.tiling.epilogue == Epilogue::tma) return coordinate_overhead;
    return plan_.tiling.epilogue == Epilogue::staged ? staging_.rows().count : result_.c.count;
  }

  [[nodiscard]] GlobalAccess place(const Access& access, const Layout& row, const Layout& column) const {
    GlobalAccess to =
        access.global(buffer_c, block_row(plan_) + row, block_column(plan_) + column, result_layer(plan_));
    if (plan_.tiling.swap_ab) std::swap(to.row, to.column);
    return to;
  }

  /// The converted elements of a fragment, where they are narrower than the accumulators.
  void widen(Token fragment, std::int64_t elements) {
    if (size_of(plan_.result_type()) < size_of(plan_.problem.accumulate)) append_conversion(body_, fragment, elements);
  }

  void scale() {
    const GemmProblem& problem = plan_.problem;
    Scale scale;
    scale.c = program_.c();
    scale.alpha = problem.alpha;
    scale.beta = problem.beta;
    scale.activation = problem.activation;
    std::int64_t instructions = scale_instructions(problem);
    const std::int64_t pieces = std::gcd(std::int64_t{source_pieces(plan_)}, result_.c.count);
    if (staging_.carries_source() || pieces > 1) {
      instructions -= staging_.carries_source() ? add_staged_source() : add_source_in_pieces(pieces);
      scale.alpha = 1;
      scale.beta = 0;
    } else if (problem.beta != 0) {
      scale.source = program_.token("source");
      append(body_, LoadGlobal{place(result_.c, result_.row, result_.column), *scale.source}, result_.c.count);
      widen(*scale.source, plan_.result_elements());
    }
    if (problem.bias) {
      scale.bias = program_.token("bias");
      const Layout first = plan_.tiling.swap_ab ? block_row(plan_) + result_.row : block_column(plan_) + result_.column;
      append(body_, LoadGlobal{result_.bias.global(buffer_bias, 0, first), *scale.bias}, result_.bias.count);
      widen(*scale.bias, result_.bias.count * result_.bias.vector);
    }
    const std::int64_t special = special_instructions(problem.activation);
    if (special > 0)
      append(body_, Arithmetic{.pipe = Pipe::sfu, .reads = {scale.c}, .writes = scale.c, .overhead = false},
             plan_.result_elements() * special);
    if (instructions > 0) append(body_, scale, plan_.result_elements() * instructions);
  }

  /// alpha c + beta source: a piece of the source is read while the one before is added. Returns the instructions that
  /// takes for each element.
  std::int64_t add_source_in_pieces(std::int64_t pieces) {
    scale_alpha();
    const auto read = [&](const Access& part, Token into) {
      append(body_, LoadGlobal{place(part, result_.row, result_.column), into}, part.count);
    };
    in_turns(result_.c, pieces, read, [&](const Access&, Token piece) { add_piece(piece, pieces); });
    return instructions_to_add();
  }

  /// The same of a source that comes by whole rows, as C leaves, and through the same tile: each thread finds its
  /// elements where it puts C's afterwards.
  std::int64_t add_staged_source() {
    scale_alpha();
    const Access rows = staging_.rows();
    const std::optional<Bound> busy = staging_.busy(rows);
    const std::int64_t row_pieces = std::gcd(std::int64_t{source_pieces(plan_)}, rows.count);
    bool begun = false;  // what is asked for first is on its way while the team meets
    const auto read = [&](const Access& part, Token into) {
      append(body_, LoadGlobal{place(part, 0, 0), into}, part.count, busy);
      if (!std::exchange(begun, true)) staging_.append_source_begin(program_, body_);
    };
    in_turns(rows, row_pieces, read, [&](const Access& part, Token piece) {
      append(body_, StoreShared{.to = part.shared(plan_.c_tile(), 0, 0, 0), .from = piece}, part.count, busy);
    });
    staging_.append_source_end(program_, body_);
    const std::int64_t pieces = std::gcd(std::int64_t{source_pieces(plan_)}, result_.c.count);
    const auto find = [&](const Access& part, Token into) {
      append(body_, LoadShared{part.shared(plan_.c_tile(), 0, result_.row, result_.column), into}, part.count);
    };
    in_turns(result_.c, pieces, find, [&](const Access&, Token piece) { add_piece(piece, pieces); });
    return instructions_to_add();
  }

  /// Piece after piece of `access`: one is being read while the one before is used.
  template <class Read, class Use>
  void in_turns(const Access& access, std::int64_t pieces, const Read& read, const Use& use) {
    const std::array<Token, 2> tokens{program_.token("source0"), program_.token("source1")};
    const auto token = [&](std::int64_t piece) { return tokens.at(static_cast<std::size_t>(piece % 2)); };
    read(piece_of(access, pieces, 0), token(0));
    for (std::int64_t piece = 0; piece < pieces; ++piece) {
      if (piece + 1 < pieces) read(piece_of(access, pieces, piece + 1), token(piece + 1));
      use(piece_of(access, pieces, piece), token(piece));
    }
  }

  void add_piece(Token source, std::int64_t pieces) {
    const std::int64_t elements = plan_.result_elements() / pieces;
    widen(source, elements);
    Scale add;
    add.c = program_.c();
    add.beta = plan_.problem.beta;
    add.source = source;
    append(body_, add, elements);
  }

  /// For each element of the source, beta's and alpha's.
  [[nodiscard]] std::int64_t instructions_to_add() const { return plan_.problem.alpha == 1 ? 1 : 2; }

  void scale_alpha() {
    if (plan_.problem.alpha == 1) return;
    Scale scale;
    scale.c = program_.c();
    scale.alpha = plan_.problem.alpha;
    append(body_, scale, plan_.result_elements());
  }

  /// Partial products are added at L2, an element at a time; whole ones are stored.
  void store(const Access& access, const Layout& row, const Layout& column, Token from,
             const std::optional<Bound>& guard) {
    if (!plan_.adds_atomically())
      return append(body_, StoreGlobal{place(access, row, column), from}, access.count, guard);
    const Access single = store_access(access, 1, false);
    std::optional<Bound> part;
    if (plan_.tiling.stream_k) {
      append(body_, StoreGlobal{place(access, row, column), from}, access.count, Bound{along(Coordinate::partial), 1});
      part = Bound{along(Coordinate::partial, -1), 0};
    }
    append(body_, AtomicAdd{place(single, row, column), from, std::nullopt}, single.count, part);
  }

  GemmProgram& program_;
  Body& body_;
  const GemmPlan& plan_;
  const ResultAccess& result_;
  Staging staging_;
};

Access bias_access(int columns) {
  Access access = mma_store_access({matrix_rows, columns});
  access.row = Layout();
  return access;
}

}  // namespace

ResultAccess mma_result(const GemmPlan& plan) {
  const Extent part{plan.warp_tile.rows / plan.tiling.cta_slices, plan.warp_tile.columns};
  return {mma_store_access(part), bias_access(part.columns), warp_row(plan) + part_row(plan), warp_column(plan)};
}

ResultAccess wgmma_result(const GemmPlan& plan) {
  const int rows = plan.tiling.tile.m / plan.tiling.consumers;  // of a warp group
  Access c = mma_store_access(plan.warp_tile);
  const int groups = plan.warp_tile.rows / fragment_rows;
  c.row = along(Coordinate::lane, 1, quad) + along(Coordinate::repeat, matrix_rows, 1, 2);
  if (groups > 1) c.row += along(Coordinate::repeat, wgmma_rows, 2, groups);
  Access bias = bias_access(plan.warp_tile.columns);
  if (plan.tiling.swap_ab) {
    bias = {.count = std::int64_t{2} * groups, .column = c.row};
    c = store_access(c, 1, false);  // neighbours of a row of C's transpose lie apart
  }
  const Layout group = plan.tiling.pingpong ? Layout() : along(Coordinate::warp, rows, warps_per_group);
  return {std::move(c), std::move(bias), group + along(Coordinate::warp, fragment_rows, 1, warps_per_group), Layout()};
}

ResultAccess thread_result(const GemmPlan& plan) {
  return {thread_tile_access(plan, size_of(plan.result_type())), thread_bias_access(plan, size_of(plan.result_type())),
          warp_row(plan) + part_row(plan), warp_column(plan)};
}

void append_epilogue(GemmProgram& program, Body& body, const GemmPlan& plan, const ResultAccess& result) {
  if (plan.tiling.cta_slices > 1) append_slice_sums(program, body, plan);
  Writer(program, body, plan, result).write();
}

void append_epilogue_end(Body& body, const GemmPlan& plan) {
  if (plan.tiling.epilogue == Epilogue::tma) Staging(plan).append_bulk_end(body);
}

std::optional<SharedTile> staging_tile(const GemmPlan& plan) {
  if (plan.tiling.epilogue == Epilogue::direct) return std::nullopt;
  return Staging(plan).tile();
}

std::optional<Barrier> staging_barrier(const GemmPlan& plan) {
  if (plan.tiling.epilogue == Epilogue::direct) return std::nullopt;
  return Staging(plan).barrier();
}

std::optional<Barrier> staging_turn_barrier(const GemmPlan& plan) { return Staging(plan).turn_barrier(); }

}  // namespace gpusim::schedules
