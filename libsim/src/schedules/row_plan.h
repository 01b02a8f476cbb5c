// Kernels that work on whole rows: who has which elements, and the steps their programs are made of.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gpusim/schedules/rows.h"
#include "schedules/kernel_parts.h"

namespace gpusim::schedules {

/// Where a step of a reduction is worked out.
[[nodiscard]] inline Pipe pipe_of(Reduction reduction) {
  return reduction == Reduction::maximum ? Pipe::alu : Pipe::fma;
}

struct RowPlan {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  DType dtype = DType::fp32;
  RowTiling tiling;         ///< every automatic choice resolved
  std::int64_t splits = 1;  ///< CTAs that share a row

  [[nodiscard]] int slots() const { return std::min(tiling.threads, lanes_per_warp); }
  [[nodiscard]] int warps_per_row() const { return std::max(tiling.threads / lanes_per_warp, 1); }
  [[nodiscard]] int warps() const { return tiling.threads * tiling.rows_per_cta / lanes_per_warp; }
  /// Elements of a row that its threads of a CTA have at a time.
  [[nodiscard]] std::int64_t span() const { return std::int64_t{tiling.threads} * tiling.vector * tiling.unroll; }
  [[nodiscard]] std::int64_t trips() const { return divided_up(columns, span() * splits); }
  /// Elements of a thread at a time.
  [[nodiscard]] std::int64_t elements() const { return std::int64_t{tiling.vector} * tiling.unroll; }
  /// Whether some threads have elements beyond the row's end.
  [[nodiscard]] bool ragged() const { return columns % (span() * splits) != 0; }
  /// Elements that whole trips leave to others of `rest_vector`. Where rows begin between two vectors, one trip of them
  /// leads up to the first.
  [[nodiscard]] std::int64_t rest() const {
    if (tiling.rest_vector == 0) return 0;
    const std::int64_t lead = std::int64_t{tiling.threads} * tiling.rest_vector;
    return columns % tiling.vector == 0 || columns < lead ? columns % span() : (columns - lead) % span() + lead;
  }
};

/// Resolves the tiling; adds what is wrong with it.
[[nodiscard]] RowPlan plan_rows(std::int64_t rows, std::int64_t columns, DType dtype, const RowTiling& tiling,
                                KernelCollector& collect, std::int64_t splits = 1);

/// Writes the program of a kernel on rows, step by step.
class RowWriter {
 public:
  explicit RowWriter(const RowPlan& plan) : plan_(plan), columns_(plan.columns) {}

  Token token(const std::string& name) { return program_.token(name); }
  /// The one of that name, which may be there already: a pass over a row in parts writes the same steps for each.
  Token token_once(const std::string& name);
  [[nodiscard]] Body& body() { return program_.body; }
  /// Elements of a thread at a time, of the part of the row that a pass is at.
  [[nodiscard]] std::int64_t elements() const { return plan_.elements(); }

  /// Index arithmetic, with the address of so many arrays; or what the tiling says of it.
  void begin(std::int64_t arrays);
  /// `write`, once for each of a thread's pieces of the row.
  void pass(std::int64_t arrays, const std::function<void(Body&)>& write);

  /// A thread's place in a buffer; of one with a single row, the same for all rows.
  [[nodiscard]] GlobalAccess place(BufferId buffer, bool one_row = false) const;
  void load(Body& into, BufferId buffer, Token token, bool one_row = false) const;
  /// The same elements of a single row, each by a load of its own: neighbouring lanes' lie `vector` elements apart.
  void load_scalars(Body& into, BufferId buffer, Token token) const;
  void store(Body& into, BufferId buffer, Token token, DType dtype) const;
  /// The row in shared memory: tile 0, of row_tile().
  void store_row(Body& into, Token token) const;
  void load_row(Body& into, Token token) const;
  [[nodiscard]] SharedTile row_tile() const;

  /// Elements beyond the row's end become minus infinity.
  void mask(Body& into, Token token) const;
  /// A thread's element of a reduction nothing has gone into yet.
  void clear(Token value, Reduction reduction);
  void reduce(Body& into, Token from, Token value, Reduction reduction) const;
  /// What each thread has becomes what all of the row's threads have, through slot `stage` of meeting_tile() where they
  /// are several warps. `values` is how many registers go along.
  void meet(Token value, Reduction reduction, int stage, std::int64_t values = 1);
  [[nodiscard]] SharedTile meeting_tile(int stages, TileId id);
  /// From here on the row is another one, of as many threads.
  void turn_to(const RowPlan& plan);

  /// How a row's elements are dealt to its threads, in the part of the row that a pass is at.
  [[nodiscard]] Dealing own() const { return {plan_.tiling.vector, plan_.slots()}; }
  /// And how they know what they met for.
  [[nodiscard]] Dealing known() const;
  /// x = function(combination(x, beta value of the row)), on every element.
  void with_row(Body& into, Token x, Token value, Combination combination, double alpha = 1, double beta = 1) const;
  /// The same with an element of the column's.
  void with_column(Body& into, Token x, Token value, Combination combination) const;
  /// A function of every element.
  void on_each(Body& into, Token x, Function function, Pipe pipe) const;

  /// Those that have elements, in a loop over what a thread loads at a time that some do not enter; else nothing.
  [[nodiscard]] std::optional<Bound> busy_warps() const;
  /// The thread's row.
  [[nodiscard]] Layout row() const;
  /// Holds for one thread of each row.
  [[nodiscard]] Bound one_thread() const;

  [[nodiscard]] Program take() { return std::move(program_); }

 private:
  static void leave_to(const Bound& warps, Body& piece);
  [[nodiscard]] Layout row_of_cta() const;
  [[nodiscard]] Layout column_of_thread(std::int64_t every = 1) const;
  void shuffle(Token value, Reduction reduction, int slots, std::int64_t values);
  void pass_over_part(std::int64_t arrays, const std::function<void(Body&)>& write);
  [[nodiscard]] Layout thread_of_row() const;
  void store_own(Token value);
  void meet_in_one_warp(Token value, Reduction reduction);
  void meet_in_tree(Token value, Reduction reduction);
  void meet_by_shuffles(Token value, Reduction reduction, int stage, std::int64_t values);
  void meet_in_first_warp(Token value, Reduction reduction, std::int64_t values);
  void shuffle_in_first_warp(Token value, Reduction reduction, int slots, std::int64_t values);
  void tell_all(Token value, std::int64_t values);
  void read_result(Token value, std::int64_t values = 1);

  RowPlan plan_;            ///< of the part of the row that a pass is at
  std::int64_t first_ = 0;  ///< column of that part
  std::int64_t columns_;    ///< of the row
  Program program_;
  TileId meeting_;
  bool has_met_ = false;
};

/// The kernel, with its choices.
[[nodiscard]] Schedule row_kernel(const RowPlan& plan, std::string name, std::vector<Buffer> buffers,
                                  std::vector<SharedTile> tiles, Program program, double flops);

}  // namespace gpusim::schedules
