// check_gemm() of kernels written by hand: one warp multiplies small matrices straight from global memory.
#include <doctest/doctest.h>

#include "gpusim/functional.h"
#include "support/probe_programs.h"

namespace gpusim::functional_check_gemm_test {

using functional::check_gemm;
using schedules::GemmLayout;
using schedules::GemmProblem;
using testing::Probe;

namespace {

constexpr std::int64_t m = 16, n = 8, k = 24;
constexpr Token c{0}, a{1}, b{2}, source{3}, bias{4};
const Layout layer = along(Coordinate::block_z);

GlobalAccess whole(std::int64_t buffer, const Buffer& of, const Layout& of_layer = layer) {
  GlobalAccess access{BufferId(buffer), along(Coordinate::repeat), along(Coordinate::lane)};
  access.lanes = Bound{along(Coordinate::lane), of.columns};
  access.layer = of_layer;
  return access;
}

Buffer buffer_of(const char* name, std::int64_t rows, std::int64_t columns, std::int64_t layers) {
  Buffer buffer{name, rows, columns, 32, DType::fp32};
  buffer.layers = layers;
  return buffer;
}
Buffer buffer_of(const char* name, bool transposed, std::int64_t rows, std::int64_t columns, std::int64_t layers) {
  return transposed ? buffer_of(name, columns, rows, layers) : buffer_of(name, rows, columns, layers);
}

Probe with_tokens() {
  Probe probe;
  for (const char* const name : {"c", "a", "b", "source", "bias"}) (void)probe.token(name);
  return probe;
}

/// The whole problem, a product a CTA.
Schedule kernel(const GemmProblem& problem) {
  const bool a_transposed = problem.layout == GemmLayout::tn || problem.layout == GemmLayout::tt;
  const bool b_transposed = problem.layout == GemmLayout::nt || problem.layout == GemmLayout::tt;
  const std::int64_t stored_k = problem.sparse ? k / 2 : k;
  const std::vector<Buffer> buffers{buffer_of("A", a_transposed, m, stored_k, problem.batch),
                                    buffer_of("B", b_transposed, k, n, problem.batch),
                                    buffer_of("C", m, n, problem.batch), buffer_of("bias", 1, n, 1)};
  Multiply multiply{.a = a, .b = b, .c = c, .sparse = problem.sparse};
  multiply.a_transposed = a_transposed;
  multiply.b_transposed = b_transposed;
  Scale scale{.c = c, .alpha = problem.alpha, .beta = problem.beta, .activation = problem.activation};
  if (problem.beta != 0) scale.source = source;
  if (problem.bias) scale.bias = bias;
  Probe probe = with_tokens();
  probe.add(LoadGlobal{whole(0, buffers[0]), a}, buffers[0].rows);
  probe.add(LoadGlobal{whole(1, buffers[1]), b}, buffers[1].rows);
  if (problem.beta != 0) probe.add(LoadGlobal{whole(2, buffers[2]), source}, m);
  if (problem.bias) probe.add(LoadGlobal{whole(3, buffers[3], 0), bias});
  Schedule schedule = probe.add(multiply).add(scale).add(StoreGlobal{whole(2, buffers[2]), c}, m).schedule();
  schedule.grid_z = problem.batch;
  schedule.buffers = buffers;
  if (!problem.bias) schedule.buffers.pop_back();
  return schedule;
}

GemmProblem problem_of() { return {.m = m, .n = n, .k = k, .dtype = DType::fp32}; }

std::int64_t wrong(const GemmProblem& problem) { return check_gemm({kernel(problem)}, problem).wrong; }

/// One of three slices of k each, added to C or left in a layer of the workspace.
Schedule slices(bool atomics) {
  constexpr std::int64_t splits = 3, slice = k / splits;
  const std::vector<Buffer> buffers{buffer_of("A", m, k, 1), buffer_of("B", k, n, 1), buffer_of("C", m, n, 1),
                                    buffer_of("workspace", m, n, splits)};
  LoadGlobal load_a{whole(0, buffers[0], 0), a};
  load_a.from.lanes->limit = slice;
  load_a.from.column += along(Coordinate::block_z, slice);
  LoadGlobal load_b{whole(1, buffers[1], 0), b};
  load_b.from.row += along(Coordinate::block_z, slice);
  Probe probe = with_tokens().add(load_a, m).add(load_b, slice).add(Multiply{.a = a, .b = b, .c = c});
  if (atomics)
    probe.add(AtomicAdd{whole(2, buffers[2], 0), c, std::nullopt}, m);
  else
    probe.add(StoreGlobal{whole(3, buffers[3]), c}, m);
  Schedule schedule = probe.schedule();
  schedule.grid_z = splits;
  schedule.buffers = buffers;
  return schedule;
}

/// Adds up `layers` of the workspace.
Schedule reduction(const GemmProblem& problem, std::int64_t layers) {
  const Schedule first = slices(false);
  const Layout of_loop = along(Coordinate::loop0);
  Probe body = with_tokens();
  body.add(LoadGlobal{whole(1, first.buffers[3], of_loop), a}, m);
  body.add(Scale{.c = c, .source = a, .alpha = 1, .beta = 1});
  Probe probe = with_tokens().add(Arithmetic{.writes = c}).loop(layers, body);
  probe.add(LoadGlobal{whole(0, first.buffers[2]), source}, m);
  probe.add(Scale{.c = c, .source = source, .alpha = problem.alpha, .beta = problem.beta});
  Schedule schedule = probe.add(StoreGlobal{whole(0, first.buffers[2]), c}, m).schedule();
  schedule.buffers = {first.buffers[2], first.buffers[3]};
  return schedule;
}

}  // namespace

TEST_CASE("a right product of every layout has no wrong elements") {
  GemmProblem problem = problem_of();
  for (const GemmLayout layout : {GemmLayout::nn, GemmLayout::nt, GemmLayout::tn, GemmLayout::tt}) {
    problem.layout = layout;
    const functional::GemmCheck check = check_gemm({kernel(problem)}, problem);
    CHECK(check.elements == m * n);
    CHECK(check.wrong == 0);
  }
}

TEST_CASE("batches, bias, activations, alpha and beta, sparse A") {
  GemmProblem problem = problem_of();
  problem.batch = 3;
  problem.alpha = 0.5;
  CHECK(wrong(problem) == 0);
  problem.layout = GemmLayout::tt;
  problem.beta = 2;
  problem.bias = true;
  for (const Activation activation : {Activation::none, Activation::relu, Activation::gelu, Activation::silu}) {
    problem.activation = activation;
    CHECK(wrong(problem) == 0);
  }
  problem.sparse = true;
  CHECK(wrong(problem) == 0);
}

TEST_CASE("a kernel that leaves out a part of the problem is wrong") {
  const auto wrong_without = [](const GemmProblem& done, const GemmProblem& asked) {
    return check_gemm({kernel(done)}, asked).wrong > 0;
  };
  const auto with = [](auto change) {
    GemmProblem problem = problem_of();
    change(problem);
    return problem;
  };
  const GemmProblem plain = problem_of();
  CHECK(wrong_without(plain, with([](GemmProblem& problem) { problem.bias = true; })));
  CHECK(wrong_without(plain, with([](GemmProblem& problem) { problem.activation = Activation::relu; })));
  CHECK(wrong_without(plain, with([](GemmProblem& problem) { problem.alpha = 2; })));
  CHECK(wrong_without(plain, with([](GemmProblem& problem) { problem.beta = 1; })));
  CHECK(wrong_without(with([](GemmProblem& problem) { problem.activation = Activation::gelu; }),
                      with([](GemmProblem& problem) { problem.activation = Activation::silu; })));
}

TEST_CASE("a batch's kernel that forgets the layers is wrong from the second product on") {
  GemmProblem problem = problem_of();
  problem.batch = 2;
  Schedule schedule = kernel(problem);
  std::get<StoreGlobal>(std::get<Operation>(schedule.roles[0].program.body.back()).action).to.layer = 0;
  const functional::GemmCheck check = check_gemm({schedule}, problem);
  CHECK(check.wrong > m * n);
  CHECK(check.first_layer == 0);
  std::get<StoreGlobal>(std::get<Operation>(schedule.roles[0].program.body.back()).action).to.layer = layer;
  std::get<LoadGlobal>(std::get<Operation>(schedule.roles[0].program.body.front()).action).from.layer = 0;
  CHECK(check_gemm({schedule}, problem).first_layer == 1);
}

TEST_CASE("kernels in a row share the workspace") {
  GemmProblem problem = problem_of();
  problem.alpha = 2;
  problem.beta = -1;
  CHECK(check_gemm({slices(false), reduction(problem, 3)}, problem).wrong == 0);
  CHECK(check_gemm({slices(false), reduction(problem, 2)}, problem).wrong > 0);
  CHECK(check_gemm({reduction(problem, 3), slices(false)}, problem).wrong == m * n);
}

TEST_CASE("atomics add to a C of zeros") { CHECK(check_gemm({slices(true)}, problem_of()).wrong == 0); }

TEST_CASE("an element of C that nobody writes is wrong, whatever it should be") {
  Schedule schedule = kernel(problem_of());
  std::get<Operation>(schedule.roles[0].program.body.back()).count = m - 1;
  const functional::GemmCheck check = check_gemm({schedule}, problem_of());
  CHECK(check.wrong == n);
  CHECK(check.first_row == m - 1);
}

TEST_CASE("buffers of other shapes than the product's are refused") {
  GemmProblem problem = problem_of();
  problem.k = 32;
  CHECK_THROWS_WITH_AS(static_cast<void>(check_gemm({kernel(problem_of())}, problem)),
                       "A: the buffer is 16 x 24, the matrix given 16 x 32\n"
                       "B: the buffer is 24 x 8, the matrix given 32 x 8",
                       ScheduleError);
  Schedule without = kernel(problem_of());
  without.buffers[2].name = "D";
  CHECK_THROWS_WITH_AS(static_cast<void>(check_gemm({without}, problem_of())),
                       "buffers: a GEMM has buffers A, B and C; there is no C", ScheduleError);
}

}  // namespace gpusim::functional_check_gemm_test
