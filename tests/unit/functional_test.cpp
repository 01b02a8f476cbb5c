#include "gpusim/functional.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "gpusim/schedules/gemm.h"

namespace gpusim::functional_test {

using namespace gpusim::literals;
using functional::rounded;
using schedules::GemmVariant;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// One warp copies a row of 32 numbers from X to Y.
Schedule copying() {
  Schedule schedule;
  schedule.buffers = {{"X", 1, 32, 32, DType::fp32}, {"Y", 1, 32, 32, DType::fp32}};
  Program program;
  const Token row = program.token("row");
  program.body.emplace_back(Operation{LoadGlobal{{BufferId(0), 0, along(Coordinate::lane)}, row}});
  program.body.emplace_back(Operation{StoreGlobal{{BufferId(1), 0, along(Coordinate::lane)}, row}});
  schedule.roles = {{"copier", 1, program}};
  return schedule;
}

functional::Memory numbers() {
  return {{"X", functional::random_matrix(1, 32, 1)}, {"Y", functional::Matrix::Zero(1, 32)}};
}

std::int64_t wrong(const Schedule& schedule) { return functional::check_gemm(schedule, 1, 0).wrong; }

Schedule gemm_of(GemmVariant variant, bool specialize = false) {
  const bool through_registers = variant == GemmVariant::simt || variant == GemmVariant::tensor;
  return schedules::gemm(
      {.m = 64, .n = 64, .k = 256},
      {.tile = {64, 64, 32}, .variant = variant, .stages = through_registers ? 1 : 3, .specialize = specialize});
}

/// The k loop of a role.
Loop& tile_loop(Role& role) {
  for (Statement& statement : role.program.body)
    if (auto* loop = std::get_if<Loop>(&statement); loop != nullptr && loop->trips == 256 / 32) return *loop;
  FAIL("no loop over the tiles");
  return std::get<Loop>(role.program.body.front());
}

/// The n-th operation of this kind in a loop.
template <class Kind>
Operation& operation_in(Loop& loop, int n = 0) {
  for (Statement& statement : loop.body)
    if (auto* operation = std::get_if<Operation>(&statement))
      if (std::holds_alternative<Kind>(operation->action) && n-- == 0) return *operation;
  FAIL("no such operation");
  return std::get<Operation>(loop.body.front());
}

/// Removes all operations of this kind from a loop.
template <class Kind>
void remove(Loop& loop) {
  std::erase_if(loop.body, [](const Statement& statement) {
    const auto* operation = std::get_if<Operation>(&statement);
    return operation != nullptr && std::holds_alternative<Kind>(operation->action);
  });
}

}  // namespace

TEST_CASE("numbers are rounded to nearest even as each type holds them") {
  CHECK(rounded(2049, DType::fp16) == 2048);
  CHECK(rounded(2051, DType::fp16) == 2052);
  CHECK(rounded(65519, DType::fp16) == 65504);
  CHECK(rounded(65520, DType::fp16) == infinity);
  CHECK(rounded(std::ldexp(1, -25), DType::fp16) == 0);
  CHECK(rounded(std::ldexp(3, -25), DType::fp16) == std::ldexp(1, -23));
  CHECK(rounded(257, DType::bf16) == 256);
  CHECK(rounded(259, DType::bf16) == 260);
  CHECK(rounded(2049, DType::tf32) == 2048);
  CHECK(rounded(0.1, DType::fp32) == static_cast<double>(0.1F));
  CHECK(rounded(17, DType::fp8) == 16);
  CHECK(rounded(-1000, DType::fp8) == -448);
  CHECK(rounded(2.5, DType::int8) == 2);
  CHECK(rounded(1000, DType::int8) == 127);
  CHECK(rounded(0.1, DType::fp64) == 0.1);
  CHECK(std::isnan(rounded(std::nan(""), DType::fp16)));
}

TEST_CASE("random matrices are equal for equal seeds, and every type in memory holds their numbers") {
  const auto matrix = functional::random_matrix(20, 30, 7);
  CHECK(matrix == functional::random_matrix(20, 30, 7));
  CHECK(matrix != functional::random_matrix(20, 30, 8));
  for (const DType dtype : all_dtypes)
    if (is_storable(dtype)) CHECK(matrix.unaryExpr([&](double value) { return rounded(value, dtype); }) == matrix);
}

TEST_CASE("a schedule that copies a row copies it") {
  const functional::Memory after = functional::execute(copying(), numbers());
  CHECK(after.at("Y") == numbers().at("X"));
}

TEST_CASE("a memory without a buffer, or with one of another shape, is refused") {
  CHECK_THROWS_WITH_AS(static_cast<void>(functional::execute(copying(), {{"X", functional::random_matrix(2, 32, 1)}})),
                       "X: the buffer is 1 x 32, the matrix given 2 x 32\nY: the memory has no such buffer",
                       ScheduleError);
}

TEST_CASE("shared memory that nobody wrote reads as NaN") {
  Schedule schedule = copying();
  schedule.shared_tiles = {{"tile", 1, 32, DType::fp32, 1, 128_B, Swizzle::none}};
  auto& first = std::get<Operation>(schedule.roles[0].program.body[0]);
  first.action = LoadShared{{TileId(0), 0, 0, along(Coordinate::lane)}, Token(0)};
  CHECK(functional::execute(schedule, numbers()).at("Y").array().isNaN().all());
}

TEST_CASE("a loop that skips the last tile is caught") {
  Schedule schedule = gemm_of(GemmVariant::simt);
  tile_loop(schedule.roles[0]).trips -= 1;
  CHECK(wrong(schedule) > 0);
}

TEST_CASE("a copy guard off by one is caught") {
  Schedule schedule = gemm_of(GemmVariant::async);
  operation_in<CopyAsync>(tile_loop(schedule.roles[0])).guard->limit -= 1;
  CHECK(wrong(schedule) > 0);
}

TEST_CASE("waiting for one copy group too few is caught") {
  Schedule schedule = gemm_of(GemmVariant::async);
  std::get<WaitGroup>(operation_in<WaitGroup>(tile_loop(schedule.roles[0])).action).pending += 1;
  CHECK(wrong(schedule) > 0);
}

TEST_CASE("a missing barrier between copying and multiplying is caught") {
  for (const auto variant : {GemmVariant::simt, GemmVariant::tensor, GemmVariant::async}) {
    Schedule schedule = gemm_of(variant);
    remove<CtaBarrier>(tile_loop(schedule.roles[0]));
    CHECK(wrong(schedule) > 0);
  }
}

TEST_CASE("a wait that forgets the phase is caught") {
  Schedule schedule = gemm_of(GemmVariant::tma, true);
  std::get<BarrierWait>(operation_in<BarrierWait>(tile_loop(schedule.roles[0])).action).phase = 0;
  CHECK(wrong(schedule) > 0);
}

TEST_CASE("a producer that does not wait for free stages is caught") {
  Schedule schedule = gemm_of(GemmVariant::tma, true);
  remove<BarrierWait>(tile_loop(schedule.roles[1]));
  CHECK(wrong(schedule) > 0);
}

TEST_CASE("consumers that never free a stage are a deadlock that says who waits for whom") {
  Schedule schedule = gemm_of(GemmVariant::tma, true);
  remove<BarrierArrive>(tile_loop(schedule.roles[0]));
  try {
    static_cast<void>(wrong(schedule));
    FAIL("it should have been a deadlock");
  } catch (const DeadlockError& error) {
    REQUIRE(error.waits().size() == 9);
    CHECK(error.waits()[0] ==
          "CTA 0: warp 0 (consumer) waits for phase 1 of full[0], whose phase 1 has 0 of 1 arrivals and 0 of 0 bytes");
    CHECK(error.waits()[8] ==
          "CTA 0: warp 8 (producer) waits for phase 0 of empty[0], whose phase 0 has 0 of 8 arrivals and 0 of 0 bytes");
  }
}

TEST_CASE("a warp that ends without reaching a barrier leaves the others waiting") {
  Schedule schedule = gemm_of(GemmVariant::tma, true);
  Program& producer = schedule.roles[1].program;
  std::erase_if(producer.body, [](const Statement& statement) {
    const auto* operation = std::get_if<Operation>(&statement);
    return operation != nullptr && std::holds_alternative<CtaBarrier>(operation->action);
  });
  CHECK_THROWS_AS(static_cast<void>(wrong(schedule)), DeadlockError);
}

}  // namespace gpusim::functional_test
