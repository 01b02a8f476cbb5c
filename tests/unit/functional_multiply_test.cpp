// Multiplications of transposed and sparse fragments, and what is done to their sums.
#include <doctest/doctest.h>

#include <cmath>

#include "gpusim/functional.h"
#include "support/cluster_programs.h"

namespace gpusim::functional_multiply_test {

using functional::activated;
using functional::Matrix;
using functional::Memory;
using testing::Probe;

namespace {

constexpr std::int64_t m = 16, n = 8, k = 16;
constexpr Token c{0}, a{1}, b{2}, source{3}, bias{4};

/// All of a matrix of at most 32 columns, a row an instruction.
GlobalAccess whole(std::int64_t buffer, std::int64_t columns) {
  GlobalAccess access{BufferId(buffer), along(Coordinate::repeat), along(Coordinate::lane)};
  access.lanes = Bound{along(Coordinate::lane), columns};
  return access;
}

Matrix a_before() { return functional::random_matrix(m, k, 1); }
Matrix b_before() { return functional::random_matrix(k, n, 2); }
Matrix c_before() { return functional::random_matrix(m, n, 3); }
Matrix bias_before() { return functional::random_matrix(1, n, 4); }

/// One warp multiplies matrices given as they lie in memory, scales, and stores.
Matrix result(const Multiply& multiply, const Matrix& a_given, const Matrix& b_given,
              const std::vector<Scale>& scales = {}) {
  Probe probe;
  for (const char* const name : {"c", "a", "b", "source", "bias"}) (void)probe.token(name);
  probe.add(LoadGlobal{whole(0, a_given.cols()), a}, a_given.rows());
  probe.add(LoadGlobal{whole(1, b_given.cols()), b}, b_given.rows());
  probe.add(LoadGlobal{whole(2, n), source}, m).add(LoadGlobal{whole(3, n), bias}).add(multiply);
  for (const Scale& scale : scales) probe.add(scale);
  Schedule schedule = probe.add(StoreGlobal{whole(2, n), c}, m).schedule();
  schedule.buffers = {{"A", a_given.rows(), a_given.cols(), 16, DType::fp16},
                      {"B", b_given.rows(), b_given.cols(), 16, DType::fp16},
                      {"C", m, n, n, DType::fp64},
                      {"bias", 1, n, n, DType::fp64}};
  const Memory before{{"A", a_given}, {"B", b_given}, {"C", c_before()}, {"bias", bias_before()}};
  return functional::execute(schedule, before).at("C");
}

Multiply plain() { return {.a = a, .b = b, .c = c}; }
Matrix scaled(const Scale& scale) { return result(plain(), a_before(), b_before(), {scale}); }

Matrix applied(const Matrix& matrix, Activation activation) {
  return matrix.unaryExpr([&](double value) { return activated(value, activation); });
}

}  // namespace

TEST_CASE("a transposed operand is multiplied as it would be the other way round") {
  Multiply multiply = plain();
  CHECK(result(multiply, a_before(), b_before()) == a_before() * b_before());
  multiply.a_transposed = true;
  CHECK(result(multiply, a_before().transpose(), b_before()) == a_before() * b_before());
  multiply.b_transposed = true;
  CHECK(result(multiply, a_before().transpose(), b_before().transpose()) == a_before() * b_before());
  multiply.a_transposed = false;
  CHECK(result(multiply, a_before(), b_before().transpose()) == a_before() * b_before());
}

TEST_CASE("forgetting that an operand is transposed is caught") {
  CHECK(result(plain(), a_before().transpose(), b_before()) != a_before() * b_before());
}

TEST_CASE("a sparse fragment holds the first and the last of every four k") {
  Multiply multiply = plain();
  multiply.sparse = true;
  const Matrix stored = a_before().leftCols(k / 2);
  Matrix all = Matrix::Zero(m, k);
  for (std::int64_t column = 0; column < k / 2; ++column) all.col(column / 2 * 4 + column % 2 * 3) = stored.col(column);
  CHECK(result(multiply, stored, b_before()) == all * b_before());
  multiply.a_transposed = true;
  CHECK(result(multiply, stored.transpose(), b_before()) == all * b_before());
  CHECK(result(plain(), stored, b_before()) != all * b_before());
}

TEST_CASE("activations") {
  CHECK(activated(-2, Activation::none) == -2);
  CHECK(activated(-2, Activation::relu) == 0);
  CHECK(activated(2, Activation::relu) == 2);
  CHECK(activated(1, Activation::gelu) == doctest::Approx(0.8413447460685429));  // the normal distribution at 1
  CHECK(activated(-1, Activation::gelu) == doctest::Approx(-0.15865525393145707));
  CHECK(activated(1, Activation::silu) == doctest::Approx(0.7310585786300049));  // 1 / (1 + 1 / e)
  CHECK(activated(-100, Activation::silu) == doctest::Approx(0));
  for (const Activation activation : {Activation::relu, Activation::gelu, Activation::silu})
    CHECK(activated(0, activation) == 0);
}

TEST_CASE("sums are scaled, the source and the bias added, and the activation comes last") {
  const Matrix product = a_before() * b_before();
  CHECK(scaled({.c = c, .alpha = 3}) == 3 * product);
  CHECK(scaled({.c = c, .source = source, .alpha = 1, .beta = 0.5}) == product + 0.5 * c_before());
  CHECK(scaled({.c = c, .bias = bias}) == product.rowwise() + bias_before().row(0));
  for (const Activation activation : {Activation::relu, Activation::gelu, Activation::silu}) {
    CHECK(scaled({.c = c, .activation = activation}) == applied(product, activation));
    const Scale all{.c = c, .source = source, .alpha = 2, .beta = -1, .bias = bias, .activation = activation};
    const Matrix sum = (2 * product - c_before()).rowwise() + bias_before().row(0);
    CHECK(scaled(all) == applied(sum, activation));
  }
}

TEST_CASE("wgmma multiplies transposed tiles") {
  constexpr int wide = 64;
  const Matrix wide_a = functional::random_matrix(wide, k, 1);
  const Matrix wide_b = functional::random_matrix(k, wide, 2);
  // A lane has elements of a column, from (row, column) down.
  WarpgroupMultiply multiply = testing::wgmma(c);
  multiply.a = SharedAccess{.tile = TileId(0),
                            .row = along(Coordinate::lane, 8, 1, 2),
                            .column = along(Coordinate::warp, 16, 1, 4) + along(Coordinate::lane, 1, 2),
                            .vector = 8};
  multiply.b = {.tile = TileId(1),
                .row = along(Coordinate::lane, 32, 1, 2),
                .column = along(Coordinate::lane, 1, 2),
                .vector = 32};
  multiply.a_transposed = true;
  multiply.b_transposed = true;
  Probe probe;
  (void)probe.token("c");
  const Layout row_a = along(Coordinate::warp, 4) + along(Coordinate::lane, 1, 8);
  const Layout column_a = along(Coordinate::lane, 8, 1, 8);
  const Layout row_b = along(Coordinate::warp, 16) + along(Coordinate::lane, 1, 2);
  const Layout column_b = along(Coordinate::lane, 8, 1, 2);
  probe.add(CopyAsync{{BufferId(0), row_a, column_a, 8}, {TileId(0), 0, row_a, column_a, 8}});
  probe.add(CopyAsync{{BufferId(1), row_b, column_b, 8}, {TileId(1), 0, row_b, column_b, 8}});
  probe.add(CommitGroup{}).add(WaitGroup{}).add(CtaBarrier{});
  probe.add(multiply).add(WarpgroupCommit{}).add(WarpgroupWait{});
  const Layout row_c = along(Coordinate::warp, 16) + along(Coordinate::repeat);
  probe.add(StoreGlobal{{BufferId(2), row_c, along(Coordinate::lane, 2), 2}, c}, 16);
  Schedule schedule = probe.schedule(4);
  schedule.buffers = {
      {"A", k, wide, wide, DType::fp16}, {"B", wide, k, k, DType::fp16}, {"C", wide, wide, wide, DType::fp32}};
  schedule.shared_tiles = {{"A", 16, 64, DType::fp16, 1, Bytes(128), Swizzle::bytes128},
                           {"B", 64, 16, DType::fp16, 1, Bytes(32), Swizzle::bytes32}};
  const Memory before{{"A", wide_a.transpose()}, {"B", wide_b.transpose()}, {"C", Matrix::Zero(wide, wide)}};
  CHECK(functional::execute(schedule, before).at("C") == wide_a * wide_b);
}

}  // namespace gpusim::functional_multiply_test
