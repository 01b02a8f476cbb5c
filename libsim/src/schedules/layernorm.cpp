#include "gpusim/schedules/layernorm.h"

#include "schedules/element_cost.h"
#include "schedules/row_plan.h"

namespace gpusim::schedules {
namespace {

constexpr double norm_epsilon = 1e-5;
constexpr BufferId norm_source{0};

/// The running mean and variance of an element, less the two additions that sums take, each step waiting for the one
/// before: count + 1; whether its reciprocal is a normal number, with branches around; the reciprocal; a Newton step;
/// mean and variance. As PyTorch 2.11's vectorized_layer_norm_kernel is compiled for sm_90; also what brings two lanes'
/// together.
constexpr std::int64_t welford_checks = 3;
constexpr IndexCost welford_branches{2, 1};
constexpr std::int64_t welford_newton_steps = 3;
constexpr std::int64_t welford_updates = 2;
constexpr std::int64_t welford_merge_updates = 9;
constexpr std::int64_t welford_values = 3;  ///< mean, variance and count go along

class NormWriter {
 public:
  NormWriter(const NormProblem& problem, const RowPlan& plan, const NormTiling& tiling)
      : problem_(problem),
        plan_(plan),
        welford_(tiling.welford),
        scalar_weights_(tiling.scalar_weights),
        rows_(plan),
        x_(rows_.token("x")),
        sum_(rows_.token("sum")),
        squares_(rows_.token("squares")) {}

  Program write(std::vector<SharedTile>& tiles) {
    const bool shared = plan_.tiling.place == RowPlace::shared;
    const std::int64_t arrays = 2 + (layer() ? 2 : 1) + (problem_.residual ? 2 : 0);
    if (shared) tiles.push_back(rows_.row_tile());
    if (plan_.warps_per_row() > 1) tiles.push_back(rows_.meeting_tile(layer() ? 2 : 1, TileId(shared ? 1 : 0)));
    rows_.begin(arrays);
    if (layer()) rows_.clear(sum_, Reduction::sum);
    rows_.clear(squares_, Reduction::sum);
    rows_.pass(1, [&](Body& body) { statistics(body); });
    meet();
    rows_.pass(arrays, [&](Body& body) { normalise(body); });
    return rows_.take();
  }

 private:
  [[nodiscard]] bool layer() const { return problem_.norm == NormKind::layer; }

  void statistics(Body& body) {
    rows_.load(body, norm_source, x_);
    if (problem_.residual) {
      const Token r = rows_.token_once("r");
      rows_.load(body, BufferId(1), r);
      append(body, Map{.into = x_, .a = x_, .b = r}, rows_.elements());
      rows_.store(body, BufferId(2), x_, plan_.dtype);
    }
    if (plan_.tiling.place == RowPlace::shared) rows_.store_row(body, x_);
    if (layer()) rows_.reduce(body, x_, sum_, Reduction::sum);
    rows_.reduce(body, x_, squares_, Reduction::sum_of_squares);
    if (welford_)
      for (std::int64_t element = 0; element < rows_.elements(); ++element) append_welford(body, welford_updates);
  }

  /// One after another, as it is compiled.
  void append_welford(Body& body, std::int64_t updates, const std::optional<Bound>& warps = {}) const {
    append_cost(body, Pipe::fma, squares_, 1, warps);
    append_cost(body, Pipe::alu, squares_, welford_checks, warps);
    append_index(body, welford_branches, 1, warps);
    append_cost(body, Pipe::sfu, squares_, 1, warps);
    for (std::int64_t step = 0; step < welford_newton_steps; ++step) append_cost(body, Pipe::fma, squares_, 1, warps);
    append_cost(body, Pipe::fma, squares_, updates, warps);
  }

  /// mean = sum / n; rstd = 1 / sqrt(squares / n - mean^2 + epsilon)
  void meet() {
    Body& body = rows_.body();
    const double share = 1.0 / static_cast<double>(plan_.columns);
    if (layer()) rows_.meet(sum_, Reduction::sum, 0, 1);
    rows_.meet(squares_, Reduction::sum, layer() ? 1 : 0, welford_ ? welford_values - 1 : 1);
    if (welford_)
      for (std::int64_t merge = 0; merge < merges(); ++merge)
        append_welford(body, welford_merge_updates, rows_.busy_warps());
    if (layer()) {
      const Token mean_squared = rows_.token("mean_squared");
      append(body, Map{.into = sum_, .a = sum_, .alpha = share});
      append(body, Map{.into = mean_squared, .a = sum_, .function = Function::square});
      append(body, Map{.into = squares_, .a = squares_, .b = mean_squared, .alpha = share, .beta = -1});
    } else {
      append(body, Map{.into = squares_, .a = squares_, .alpha = share});
    }
    append(body,
           Map{.pipe = Pipe::sfu, .into = squares_, .a = squares_, .term = norm_epsilon, .function = Function::rsqrt});
  }

  /// Steps in which lanes, then warps, bring theirs together.
  [[nodiscard]] std::int64_t merges() const {
    std::int64_t steps = 0;
    for (int lanes = plan_.tiling.threads; lanes > 1; lanes /= 2) ++steps;
    return steps;
  }

  void normalise(Body& body) {
    const int first = problem_.residual ? 3 : 1;
    if (plan_.tiling.place == RowPlace::shared) rows_.load_row(body, x_);
    if (plan_.tiling.place == RowPlace::memory) rows_.load(body, problem_.residual ? BufferId(2) : norm_source, x_);
    const Token weight = rows_.token_once("weight");
    load_weights(body, BufferId(first), weight);
    if (layer()) rows_.with_row(body, x_, sum_, Combination::sum, 1, -1);
    rows_.with_row(body, x_, squares_, Combination::product);
    rows_.with_column(body, x_, weight, Combination::product);
    if (layer()) {
      const Token bias = rows_.token_once("bias");
      load_weights(body, BufferId(first + 1), bias);
      rows_.with_column(body, x_, bias, Combination::sum);
    }
    rows_.store(body, BufferId(first + (layer() ? 2 : 1)), x_, plan_.dtype);
  }

  void load_weights(Body& body, BufferId buffer, Token weights) const {
    if (scalar_weights_)
      rows_.load_scalars(body, buffer, weights);
    else
      rows_.load(body, buffer, weights, true);
  }

  const NormProblem& problem_;
  const RowPlan& plan_;
  bool welford_, scalar_weights_;
  RowWriter rows_;
  Token x_, sum_, squares_;
};

std::vector<Buffer> norm_buffers(const NormProblem& problem) {
  const auto matrix = [&](const char* name) {
    return matrix_buffer(name, problem.rows, problem.columns, problem.dtype);
  };
  std::vector<Buffer> buffers{matrix("X")};
  if (problem.residual) {
    buffers.push_back(matrix("R"));
    buffers.push_back(matrix("S"));
  }
  buffers.push_back(matrix_buffer("weight", 1, problem.columns, problem.dtype));
  if (problem.norm == NormKind::layer) buffers.push_back(matrix_buffer("bias", 1, problem.columns, problem.dtype));
  buffers.push_back(matrix("Y"));
  return buffers;
}

}  // namespace

Schedule layernorm(const NormProblem& problem, const NormTiling& tiling) {
  KernelCollector collect;
  const RowPlan plan = plan_rows(problem.rows, problem.columns, problem.dtype, tiling, collect);
  collect.require(!tiling.welford || problem.norm == NormKind::layer, "welford",
                  "an RMS norm has no mean to keep running");
  collect.require(tiling.beside.element == 0, "beside.element", "norms have no exponentials");
  collect.refuse();
  std::vector<SharedTile> tiles;
  Program program = NormWriter(problem, plan, tiling).write(tiles);
  const std::string name = std::string(problem.norm == NormKind::layer ? "layer" : "rms") + " norm " +
                           std::to_string(problem.rows) + "x" + std::to_string(problem.columns) + " " +
                           std::string(gpusim::name(problem.dtype));
  const double operations = problem.norm == NormKind::layer ? 7 : 4;
  Schedule schedule = row_kernel(plan, name, norm_buffers(problem), std::move(tiles), std::move(program),
                                 operations * static_cast<double>(problem.rows) * static_cast<double>(problem.columns));
  schedule.choices.emplace_back("welford", tiling.welford ? "true" : "false");
  if (tiling.scalar_weights) schedule.choices.emplace_back("scalar_weights", "true");
  return schedule;
}

}  // namespace gpusim::schedules
