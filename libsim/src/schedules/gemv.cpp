#include "gpusim/schedules/gemv.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <utility>

#include "schedules/kernel_parts.h"

namespace gpusim::schedules {
namespace {

constexpr BufferId gemv_a{0}, gemv_b{1}, gemv_c{2};
constexpr TileId gemv_sums{0};

constexpr std::int64_t most_gemv_rows = 16;
constexpr std::int64_t most_gemv_columns = 8;
constexpr std::int64_t most_gemv_extent = (std::int64_t{1} << 31) - 1;

/// Integer instructions, reasoned, not compiled: the places of the thread's rows, and a comparison with k.
constexpr IndexCost gemv_begin{8, 12};
/// A trip's: the step along k for each matrix, the comparison and the branch.
constexpr IndexCost gemv_trip{2, 4};
constexpr IndexCost gemv_end{4, 6};
constexpr std::int64_t gemv_registers = 24;

class GemvWriter {
 public:
  GemvWriter(const GemvProblem& problem, const GemvTiling& tiling)
      : problem_(problem),
        tiling_(tiling),
        x_(program_.token("x")),
        w_(program_.token("w")),
        sums_(program_.token("sums")),
        other_(program_.token("other")),
        part_(program_.token("part")) {}

  Program write() {
    append_index(body(), gemv_begin);
    append(body(), Arithmetic{.pipe = Pipe::alu, .reads = {}, .writes = sums_, .overhead = true}, values());
    const std::int64_t trips = problem_.k / span();
    if (trips > 0) {
      Loop loop{trips, {}, true};
      add_products(loop.body, along(Coordinate::loop0, span()), {});
      body().emplace_back(std::move(loop));
    }
    if (const std::int64_t rest = problem_.k % span(); rest > 0)
      add_products(body(), Layout(trips * span()), Bound{along(Coordinate::warp, warp_span()), rest});
    meet();
    leave();
    return std::move(program_);
  }

  [[nodiscard]] std::int64_t warps() const { return tiling_.threads / lanes_per_warp; }
  /// What each warp has added up, side by side.
  [[nodiscard]] SharedTile tile() const {
    constexpr std::int64_t least_pitch = 16;  // of a tile's rows
    const std::int64_t pitch = std::max(tiling_.columns * std::int64_t{size_of(DType::fp32)}, least_pitch);
    return {"sums",      static_cast<int>(problem_.m), tiling_.columns,
            DType::fp32, static_cast<int>(warps()),    Bytes(pitch)};
  }

 private:
  using Guard = std::optional<Bound>;

  [[nodiscard]] Body& body() { return program_.body; }
  /// Elements along k that a warp, and the CTA, have at a time.
  [[nodiscard]] std::int64_t warp_span() const { return std::int64_t{lanes_per_warp} * tiling_.vector; }
  [[nodiscard]] std::int64_t span() const { return warp_span() * warps(); }
  /// Sums of a thread.
  [[nodiscard]] std::int64_t values() const { return problem_.m * tiling_.columns; }

  /// Rows of a matrix one after another, the thread's elements from `first` on.
  [[nodiscard]] GlobalAccess rows_of(BufferId buffer, const Layout& first_row, const Layout& first) const {
    return {.buffer = buffer,
            .row = first_row + along(Coordinate::repeat),
            .column = along(Coordinate::lane, tiling_.vector) + along(Coordinate::warp, warp_span()) + first,
            .vector = tiling_.vector};
  }

  void add_products(Body& into, const Layout& first, const Guard& busy) {
    append_index(into, gemv_trip, 1, busy);
    append(into, LoadGlobal{.from = rows_of(gemv_b, along(Coordinate::block_n, tiling_.columns), first), .into = w_},
           tiling_.columns, busy);
    append(into, LoadGlobal{.from = rows_of(gemv_a, {}, first), .into = x_}, problem_.m, busy);
    widen(into, w_, std::int64_t{tiling_.columns} * tiling_.vector, busy);
    widen(into, x_, problem_.m * tiling_.vector, busy);
    Multiply multiply;
    multiply.pipe = Pipe::fma;
    multiply.a = x_;
    multiply.b = w_;
    multiply.c = sums_;
    multiply.input = DType::fp32;
    multiply.b_transposed = true;
    append(into, multiply, values() * tiling_.vector, busy);
  }

  /// To fp32: fp16 by HADD2.F32, bf16 by moving bits; fp8 in pairs to fp16 first (F2FP), int8 an I2F each.
  void widen(Body& into, Token fragment, std::int64_t elements, const Guard& busy) const {
    if (size_of(problem_.dtype) == word_bytes) return;
    constexpr std::int64_t pair = 2;
    if (problem_.dtype == DType::fp8) append_cost(into, Pipe::alu, fragment, divided_up(elements, pair), busy);
    const bool by_fma = problem_.dtype == DType::fp8 || problem_.dtype == DType::fp16;
    append_cost(into, by_fma ? Pipe::fma : Pipe::alu, fragment, elements, busy);
  }

  /// A warp's lanes share what they know; to the twin it has been the warp's from the beginning.
  void meet() {
    for (int distance = lanes_per_warp / 2; distance >= 1; distance /= 2) {
      append(body(), Shuffle{.into = other_, .from = sums_, .distance = distance}, values());
      append(body(), Arithmetic{.pipe = Pipe::fma, .reads = {sums_, other_}, .writes = sums_, .overhead = false},
             values());
    }
    SharedAccess to{.tile = gemv_sums,
                    .stage = along(Coordinate::warp),
                    .row = along(Coordinate::repeat, 1, tiling_.columns),
                    .column = along(Coordinate::repeat, 1, 1, tiling_.columns)};
    to.lanes = Bound{along(Coordinate::lane), 1};
    append(body(), StoreShared{.to = to, .from = sums_, .origin_row = {}, .origin_column = {}}, values());
    append(body(), CtaBarrier{});
  }

  /// A thread of the first warp a sum: it adds up what the warps have, one after another, and stores it. Threads beyond
  /// have places within the tile all the same.
  void leave() {
    const Layout row = along(Coordinate::lane, 1, tiling_.columns, problem_.m);
    const Layout column = along(Coordinate::lane, 1, 1, tiling_.columns);
    const Bound lanes{along(Coordinate::lane), values()};
    const Bound busy{along(Coordinate::warp), 1};
    append_index(body(), gemv_end, 1, busy);
    for (std::int64_t warp = 0; warp < warps(); ++warp) {
      SharedAccess from{.tile = gemv_sums, .stage = Layout(warp), .row = row, .column = column};
      from.lanes = lanes;
      append(body(), LoadShared{.from = from, .into = warp == 0 ? sums_ : part_}, 1, busy);
      if (warp > 0) append(body(), Map{.into = sums_, .a = sums_, .b = part_}, 1, busy);
    }
    if (result_type(problem_) != DType::fp32) append_cost(body(), Pipe::alu, sums_, 1, busy);
    GlobalAccess to{.buffer = gemv_c, .row = row, .column = column + along(Coordinate::block_n, tiling_.columns)};
    to.lanes = lanes;
    append(body(), StoreGlobal{.to = to, .from = sums_}, 1, busy);
  }

  const GemvProblem& problem_;
  const GemvTiling& tiling_;
  Program program_;
  Token x_, w_, sums_, other_, part_;
};

/// Sums, elements of B and of one row of A as numbers, and all rows of A as they were loaded.
int estimated_registers(const GemvProblem& problem, const GemvTiling& tiling) {
  const std::int64_t numbers = problem.m * tiling.columns + std::int64_t{tiling.columns + 1} * tiling.vector;
  const std::int64_t loaded = problem.m * divided_up(std::int64_t{tiling.vector} * size_of(problem.dtype), word_bytes);
  return schedules::registers_for(gemv_registers + numbers + loaded);
}

/// With every automatic choice resolved; adds what is wrong.
GemvTiling planned_gemv(const GemvProblem& problem, GemvTiling tiling, KernelCollector& collect) {
  collect.within(problem.m, 1, most_gemv_rows, "m");
  collect.within(problem.n, 1, most_gemv_extent, "n");
  collect.within(problem.k, 1, most_gemv_extent, "k");
  collect.storable(problem.dtype, "dtype");
  collect.storable(result_type(problem), "result");
  collect.threads(tiling.threads);
  collect.require(tiling.columns >= 1 && tiling.columns <= most_gemv_columns &&
                      std::has_single_bit(static_cast<unsigned>(tiling.columns)),
                  "columns", "it must be 1, 2, 4 or 8, not " + std::to_string(tiling.columns));
  collect.within(tiling.registers, 0, most_registers, "registers");
  if (!collect.empty()) return tiling;
  if (tiling.vector == 0) tiling.vector = widest_vector(problem.dtype, problem.k);
  collect.vector(tiling.vector, problem.dtype, problem.k);
  const std::int64_t values = problem.m * tiling.columns;
  collect.require(values <= lanes_per_warp, "columns",
                  std::to_string(tiling.columns) + " columns of " + std::to_string(problem.m) + " rows are " +
                      std::to_string(values) + " sums; one warp stores them, at most 32, so that " +
                      std::to_string(power_of_two_up_to(lanes_per_warp / problem.m)) + " columns would do");
  if (tiling.registers == 0) tiling.registers = estimated_registers(problem, tiling);
  return tiling;
}

}  // namespace

Schedule gemv(const GemvProblem& problem, const GemvTiling& tiling) {
  KernelCollector collect;
  const GemvTiling plan = planned_gemv(problem, tiling, collect);
  collect.refuse();
  GemvWriter writer(problem, plan);
  Schedule schedule;
  schedule.name = "gemv " + std::to_string(problem.m) + "x" + std::to_string(problem.n) + "x" +
                  std::to_string(problem.k) + " " + std::string(name(problem.dtype));
  schedule.buffers = {matrix_buffer("A", problem.m, problem.k, problem.dtype),
                      matrix_buffer("B", problem.n, problem.k, problem.dtype),
                      matrix_buffer("C", problem.m, problem.n, result_type(problem))};
  schedule.grid_n = divided_up(problem.n, std::int64_t{plan.columns});
  schedule.roles = {{"worker", static_cast<int>(writer.warps()), writer.write()}};
  schedule.shared_tiles = {writer.tile()};
  schedule.registers_per_thread = plan.registers;
  schedule.work = {2 * static_cast<double>(problem.m) * static_cast<double>(problem.n) * static_cast<double>(problem.k),
                   Pipe::fma, problem.dtype, DType::fp32};
  schedule.choices = {{"columns", std::to_string(plan.columns)},
                      {"threads", std::to_string(plan.threads)},
                      {"vector", std::to_string(plan.vector)},
                      {"registers", std::to_string(plan.registers)}};
  return checked_kernel(std::move(schedule));
}

}  // namespace gpusim::schedules
