#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "functional/epilogue.h"
#include "functional/sparse.h"
#include "gpusim/functional.h"

namespace gpusim::functional {
namespace {

using schedules::GemmLayout;
using schedules::GemmProblem;

const Buffer* find_buffer(const Schedule& schedule, const std::string& name) {
  for (const Buffer& buffer : schedule.buffers)
    if (buffer.name == name) return &buffer;
  return nullptr;
}

const Buffer& buffer_named(const std::vector<Schedule>& kernels, const std::string& name) {
  for (const Schedule& kernel : kernels)
    if (const Buffer* buffer = find_buffer(kernel, name)) return *buffer;
  throw ScheduleError({Problem{"buffers", "a GEMM has buffers A, B and C; there is no " + name}});
}

/// Whether an operation of the body adds to what is in a buffer.
bool adds_to(const std::vector<Statement>& body, BufferId buffer) {
  for (const Statement& statement : body) {
    if (const auto* loop = std::get_if<Loop>(&statement)) {
      if (adds_to(loop->body, buffer)) return true;
      continue;
    }
    const Action& action = std::get<Operation>(statement).action;
    if (const auto* atomic = std::get_if<AtomicAdd>(&action); atomic != nullptr && atomic->to.buffer == buffer)
      return true;
    if (const auto* store = std::get_if<BulkStore>(&action);
        store != nullptr && store->reduce && store->buffer == buffer)
      return true;
  }
  return false;
}

/// Zeros in what a kernel adds to.
void clear_sums(const std::vector<Schedule>& kernels, Memory& memory) {
  for (const Schedule& kernel : kernels)
    for (std::size_t i = 0; i < kernel.buffers.size(); ++i)
      for (const Role& role : kernel.roles)
        if (adds_to(role.program.body, BufferId(static_cast<std::int64_t>(i))))
          memory.at(kernel.buffers[i].name).setZero();
}

Matrix constant(const Buffer& buffer, double value) {
  return Matrix::Constant(buffer.layers * buffer.rows, buffer.columns, value);
}

/// Random A, B, C and bias of a problem, as C = A B wants them: `batch` layers one below another. Of a sparse A what is
/// stored.
struct Operands {
  Matrix a, b, c, bias;

  Operands(const GemmProblem& problem, std::uint64_t seed)
      : a(random_matrix(problem.batch * problem.m, problem.sparse ? (problem.k + 1) / 2 : problem.k, seed)),
        b(random_matrix(problem.batch * problem.k, problem.n, seed + 1)),
        c(random_matrix(problem.batch * problem.m, problem.n, seed + 2)),
        bias(random_matrix(1, problem.n, seed + 3)) {}
};

/// Factors of blocks: powers of two, so that sums stay exact.
Matrix random_scales(const Buffer& buffer, std::uint64_t seed) {
  const Matrix draws = random_matrix(buffer.layers * buffer.rows, buffer.columns, seed);
  return draws.unaryExpr([](double draw) { return draw > 1 ? 2.0 : draw < -1 ? 0.5 : 1.0; });
}

/// Of A k block x m, of B n block x k block, as their buffers have them; empty without block scales.
struct BlockScales {
  static constexpr std::int64_t block = 128;
  Matrix a, b;

  BlockScales(const Schedule& kernel, std::uint64_t seed) {
    if (const Buffer* const of_a = find_buffer(kernel, "scales_a")) a = random_scales(*of_a, seed);
    if (const Buffer* const of_b = find_buffer(kernel, "scales_b")) b = random_scales(*of_b, seed + 1);
  }
};

/// Words of metadata as a buffer of them has them: two different places of each four, in order.
Matrix random_metadata(const Buffer& buffer, std::uint64_t seed) {
  constexpr std::array<std::uint32_t, 6> pairs{0x4, 0x8, 0xC, 0x9, 0xD, 0xE};  // the first place in the lower bits
  constexpr int pairs_of_word = 8;
  constexpr int bits_of_pair = 4;
  const Matrix draws = random_matrix(buffer.layers * buffer.rows, pairs_of_word * buffer.columns, seed);
  Matrix words(draws.rows(), buffer.columns);
  for (Eigen::Index row = 0; row < words.rows(); ++row)
    for (Eigen::Index column = 0; column < words.cols(); ++column) {
      std::uint32_t word = 0;
      for (int pair = 0; pair < pairs_of_word; ++pair) {
        const auto draw = static_cast<std::size_t>(draws(row, column * pairs_of_word + pair) + pairs.size());
        word |= pairs.at(draw % pairs.size()) << (pair * bits_of_pair);
      }
      words(row, column) = static_cast<std::int32_t>(word);
    }
  return words;
}

/// Where a row's stored elements belong: always at the same places, or where the words say that lie in the buffer.
class Places {
 public:
  Places(const Buffer* metadata, const GemmProblem& problem, std::uint64_t seed) : rows_(problem.m) {
    if (metadata == nullptr) return;
    constexpr std::int64_t block = 64;
    words_of_row_ = metadata->columns / ((problem.m + block - 1) / block * block);
    buffer_rows_ = metadata->rows;
    words = random_metadata(*metadata, seed);
  }

  /// Of row `row` of all layers, one below another.
  [[nodiscard]] std::int64_t of(std::int64_t row, std::int64_t stored) const {
    if (words_of_row_ == 0) return place_of_stored(stored);
    const std::int64_t word = stored / stored_of_word;
    const double bits =
        words(row / rows_ * buffer_rows_ + word / words_of_row_, row % rows_ * words_of_row_ + word % words_of_row_);
    return stored / stored_of_four * four + place_in_word(bits, stored);
  }

  Matrix words;

 private:
  std::int64_t rows_;
  std::int64_t buffer_rows_ = 0;
  std::int64_t words_of_row_ = 0;
};

/// A 2:4 sparse matrix of `columns` columns with its zeros.
Matrix spread(const Matrix& stored, const Places& places, std::int64_t columns) {
  Matrix all = Matrix::Zero(stored.rows(), columns);
  for (std::int64_t row = 0; row < stored.rows(); ++row)
    for (std::int64_t column = 0; column < stored.cols(); ++column)
      if (const std::int64_t place = places.of(row, column); place < columns) all(row, place) = stored(row, column);
  return all;
}

/// Each of `layers` transposed.
Matrix transposed(const Matrix& matrix, std::int64_t layers) {
  const Eigen::Index rows = matrix.rows() / layers;
  Matrix result(layers * matrix.cols(), rows);
  for (std::int64_t layer = 0; layer < layers; ++layer)
    result.middleRows(layer * matrix.cols(), matrix.cols()) = matrix.middleRows(layer * rows, rows).transpose();
  return result;
}

/// What is in the buffers before the first kernel.
Memory memory_before(const std::vector<Schedule>& kernels, const GemmProblem& problem, const Operands& operands,
                     const Places& places, const BlockScales& scales) {
  constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
  const bool a_transposed = problem.layout == GemmLayout::tn || problem.layout == GemmLayout::tt;
  const bool b_transposed = problem.layout == GemmLayout::nt || problem.layout == GemmLayout::tt;
  Memory memory;
  memory["A"] = a_transposed ? transposed(operands.a, problem.batch) : operands.a;
  memory["B"] = b_transposed ? transposed(operands.b, problem.batch) : operands.b;
  memory["C"] = operands.c;
  if (problem.beta == 0) memory["C"].setConstant(nothing);
  if (problem.bias) memory["bias"] = operands.bias;
  if (places.words.size() > 0) memory["metadata"] = places.words;
  if (problem.block_scales) {
    memory["scales_a"] = scales.a;
    memory["scales_b"] = scales.b;
  }
  for (const Schedule& kernel : kernels)
    for (const Buffer& buffer : kernel.buffers) memory.try_emplace(buffer.name, constant(buffer, nothing));
  clear_sums(kernels, memory);
  return memory;
}

Matrix product(const GemmProblem& problem, const Operands& operands, const Places& places) {
  const auto layer_of = [](const Matrix& matrix, std::int64_t layer, std::int64_t rows) {
    return matrix.middleRows(layer * rows, rows);
  };
  const Matrix a = problem.sparse ? spread(operands.a, places, problem.k) : operands.a;
  Matrix result(problem.batch * problem.m, problem.n);
  for (std::int64_t layer = 0; layer < problem.batch; ++layer)
    result.middleRows(layer * problem.m, problem.m) =
        layer_of(a, layer, problem.m) * layer_of(operands.b, layer, problem.k);
  return result;
}

/// A k block's product at a time, each element of it times the scales of its row and column.
Matrix scaled_product(const GemmProblem& problem, const Operands& operands, const BlockScales& scales) {
  constexpr std::int64_t block = BlockScales::block;
  Matrix result = Matrix::Zero(problem.batch * problem.m, problem.n);
  const std::int64_t k_blocks = (problem.k + block - 1) / block;
  const std::int64_t n_blocks = (problem.n + block - 1) / block;
  for (std::int64_t layer = 0; layer < problem.batch; ++layer)
    for (std::int64_t k = 0; k < k_blocks; ++k) {
      const std::int64_t depth = std::min(block, problem.k - k * block);
      const Matrix sums = operands.a.block(layer * problem.m, k * block, problem.m, depth) *
                          operands.b.block(layer * problem.k + k * block, 0, depth, problem.n);
      for (std::int64_t row = 0; row < problem.m; ++row)
        for (std::int64_t column = 0; column < problem.n; ++column)
          result(layer * problem.m + row, column) +=
              sums(row, column) * scales.a(layer * k_blocks + k, row) * scales.b(layer * n_blocks + column / block, k);
    }
  return result;
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

GemmCheck check_gemm(const std::vector<Schedule>& kernels, const GemmProblem& problem, std::uint64_t seed) {
  for (const char* const name : {"A", "B"}) static_cast<void>(buffer_named(kernels, name));
  const DType dtype = buffer_named(kernels, "C").dtype;
  const Operands operands(problem, seed);
  const Places places(find_buffer(kernels.front(), "metadata"), problem, seed + 4);
  const BlockScales scales(kernels.front(), seed + 5);
  Memory memory = memory_before(kernels, problem, operands, places, scales);
  for (const Schedule& kernel : kernels) memory = execute(kernel, std::move(memory));

  const Matrix sums =
      problem.block_scales ? scaled_product(problem, operands, scales) : product(problem, operands, places);
  const Matrix& actual = memory.at("C");
  Scale scale;
  scale.alpha = problem.alpha;
  scale.beta = problem.beta;
  scale.activation = problem.activation;
  GemmCheck result;
  result.elements = sums.size();
  for (std::int64_t row = 0; row < sums.rows(); ++row)
    for (std::int64_t column = 0; column < sums.cols(); ++column) {
      const double bias = problem.bias ? operands.bias(0, column) : 0;
      const double wanted = rounded(scaled(scale, sums(row, column), operands.c(row, column), bias), dtype);
      if (same(wanted, actual(row, column)) || result.wrong++ != 0) continue;
      result.first_layer = row / problem.m;
      result.first_row = row % problem.m;
      result.first_column = column;
      result.expected = wanted;
      result.actual = actual(row, column);
    }
  return result;
}

GemmCheck check_gemm(const Schedule& schedule, double alpha, double beta, std::uint64_t seed) {
  const std::vector<Schedule> kernels{schedule};
  const Buffer& a = buffer_named(kernels, "A");
  const Buffer& b = buffer_named(kernels, "B");
  const Buffer& c = buffer_named(kernels, "C");
  if (a.columns != b.rows || c.rows != a.rows || c.columns != b.columns)
    throw ScheduleError({Problem{"buffers", "the shapes of A, B and C do not make a product"}});
  const GemmProblem problem{
      .m = c.rows, .n = c.columns, .k = a.columns, .dtype = a.dtype, .result = c.dtype, .alpha = alpha, .beta = beta};
  return check_gemm(kernels, problem, seed);
}

}  // namespace gpusim::functional
