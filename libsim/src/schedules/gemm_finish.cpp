#include "schedules/gemm_finish.h"

#include <algorithm>

#include "schedules/gemm_scale.h"

namespace gpusim::schedules {
namespace {

constexpr std::int64_t store_overhead = 4;

/// Of that name, which may be there already.
Token token_of(Program& program, const std::string& name) {
  const auto found = std::find(program.tokens.begin(), program.tokens.end(), name);
  return found == program.tokens.end() ? program.token(name) : Token(found - program.tokens.begin());
}

}  // namespace

void append_finish(Program& program, Body& body, const GemmPlan& plan, const FinishedSums& sums) {
  const GemmProblem& problem = plan.problem;
  const std::int64_t elements = sums.count * sums.to.vector;
  const auto convert = [&](Token fragment, std::int64_t instructions) {
    if (size_of(result_type(problem)) < size_of(DType::fp32)) append_conversion(body, fragment, instructions);
  };
  append_overhead(body, store_overhead);
  Scale scale{.c = sums.c, .alpha = problem.alpha, .beta = problem.beta, .activation = problem.activation};
  if (problem.beta != 0) {
    scale.source = token_of(program, "source");
    append(body, LoadGlobal{.from = sums.to, .into = *scale.source}, sums.count);
    convert(*scale.source, elements);
  }
  if (problem.bias) {
    scale.bias = token_of(program, "bias");
    append(body, LoadGlobal{.from = sums.bias, .into = *scale.bias}, sums.count);
    convert(*scale.bias, elements);
  }
  const std::int64_t special = special_instructions(problem.activation) * elements;
  if (special > 0)
    append(body, Arithmetic{.pipe = Pipe::sfu, .reads = {sums.c}, .writes = sums.c, .overhead = false}, special);
  const std::int64_t instructions = scale_instructions(problem) * elements;
  if (instructions > 0) append(body, scale, instructions);
  convert(sums.c, pieces(elements, narrowed_per_instruction));
  append(body, StoreGlobal{sums.to, sums.c}, sums.count);
}

}  // namespace gpusim::schedules
