#include "gpusim/schedules/softmax.h"

#include <numbers>

#include "schedules/element_cost.h"
#include "schedules/row_plan.h"

namespace gpusim::schedules {
namespace {

constexpr BufferId softmax_source{0};
constexpr BufferId softmax_result{1};

class SoftmaxWriter {
 public:
  SoftmaxWriter(const RowPlan& plan, const SoftmaxTiling& tiling)
      : plan_(plan), tiling_(tiling), rows_(plan), x_(rows_.token("x")), m_(rows_.token("m")), s_(rows_.token("s")) {}

  /// In registers: one look at the row. Else three passes, or two.
  Program write(std::vector<SharedTile>& tiles) {
    const bool shared = plan_.tiling.place == RowPlace::shared;
    if (shared) tiles.push_back(rows_.row_tile());
    if (plan_.warps_per_row() > 1) tiles.push_back(rows_.meeting_tile(2, TileId(shared ? 1 : 0)));
    rows_.begin(2);
    rows_.clear(m_, Reduction::maximum);
    rows_.clear(s_, Reduction::sum);
    if (tiling_.online)
      online_pass();
    else
      separate_passes();
    invert();
    rows_.pass(2, [&](Body& body) {
      if (plan_.tiling.place != RowPlace::registers) again(body);
      if (plan_.tiling.place != RowPlace::registers || tiling_.twice) exponentials(body, x_, m_);
      quotients(body);
      rows_.store(body, softmax_result, x_, plan_.dtype);
    });
    return rows_.take();
  }

 private:
  void separate_passes() {
    rows_.pass(1, [&](Body& body) {
      first_look(body);
      rows_.reduce(body, x_, m_, Reduction::maximum);
    });
    rows_.meet(m_, Reduction::maximum, 0);
    rows_.pass(1, [&](Body& body) {
      if (plan_.tiling.place != RowPlace::registers) again(body);
      const Token e = tiling_.twice ? rows_.token_once("e") : x_;
      if (tiling_.twice) append(body, Map{.pipe = Pipe::alu, .into = e, .a = x_});
      exponentials(body, e, m_);
      rows_.reduce(body, e, s_, Reduction::sum);
    });
    rows_.meet(s_, Reduction::sum, 1);
  }

  /// Each thread keeps a maximum and a sum of its own; they meet at the end.
  void online_pass() {
    const Token before = rows_.token("before");
    const auto scale_sum = [&](Body& body) {
      append(body, exponent_of(before, m_, Pipe::fma, Function::identity));
      append(body, Map{.pipe = Pipe::sfu, .into = before, .a = before, .function = Function::exp2});
      append(body, Map{.into = s_, .a = s_, .b = before, .combination = Combination::product});
    };
    rows_.pass(1, [&](Body& body) {
      first_look(body);
      append(body, Map{.pipe = Pipe::alu, .into = before, .a = m_});
      rows_.reduce(body, x_, m_, Reduction::maximum);
      scale_sum(body);
      own_exponentials(body);
      rows_.reduce(body, x_, s_, Reduction::sum);
    });
    append(rows_.body(), Map{.pipe = Pipe::alu, .into = before, .a = m_});
    rows_.meet(m_, Reduction::maximum, 0);
    Map down = exponent_of(before, m_, Pipe::fma, Function::identity);
    if (plan_.warps_per_row() > 1) {
      down.b_from = BroadcastFrom::row;
      down.dealing = rows_.known();
    }
    append(rows_.body(), down);
    append(rows_.body(), Map{.pipe = Pipe::sfu, .into = before, .a = before, .function = Function::exp2});
    append(rows_.body(), Map{.into = s_, .a = s_, .b = before, .combination = Combination::product});
    rows_.meet(s_, Reduction::sum, 1);
  }

  /// into = log2(e) (into - less), what is left to raise 2 to.
  static Map exponent_of(Token into, Token less, Pipe pipe, Function function) {
    return {.pipe = pipe,
            .into = into,
            .a = into,
            .b = less,
            .alpha = std::numbers::log2e,
            .beta = -std::numbers::log2e,
            .function = function};
  }

  void first_look(Body& body) {
    rows_.load(body, softmax_source, x_);
    rows_.mask(body, x_);
    if (plan_.tiling.place == RowPlace::shared) rows_.store_row(body, x_);
  }

  void again(Body& body) {
    if (plan_.tiling.place == RowPlace::shared)
      rows_.load_row(body, x_);
    else
      rows_.load(body, softmax_source, x_);
    rows_.mask(body, x_);
  }

  /// x = 2 ^ (log2(e) (x - m)), m being known to the whole row.
  void exponentials(Body& body, Token x, Token m) {
    append_beside(body, plan_.tiling.beside.element * rows_.elements());
    rows_.with_row(body, x, m, Combination::sum, std::numbers::log2e, -std::numbers::log2e);
    if (tiling_.precise) {
      append_cost(body, Pipe::fma, x, precise_exponential_cost.fma * rows_.elements());
      append_cost(body, Pipe::alu, x, precise_exponential_cost.alu * rows_.elements());
    }
    rows_.on_each(body, x, Function::exp2, Pipe::sfu);
  }

  /// The same with the thread's own m.
  void own_exponentials(Body& body) {
    append_beside(body, plan_.tiling.beside.element * rows_.elements());
    Map map = exponent_of(x_, m_, Pipe::fma, Function::identity);
    map.b_from = BroadcastFrom::row;
    map.dealing = rows_.own();
    append(body, map, rows_.elements());
    rows_.on_each(body, x_, Function::exp2, Pipe::sfu);
  }

  void invert() {
    if (tiling_.divides) return;
    append_cost(rows_.body(), Pipe::fma, s_, division_cost.fma);
    append(rows_.body(), Map{.pipe = Pipe::sfu, .into = s_, .a = s_, .function = Function::reciprocal});
  }

  void quotients(Body& body) {
    if (tiling_.divides && tiling_.precise) {
      for (std::int64_t element = 0; element < rows_.elements(); ++element) exact_quotient(body);
    } else if (tiling_.divides) {
      append_cost(body, Pipe::sfu, x_, quick_division_cost.sfu * rows_.elements());
      append_cost(body, Pipe::alu, x_, quick_division_cost.alu * rows_.elements());
      append_cost(body, Pipe::fma, x_, (quick_division_cost.fma - 1) * rows_.elements());
    }
    rows_.with_row(body, x_, s_, tiling_.divides ? Combination::quotient : Combination::product);
  }

  /// All of a division but one product. The branch where its check fails keeps the next element's behind it.
  void exact_quotient(Body& body) const {
    append_cost(body, Pipe::sfu, x_, 1);
    for (int step = 1; step < division_cost.fma; ++step) append_cost(body, Pipe::fma, x_, 1);
    append_cost(body, Pipe::sfu, x_, division_cost.sfu - 1);
    append_cost(body, Pipe::alu, x_, division_cost.alu);
  }

  const RowPlan& plan_;
  const SoftmaxTiling& tiling_;
  RowWriter rows_;
  Token x_, m_, s_;
};

}  // namespace

Schedule softmax(const SoftmaxProblem& problem, const SoftmaxTiling& tiling) {
  KernelCollector collect;
  const RowPlan plan = plan_rows(problem.rows, problem.columns, problem.dtype, tiling, collect);
  collect.require(!tiling.online || tiling.place != RowPlace::registers, "online",
                  "a row in registers needs no second pass; with the place shared or memory there is one to save");
  collect.require(!tiling.twice || tiling.place == RowPlace::registers, "twice",
                  "a row that is not kept in registers has its exponentials worked out in both passes anyway");
  collect.require(!tiling.online || !tiling.precise, "precise", "a running maximum has its exponentials by ex2");
  collect.refuse();
  std::vector<SharedTile> tiles;
  Program program = SoftmaxWriter(plan, tiling).write(tiles);
  const std::string name = "softmax " + std::to_string(problem.rows) + "x" + std::to_string(problem.columns) + " " +
                           std::string(gpusim::name(problem.dtype));
  std::vector<Buffer> buffers{matrix_buffer("X", problem.rows, problem.columns, problem.dtype),
                              matrix_buffer("Y", problem.rows, problem.columns, problem.dtype)};
  constexpr double operations = 5;  // a comparison, a difference, an exponential, a sum, a product
  Schedule schedule = row_kernel(plan, name, std::move(buffers), std::move(tiles), std::move(program),
                                 operations * static_cast<double>(problem.rows) * static_cast<double>(problem.columns));
  schedule.choices.emplace_back("online", tiling.online ? "true" : "false");
  schedule.choices.emplace_back("divides", tiling.divides ? "true" : "false");
  schedule.choices.emplace_back("precise", tiling.precise ? "true" : "false");
  if (tiling.twice) schedule.choices.emplace_back("twice", "true");
  return schedule;
}

}  // namespace gpusim::schedules
