// Copies, elementwise kernels and transpositions: what they mean, how many instructions they are, what is refused.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "gpusim/functional_kernels.h"
#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"
#include "support/kernel_refusal.h"

namespace gpusim::kernel_stream_test {

using namespace gpusim::schedules;
using functional::KernelCheck;
using testing::refused;

namespace {

/// The check of a stream, whose elements leave a part of the last CTA idle.
KernelCheck checked(const CopyProblem& problem, const StreamTiling& tiling) {
  return functional::check_copy(copy(problem, tiling), problem);
}

}  // namespace

TEST_CASE("every stream leaves what it says, in one pass and in strides, with any vector") {
  for (const StreamKind kind :
       {StreamKind::write, StreamKind::copy, StreamKind::scale, StreamKind::add, StreamKind::triad})
    for (const StreamTiling& tiling : {StreamTiling{}, StreamTiling{.vector = 1, .threads = 64},
                                       StreamTiling{.threads = 32, .unroll = 4, .ctas = 3}}) {
      CAPTURE(static_cast<int>(kind));
      CAPTURE(tiling.vector);
      const KernelCheck check = checked({.kind = kind, .elements = 5004}, tiling);
      CHECK(check.wrong == 0);
      CHECK(check.elements == 5004);
    }
}

TEST_CASE("a copy: the warp instructions of a CTA are those counted by hand") {
  // 256 threads of 4 floats: one LDG and one STG a warp.
  const std::int64_t prologue = 6         // block and thread index, their sum, comparison, branch
                                + 2 * 2;  // an address for each array
  CHECK(warp_instructions(copy({.elements = 1 << 20})) == 8 * (prologue + 1 + 1));
  // 32 CTAs that stride: 2^20 elements in pieces of 1024 floats, 1024 pieces, 32 each.
  const std::int64_t trip = 1 + 1  // LDG, STG
                            + 3    // counter, comparison, branch
                            + 2;   // pointers
  CHECK(warp_instructions(copy({.elements = 1 << 20}, {.ctas = 32})) == 8 * (prologue + 32 * trip));
}

TEST_CASE("every operation leaves what it says, of arrays, constants and gates") {
  for (std::size_t i = 0; i < names_of(ElementwiseOperation{}).size(); ++i) {
    const auto operation = static_cast<ElementwiseOperation>(i);
    CAPTURE(names_of(operation)[i]);
    ElementwiseProblem problem{.operation = operation, .rows = 3, .columns = 88};
    CHECK(functional::check_elementwise(elementwise(problem, {.threads = 32}), problem).wrong == 0);
    (is_binary(operation) ? problem.scalar : problem.gated) = true;
    CHECK(functional::check_elementwise(elementwise(problem, {.threads = 32}), problem).wrong == 0);
    problem.dtype = DType::bf16;
    CHECK(functional::check_elementwise(elementwise(problem, {.threads = 64}), problem).wrong == 0);
  }
}

TEST_CASE("rows apart: no CTA has elements of two, and those of a row stride along it") {
  const ElementwiseProblem whole{.operation = ElementwiseOperation::gelu, .rows = 5, .columns = 88};
  ElementwiseProblem problem = whole;
  problem.by_row = true;
  const StreamTiling one_cta{.vector = 4, .threads = 32, .ctas = 1};  // 128 elements at a time, of a row of 88
  const Schedule schedule = elementwise(problem, one_cta);
  CHECK(schedule.grid_m * schedule.grid_n == 5);
  CHECK(elementwise(whole, {.vector = 4, .threads = 32}).grid_n == 4);  // 440 elements
  CHECK(functional::check_elementwise(schedule, problem).wrong == 0);
  problem.columns = 300;  // three trips
  CHECK(functional::check_elementwise(elementwise(problem, one_cta), problem).wrong == 0);
  CHECK(functional::check_elementwise(elementwise(problem, {.threads = 32, .unroll = 2}), problem).wrong == 0);
  problem.operation = ElementwiseOperation::multiply;  // of two arrays
  CHECK(functional::check_elementwise(elementwise(problem, one_cta), problem).wrong == 0);
  CHECK(schedule.name != elementwise({.operation = whole.operation, .rows = 5, .columns = 88}, one_cta).name);
}

TEST_CASE("a factor in memory is there before anything is asked for, and divides A") {
  for (const ElementwiseOperation operation :
       {ElementwiseOperation::cast, ElementwiseOperation::multiply, ElementwiseOperation::gelu})
    for (const bool by_row : {false, true}) {
      ElementwiseProblem problem{.operation = operation, .rows = 5, .columns = 88, .by_row = by_row};
      const Schedule plain = elementwise(problem, {.threads = 32});
      problem.scaled = true;
      const Schedule scaled = elementwise(problem, {.threads = 32});
      CHECK(functional::check_elementwise(scaled, problem).wrong == 0);
      CHECK(digest(scaled) != digest(plain));
      CHECK(scaled.name != plain.name);
      const auto& first = std::get<Operation>(scaled.roles[0].program.body.front()).action;
      CHECK(scaled.buffers[static_cast<std::size_t>(std::get<LoadGlobal>(first).from.buffer.index())].name == "factor");
    }
  // A CTA waits for it: one after another they take longer by its way and its inversion.
  const Gpu gpu(load_profile("hopper"));
  ElementwiseProblem rows{.operation = ElementwiseOperation::cast, .rows = 1320, .columns = 128, .by_row = true};
  const StreamTiling one_an_sm{.threads = 256, .ctas = 1, .registers = 255};
  const auto cycles_of = [&] { return gpu.run(elementwise(rows, one_an_sm)).kernels[0].cycles.count(); };
  const std::int64_t plain = cycles_of();
  rows.scaled = true;
  CHECK(cycles_of() - plain > 10 * 50);
}

TEST_CASE("a result of another type is among the choices") {
  ElementwiseProblem problem{.operation = ElementwiseOperation::cast, .rows = 2, .columns = 64};
  const auto told = [&] {
    const auto choices = elementwise(problem).choices;
    return std::find(choices.begin(), choices.end(), std::pair<std::string, std::string>("result", "fp16")) !=
           choices.end();
  };
  CHECK_FALSE(told());
  problem.result = DType::fp16;
  CHECK(told());
}

TEST_CASE("a cast stores the result's type") {
  const ElementwiseProblem problem{
      .operation = ElementwiseOperation::cast, .rows = 8, .columns = 64, .dtype = DType::bf16, .result = DType::fp8};
  const Schedule schedule = elementwise(problem);
  CHECK(schedule.buffers.back().dtype == DType::fp8);
  CHECK(functional::check_elementwise(schedule, problem).wrong == 0);
}

TEST_CASE("an array has more elements than fit into 31 bits") {
  const Schedule schedule = elementwise({.operation = ElementwiseOperation::cast,
                                         .rows = 32768,
                                         .columns = 65536,
                                         .dtype = DType::bf16,
                                         .result = DType::fp8});
  CHECK(schedule.buffers.front().columns == std::int64_t{1} << 31);
  CHECK(schedule.grid_n == (std::int64_t{1} << 31) / (256 * 8));
  const Result result = Gpu(load_profile("hopper")).run(schedule, {.max_ctas = 8});
  CHECK(result.kernels.front().work_share == doctest::Approx(8.0 / static_cast<double>(schedule.grid_n)));
}

TEST_CASE("every transposition transposes, whatever is left of the last tiles") {
  for (const TransposeVariant variant :
       {TransposeVariant::naive, TransposeVariant::plain, TransposeVariant::padded, TransposeVariant::swizzled})
    for (const DType dtype : {DType::fp32, DType::fp16}) {
      CAPTURE(static_cast<int>(variant));
      const TransposeProblem problem{.rows = 70, .columns = 101, .dtype = dtype};
      CHECK(functional::check_transpose(transpose(problem, {.variant = variant}), problem).wrong == 0);
      CHECK(functional::check_transpose(transpose(problem, {.variant = variant, .tile = 64, .threads = 128}), problem)
                .wrong == 0);
    }
}

TEST_CASE("a transposition: the warp instructions of a CTA are those counted by hand") {
  const std::int64_t rows = 32 / 8;  // of the tile, a warp's
  const TransposeProblem problem{.rows = 64, .columns = 64};
  CHECK(warp_instructions(transpose(problem, {.variant = TransposeVariant::naive})) == 8 * (14 + rows + rows));
  CHECK(warp_instructions(transpose(problem)) == 8 * (14 + rows + rows + 1 + rows + rows));
  // Two elements a thread, each with an index of its own; a CTA of 256 rows has those of each of 64 columns.
  const TransposeTiling gathered{.variant = TransposeVariant::gathered, .tile = 256, .threads = 128};
  CHECK(warp_instructions(transpose({.rows = 256, .columns = 64}, gathered)) == 4 * 2 * (43 + 1 + 1));
  CHECK(cta_count(transpose({.rows = 257, .columns = 64}, gathered)) == 2 * 64);
}

TEST_CASE("an element a thread, from columns of X: whatever is left of the last CTA's") {
  for (const DType dtype : {DType::fp32, DType::fp16}) {
    const TransposeProblem problem{.rows = 300, .columns = 7, .dtype = dtype};
    const TransposeTiling tiling{.variant = TransposeVariant::gathered, .tile = 256, .threads = 64};
    CHECK(functional::check_transpose(transpose(problem, tiling), problem).wrong == 0);
  }
  CHECK(cta_count(transpose({.rows = 512, .columns = 1}, {.variant = TransposeVariant::gathered})) == 1);
  CHECK(refused([] {
          return transpose({.rows = 8, .columns = 8},
                           {.variant = TransposeVariant::gathered, .tile = 192, .threads = 128});
        }) == std::vector<std::string>{"threads"});
  CHECK(refused([] {
          return transpose({.rows = 8, .columns = 8}, {.variant = TransposeVariant::gathered, .tile = 8192});
        }) == std::vector<std::string>{"tile"});
}

TEST_CASE("columns of a plain tile lie in one bank, of a padded one in 32") {
  const Gpu gpu(load_profile("ampere"));
  const auto wavefronts = [&](TransposeVariant variant) {
    return gpu.run(transpose({.rows = 32, .columns = 32}, {.variant = variant})).kernels[0].traffic.shared_wavefronts;
  };
  constexpr std::int64_t rows = 32;
  CHECK(wavefronts(TransposeVariant::padded) == rows + rows);
  CHECK(wavefronts(TransposeVariant::plain) == rows + 32 * rows);
  CHECK(wavefronts(TransposeVariant::swizzled) == rows + 4 * rows);
}

TEST_CASE("what no GPU can do is refused, all at once") {
  CHECK(refused([] { return copy({.elements = 0}, {.threads = 48}); }) ==
        std::vector<std::string>{"elements", "threads"});
  CHECK(refused([] { return copy({.elements = 1001}, {.vector = 4}); }) == std::vector<std::string>{"vector"});
  CHECK(refused([] {
          return elementwise({.operation = ElementwiseOperation::gelu, .rows = 1, .columns = 8, .scalar = true});
        }) == std::vector<std::string>{"scalar"});
  CHECK(refused([] {
          return elementwise({.operation = ElementwiseOperation::add, .rows = 1, .columns = 8, .gated = true});
        }) == std::vector<std::string>{"gated"});
  CHECK(refused([] {
          return elementwise(
              {.operation = ElementwiseOperation::gelu, .rows = 2, .columns = 8, .gated = true, .by_row = true});
        }) == std::vector<std::string>{"by_row"});
  CHECK(refused([] {
          return elementwise(
              {.operation = ElementwiseOperation::gelu, .rows = 2, .columns = 8, .gated = true, .scaled = true});
        }) == std::vector<std::string>{"scaled"});
  CHECK(refused([] { return transpose({.rows = 8, .columns = 8}, {.tile = 48}); }) == std::vector<std::string>{"tile"});
  CHECK(refused([] { return transpose({.rows = 8, .columns = 8}, {.threads = 96}); }) ==
        std::vector<std::string>{"threads"});
}

}  // namespace gpusim::kernel_stream_test
