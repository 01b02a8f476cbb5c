// The second kernel of split attention: each row's results, weighed by their maxima and sums.
#include <limits>

#include "schedules/attention_plan.h"
#include "schedules/element_cost.h"

namespace gpusim::schedules {
namespace {

constexpr BufferId combine_partials{0};
constexpr BufferId combine_maxima{1};
constexpr BufferId combine_sums{2};
constexpr BufferId combine_result{3};

constexpr int combined_rows = 4;  ///< of a CTA: a warp each
constexpr std::int64_t combine_index_instructions = 20;
constexpr std::int64_t combine_trip_instructions = 6;
constexpr int combine_registers = 40;

class CombineWriter {
 public:
  explicit CombineWriter(const AttentionPlan& plan) : plan_(plan) {}

  Program write() {
    constexpr double lowest = std::numeric_limits<float>::lowest();
    const Token greatest = program_.token("greatest");
    const Token all = program_.token("all");
    const Token sum = program_.token("sum");
    const Token m = program_.token("m");
    const Token l = program_.token("l");
    const Token part = program_.token("part");
    const double scale = plan_.scale();
    Body& body = program_.body;
    append_overhead(body, combine_index_instructions);
    for (const Token token : {greatest, all, sum})
      append(body, Arithmetic{.pipe = Pipe::alu, .reads = {}, .writes = token, .overhead = true});
    append(body, Map{.pipe = Pipe::alu, .into = greatest, .a = greatest, .term = lowest});

    Loop first{plan_.tiling.splits, {}, false};
    append_overhead(first.body, combine_trip_instructions);
    append(first.body, LoadGlobal{.from = of_row(combine_maxima), .into = m});
    append(first.body,
           Map{.pipe = Pipe::alu, .into = greatest, .a = greatest, .b = m, .combination = Combination::maximum});
    body.emplace_back(std::move(first));

    Loop second{plan_.tiling.splits, {}, true};
    append_overhead(second.body, combine_trip_instructions);
    append(second.body, LoadGlobal{.from = of_row(combine_maxima), .into = m});
    append(second.body, LoadGlobal{.from = of_row(combine_sums), .into = l});
    append(second.body, LoadGlobal{.from = of_output(combine_partials, split_layer()), .into = part}, accesses());
    append(second.body, Map{.into = m, .a = m, .b = greatest, .alpha = scale, .beta = -scale});
    append(second.body, Map{.pipe = Pipe::sfu, .into = m, .a = m, .function = Function::exp2});
    append(second.body, Map{.into = l, .a = l, .b = m, .combination = Combination::product});
    append(second.body, Map{.into = sum, .a = sum, .b = l});
    append(second.body, by_row(part, m), elements());
    append(second.body, Map{.into = all, .a = all, .b = part}, elements());
    body.emplace_back(std::move(second));

    append_cost(body, Pipe::fma, sum, division_cost.fma);
    append(body, Map{.pipe = Pipe::sfu, .into = sum, .a = sum, .function = Function::reciprocal});
    append(body, by_row(all, sum), elements());
    append_narrowing(body, plan_.problem.dtype, all, elements());
    append(body, StoreGlobal{.to = of_output(combine_result, along(Coordinate::block_z)), .from = all}, accesses());
    return std::move(program_);
  }

 private:
  [[nodiscard]] int vector() const { return std::gcd(plan_.problem.head_dim / lanes_per_warp, 4); }
  [[nodiscard]] std::int64_t elements() const { return plan_.problem.head_dim / lanes_per_warp; }
  [[nodiscard]] std::int64_t accesses() const { return elements() / vector(); }
  [[nodiscard]] Layout split_layer() const {
    return along(Coordinate::block_z, plan_.tiling.splits) + along(Coordinate::loop0);
  }
  [[nodiscard]] static Layout row() { return along(Coordinate::block_m, combined_rows) + along(Coordinate::warp); }
  [[nodiscard]] GlobalAccess of_row(BufferId buffer) const {
    return {.buffer = buffer,
            .row = row(),
            .column = {},
            .vector = 1,
            .lanes = {},
            .address = {},
            .uniform = false,
            .layer = split_layer()};
  }
  [[nodiscard]] GlobalAccess of_output(BufferId buffer, const Layout& layer) const {
    const Layout column =
        along(Coordinate::lane, vector()) + along(Coordinate::repeat, std::int64_t{lanes_per_warp} * vector());
    return {.buffer = buffer,
            .row = row(),
            .column = column,
            .vector = vector(),
            .lanes = {},
            .address = {},
            .uniform = false,
            .layer = layer};
  }
  static Map by_row(Token x, Token of_the_row) {
    return {.into = x,
            .a = x,
            .b = of_the_row,
            .combination = Combination::product,
            .b_from = BroadcastFrom::row,
            .dealing = {1, 1}};
  }

  const AttentionPlan& plan_;
  Program program_;
};

}  // namespace

Schedule combine_splits(const AttentionPlan& plan) {
  const std::int64_t parts = plan.layers * plan.tiling.splits;
  const int head = plan.problem.head_dim;
  Schedule schedule;
  schedule.name = "combine " + std::to_string(plan.tiling.splits) + " splits of " + std::to_string(plan.layers) +
                  " x " + std::to_string(plan.rows) + "x" + std::to_string(head);
  schedule.buffers = {matrix_buffer("partials", plan.rows, head, DType::fp32, parts),
                      matrix_buffer("maxima", plan.rows, 1, DType::fp32, parts),
                      matrix_buffer("sums", plan.rows, 1, DType::fp32, parts),
                      matrix_buffer("O", plan.rows, head, plan.problem.dtype, plan.layers)};
  schedule.grid_m = divided_up(plan.rows, combined_rows);
  schedule.grid_z = plan.layers;
  schedule.roles = {{"worker", combined_rows, CombineWriter(plan).write()}};
  schedule.registers_per_thread = combine_registers;
  schedule.work = {0, Pipe::fma, plan.problem.dtype, DType::fp32};
  schedule.choices = {{"splits", std::to_string(plan.tiling.splits)}};
  return checked_kernel(std::move(schedule));
}

}  // namespace gpusim::schedules
