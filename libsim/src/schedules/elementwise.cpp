#include "gpusim/schedules/elementwise.h"

#include "schedules/element_cost.h"
#include "schedules/stream_plan.h"

namespace gpusim::schedules {
namespace {

using Op = ElementwiseOperation;

constexpr double constant_operand = 4;

std::string_view operation_name(Op operation) { return names_of(operation).at(static_cast<std::size_t>(operation)); }

Function function_of(Op operation) {
  switch (operation) {
    case Op::relu:
      return Function::relu;
    case Op::gelu:
      return Function::gelu;
    case Op::silu:
      return Function::silu;
    case Op::tanh:
      return Function::tanh;
    case Op::exp:
      return Function::exp;
    default:
      return Function::identity;
  }
}

Combination combination_of(Op operation) {
  switch (operation) {
    case Op::multiply:
      return Combination::product;
    case Op::divide:
      return Combination::quotient;
    case Op::power:
      return Combination::power;
    default:
      return Combination::sum;
  }
}

struct ElementwiseWriter {
  const ElementwiseProblem& problem;
  const StreamPlan& plan;
  DType result;
  Program program;
  Body body;
  std::vector<Token> loaded;
  std::optional<Token> factor;

  Program write() {
    Body before;
    if (problem.scaled) before = read_factor();
    const Token a = load("a", BufferId(0));
    const bool two = is_binary(problem.operation) && !problem.scalar;
    const Token b = two || problem.gated ? (two ? load("b", BufferId(1)) : load("b", BufferId(0), problem.columns)) : a;
    compute(a, b, two);
    append_narrowing(body, result, a, plan.elements());
    append(body, StoreGlobal{.to = stream_access(plan, BufferId(two ? 2 : 1)), .from = a}, plan.tiling.unroll,
           inside());
    program.body = stream_body(plan, two || problem.gated ? 3 : 2, std::move(body));
    program.body.insert(program.body.begin(), std::make_move_iterator(before.begin()),
                        std::make_move_iterator(before.end()));
    return std::move(program);
  }

 private:
  /// In a register of each thread; nothing else is asked for until it is there and inverted.
  Body read_factor() {
    Body read;
    factor = program.token("factor");
    append(read, LoadGlobal{.from = {.buffer = BufferId(is_binary(problem.operation) && !problem.scalar ? 3 : 2)},
                            .into = *factor});
    append_cost(read, Pipe::fma, *factor, division_cost.fma);
    append_cost(read, Pipe::alu, *factor, division_cost.alu);
    append(read, Map{.pipe = Pipe::sfu, .into = *factor, .a = *factor, .function = Function::reciprocal});
    return read;
  }

  /// Threads beyond a row of gated elements would find the other half of it.
  [[nodiscard]] std::optional<Bound> inside() const {
    if (!problem.gated) return std::nullopt;
    return Bound{along(Coordinate::block_n, plan.span()) +
                     along(Coordinate::warp, std::int64_t{lanes_per_warp} * plan.tiling.vector),
                 plan.columns};
  }

  Token load(const char* name, BufferId buffer, std::int64_t further = 0) {
    const Token token = program.token(name);
    append(body,
           LoadGlobal{.from = stream_access(plan, buffer, further), .into = token, .origin_column = Layout(further)},
           plan.tiling.unroll, inside());
    loaded.push_back(token);
    return token;
  }

  void compute(Token a, Token b, bool two) {
    for (const Token token : loaded) append_widening(body, problem.dtype, token, plan.elements());
    if (factor)
      append(body,
             Map{.into = a,
                 .a = a,
                 .b = *factor,
                 .combination = Combination::product,
                 .b_from = BroadcastFrom::row,
                 .dealing = {1, 1}},
             plan.elements());
    const ElementCost cost = element_cost(problem.operation);
    append_cost(body, Pipe::fma, a, (cost.fma - 1) * plan.elements());
    append_cost(body, Pipe::alu, a, (cost.fma > 0 ? cost.alu : cost.alu - 1) * plan.elements());
    append_cost(body, Pipe::sfu, a, cost.sfu * plan.elements());
    Map map{.pipe = cost.fma > 0 ? Pipe::fma : Pipe::alu, .into = a, .a = a};
    map.function = function_of(problem.operation);
    if (two) {
      map.b = b;
      map.combination = combination_of(problem.operation);
      if (problem.operation == Op::subtract) map.beta = -1;
    } else if (is_binary(problem.operation)) {
      set_constant(map);
    }
    if (problem.operation != Op::cast) append(body, map, plan.elements());
    if (problem.gated)
      append(body, Map{.into = a, .a = a, .b = b, .combination = Combination::product}, plan.elements());
  }

  /// A constant in place of the second operand.
  void set_constant(Map& map) const {
    switch (problem.operation) {
      case Op::add:
        map.term = constant_operand;
        return;
      case Op::subtract:
        map.term = -constant_operand;
        return;
      case Op::multiply:
        map.alpha = constant_operand;
        return;
      case Op::divide:
        map.alpha = 1 / constant_operand;
        return;
      default:
        map.function = Function::square;
    }
  }
};

}  // namespace

Schedule elementwise(const ElementwiseProblem& problem, const StreamTiling& tiling) {
  KernelCollector collect;
  const DType result = problem.result.value_or(problem.dtype);
  const std::string operation(operation_name(problem.operation));
  collect.require(!problem.scalar || is_binary(problem.operation), "scalar",
                  operation + " has one operand: there is no second one to be a constant");
  collect.require(!problem.gated || !is_binary(problem.operation), "gated",
                  "the gate is a function of one element, and " + operation + " takes two");
  collect.require(!problem.by_row || !problem.gated, "by_row", "gated rows are apart as it is; without it they are");
  collect.require(!problem.scaled || !problem.gated, "scaled",
                  "gated elements have no factor in memory; one of the two goes");
  const std::int64_t rows = has_rows(problem) ? problem.rows : 1;
  collect.within(problem.rows, 1, std::int64_t{1} << 31, "rows");
  collect.within(problem.columns, 1, std::int64_t{1} << 31, "columns");
  collect.refuse();
  const std::int64_t elements = problem.rows * problem.columns;
  collect.require(elements <= std::int64_t{1} << 40, "rows",
                  std::to_string(elements) + " elements are more than 2^40; fewer rows, or columns, would do");
  collect.refuse();
  const std::int64_t columns = has_rows(problem) ? problem.columns : problem.rows * problem.columns;
  std::vector<DType> dtypes{problem.dtype, result};
  if (is_binary(problem.operation) && !problem.scalar) dtypes.push_back(problem.dtype);
  const StreamPlan plan = plan_stream(rows, columns, dtypes, tiling, collect);
  collect.refuse();
  std::vector<Buffer> buffers{matrix_buffer("A", rows, problem.gated ? 2 * columns : columns, problem.dtype)};
  if (dtypes.size() > 2) buffers.push_back(matrix_buffer("B", rows, columns, problem.dtype));
  buffers.push_back(matrix_buffer("Y", rows, columns, result));
  if (problem.scaled) buffers.push_back(matrix_buffer("factor", 1, 1, DType::fp32));
  const std::string how =
      problem.gated ? " gated " : std::string(problem.scaled ? " scaled" : "") + (problem.by_row ? " by row " : " ");
  const std::string name = operation + how + std::to_string(problem.rows) + "x" + std::to_string(problem.columns) +
                           " " + std::string(gpusim::name(problem.dtype));
  Schedule schedule =
      stream_kernel(plan, name, std::move(buffers), ElementwiseWriter{problem, plan, result, {}, {}, {}, {}}.write(),
                    static_cast<double>(problem.rows) * static_cast<double>(problem.columns), problem.dtype);
  if (result != problem.dtype) schedule.choices.emplace_back("result", gpusim::name(result));
  return schedule;
}

}  // namespace gpusim::schedules
