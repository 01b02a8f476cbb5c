// The second kernel of split attention: each row's results, weighed by their maxima and sums.
#include <limits>
#include <numeric>
#include <vector>

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
constexpr std::int64_t most_unrolled = 4;  ///< splits whose loads are on their way together
constexpr int combine_registers = 64;

class CombineWriter {
 public:
  explicit CombineWriter(const AttentionPlan& plan)
      : plan_(plan), unroll_(static_cast<int>(std::gcd(plan.tiling.splits, most_unrolled))) {}

  Program write() {
    constexpr double lowest = std::numeric_limits<float>::lowest();
    const Token greatest = program_.token("greatest");
    const Token all = program_.token("all");
    const Token sum = program_.token("sum");
    std::vector<Token> m;
    std::vector<Token> l;
    std::vector<Token> part;
    for (int i = 0; i < unroll_; ++i) {
      m.push_back(program_.token("m" + std::to_string(i)));
      l.push_back(program_.token("l" + std::to_string(i)));
      part.push_back(program_.token("part" + std::to_string(i)));
    }
    const double scale = plan_.scale();
    Body& body = program_.body;
    append_overhead(body, combine_index_instructions);
    for (const Token token : {greatest, all, sum})
      append(body, Arithmetic{.pipe = Pipe::alu, .reads = {}, .writes = token, .overhead = true});
    append(body, Map{.pipe = Pipe::alu, .into = greatest, .a = greatest, .term = lowest});

    const std::int64_t trips = plan_.tiling.splits / unroll_;
    Loop first{trips, {}, false};
    append_overhead(first.body, combine_trip_instructions);
    for (int i = 0; i < unroll_; ++i) append(first.body, LoadGlobal{.from = of_row(combine_maxima, i), .into = m[i]});
    for (int i = 0; i < unroll_; ++i)
      append(first.body,
             Map{.pipe = Pipe::alu, .into = greatest, .a = greatest, .b = m[i], .combination = Combination::maximum});
    body.emplace_back(std::move(first));

    Loop second{trips, {}, true};
    append_overhead(second.body, combine_trip_instructions);
    for (int i = 0; i < unroll_; ++i) {
      append(second.body, LoadGlobal{.from = of_row(combine_maxima, i), .into = m[i]});
      append(second.body, LoadGlobal{.from = of_row(combine_sums, i), .into = l[i]});
      append(second.body, LoadGlobal{.from = of_output(combine_partials, split_layer(i)), .into = part[i]}, accesses());
    }
    for (int i = 0; i < unroll_; ++i) {
      append(second.body, Map{.into = m[i], .a = m[i], .b = greatest, .alpha = scale, .beta = -scale});
      append(second.body, Map{.pipe = Pipe::sfu, .into = m[i], .a = m[i], .function = Function::exp2});
      append(second.body, Map{.into = l[i], .a = l[i], .b = m[i], .combination = Combination::product});
      append(second.body, Map{.into = sum, .a = sum, .b = l[i]});
      append(second.body, by_row(part[i], m[i]), elements());
      append(second.body, Map{.into = all, .a = all, .b = part[i]}, elements());
    }
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
  /// The split `ahead` of the trip's first.
  [[nodiscard]] Layout split_layer(int ahead) const {
    return along(Coordinate::block_z, plan_.tiling.splits) + along(Coordinate::loop0, unroll_) + ahead;
  }
  [[nodiscard]] static Layout row() { return along(Coordinate::block_m, combined_rows) + along(Coordinate::warp); }
  [[nodiscard]] GlobalAccess of_row(BufferId buffer, int ahead) const {
    return {.buffer = buffer,
            .row = row(),
            .column = {},
            .vector = 1,
            .lanes = {},
            .address = {},
            .uniform = false,
            .layer = split_layer(ahead)};
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
  int unroll_;
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
