#include "gpusim/schedules/copy.h"

#include "schedules/stream_plan.h"

namespace gpusim::schedules {
namespace {

std::string_view stream_name(StreamKind kind) { return names_of(kind).at(static_cast<std::size_t>(kind)); }

int arrays_read(StreamKind kind) {
  if (kind == StreamKind::write) return 0;
  return kind == StreamKind::add || kind == StreamKind::triad ? 2 : 1;
}

/// Floating-point operations of an element.
int operations_of(StreamKind kind) {
  if (kind == StreamKind::triad) return 2;
  return kind == StreamKind::write || kind == StreamKind::copy ? 0 : 1;
}

struct CopyWriter {
  const CopyProblem& problem;
  const StreamPlan& plan;
  Program program;
  Body body;

  /// What is loaded, computed and stored for one piece; W is the last buffer.
  Program write() {
    const int reads = arrays_read(problem.kind);
    std::vector<Token> loaded;
    for (int i = 0; i < reads; ++i) {
      loaded.push_back(program.token(i == 0 ? "r" : "s"));
      append(body, LoadGlobal{.from = stream_access(plan, BufferId(i)), .into = loaded.back()}, plan.tiling.unroll);
    }
    if (problem.kind == StreamKind::read) {
      const Token sum = program.token("sum");
      append(body, Reduce{.into = sum, .from = loaded[0], .keep = true}, plan.elements());
    } else {
      const Token stored = computed(loaded);
      append(body, StoreGlobal{.to = stream_access(plan, BufferId(reads)), .from = stored}, plan.tiling.unroll);
    }
    program.body = stream_body(plan, reads + (problem.kind == StreamKind::read ? 0 : 1), std::move(body));
    return std::move(program);
  }

 private:
  Token computed(const std::vector<Token>& loaded) {
    if (problem.kind == StreamKind::copy) return loaded[0];
    if (problem.kind == StreamKind::write) {
      const Token value = program.token("w");
      append(body, Arithmetic{.pipe = Pipe::alu, .reads = {}, .writes = value, .overhead = false}, plan.elements());
      append(body, Map{.pipe = Pipe::alu, .into = value, .a = value, .term = problem.scalar});
      return value;
    }
    Map map{.into = loaded[0], .a = loaded[0]};
    if (problem.kind == StreamKind::scale) map.alpha = problem.scalar;
    if (loaded.size() > 1) map.b = loaded[1];
    if (problem.kind == StreamKind::triad) map.beta = problem.scalar;
    for (const Token token : loaded) append_widening(body, problem.dtype, token, plan.elements());
    append(body, map, plan.elements());
    append_narrowing(body, problem.dtype, loaded[0], plan.elements());
    return loaded[0];
  }
};

}  // namespace

Schedule copy(const CopyProblem& problem, const StreamTiling& tiling) {
  KernelCollector collect;
  const StreamPlan plan = plan_stream(1, problem.elements, {problem.dtype}, tiling, collect);
  collect.refuse();
  std::vector<Buffer> buffers;
  if (arrays_read(problem.kind) > 0) buffers.push_back(matrix_buffer("R", 1, problem.elements, problem.dtype));
  if (arrays_read(problem.kind) > 1) buffers.push_back(matrix_buffer("S", 1, problem.elements, problem.dtype));
  if (problem.kind != StreamKind::read) buffers.push_back(matrix_buffer("W", 1, problem.elements, problem.dtype));
  const std::string name = std::string(stream_name(problem.kind)) + " " + std::to_string(problem.elements) + " " +
                           std::string(gpusim::name(problem.dtype));
  return stream_kernel(plan, name, std::move(buffers), CopyWriter{problem, plan, {}, {}}.write(),
                       static_cast<double>(problem.elements) * operations_of(problem.kind), problem.dtype);
}

}  // namespace gpusim::schedules
