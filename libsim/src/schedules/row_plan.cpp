#include "schedules/row_plan.h"

#include <array>
#include <string>
#include <utility>

#include "schedules/reserved_tile.h"
#include "sizes.h"

namespace gpusim::schedules {
namespace {

constexpr std::int64_t most_row = std::int64_t{1} << 40;
constexpr int most_accesses = 256;
constexpr std::int64_t row_registers = 22;  ///< beside the elements that a thread keeps
constexpr std::int64_t most_row_elements = most_registers - row_registers;
constexpr int row_step = 16;  ///< bytes

bool is_power_of_two(std::int64_t value) { return value > 0 && (value & (value - 1)) == 0; }

std::array<std::pair<std::string, int>, 5> by_place(const RowInstructions& beside) {
  return {{{"beside.begin", beside.begin},
           {"beside.load", beside.load},
           {"beside.element", beside.element},
           {"beside.store", beside.store},
           {"beside.meet", beside.meet}}};
}

/// As many threads as have an access of the row each: a power of two.
int threads_for(std::int64_t accesses, int least) {
  int threads = least;
  while (threads < most_cta_threads && threads < accesses) threads *= 2;
  return threads;
}

}  // namespace

RowPlan plan_rows(std::int64_t rows, std::int64_t columns, DType dtype, const RowTiling& tiling,
                  KernelCollector& collect, std::int64_t splits) {
  RowPlan plan{rows, columns, dtype, tiling, splits};
  RowTiling& chosen = plan.tiling;
  collect.within(rows, 1, std::int64_t{1} << 31, "rows");
  collect.within(columns, 1, most_row, "columns");
  collect.within(splits, 1, std::int64_t{1} << 20, "splits");
  collect.storable(dtype, "dtype");
  collect.within(tiling.unroll, 1, most_accesses, "unroll");
  collect.within(tiling.registers, 0, 255, "registers");
  for (const auto& [place, count] : by_place(tiling.beside)) collect.within(count, 0, most_row_instructions, place);
  collect.within(tiling.reserved, 0, most_reserved, "reserved");
  collect.require(is_power_of_two(tiling.rows_per_cta), "rows_per_cta",
                  "it is a power of two, not " + std::to_string(tiling.rows_per_cta));
  collect.require(tiling.threads == 0 || is_power_of_two(tiling.threads), "threads",
                  "a row's threads are a power of two, not " + std::to_string(tiling.threads));
  const bool has_rest = tiling.rest_vector != 0;
  collect.require(!has_rest || (tiling.place == RowPlace::memory && splits == 1), "rest_vector",
                  "what whole trips leave over is moved on its own with the place memory, by one CTA a row");
  if (!collect.empty()) return plan;
  // Rows begin at multiples of 16 bytes: a vector need divide them only where it goes to their ends.
  const std::int64_t aligned = std::int64_t{row_step} / size_of(dtype);
  if (chosen.vector == 0) chosen.vector = widest_vector(dtype, has_rest ? aligned : columns);
  collect.vector(chosen.vector, dtype, has_rest ? aligned : columns);
  if (has_rest) collect.vector(tiling.rest_vector, dtype, columns);
  if (!collect.empty()) return plan;
  if (chosen.threads == 0) chosen.threads = threads_for(columns / chosen.vector, lanes_per_warp);
  const std::int64_t threads = std::int64_t{chosen.threads} * chosen.rows_per_cta;
  collect.require(threads >= lanes_per_warp && threads <= most_cta_threads, "threads",
                  std::to_string(chosen.threads) + " threads a row and " + std::to_string(chosen.rows_per_cta) +
                      " rows are " + std::to_string(threads) + " threads; a CTA has 32 to 1024");
  const bool meets = chosen.threads > lanes_per_warp;
  collect.require(tiling.meeting == RowMeeting::shuffles || (meets && tiling.rows_per_cta == 1), "meeting",
                  "threads of one warp, and several rows in a CTA, meet by shuffles");
  if (!collect.empty()) return plan;
  const std::int64_t accesses = divided_up(columns, std::int64_t{chosen.threads} * chosen.vector * splits);
  if (chosen.place == RowPlace::registers) {
    collect.require(accesses * chosen.vector <= most_row_elements, "place",
                    std::to_string(accesses * chosen.vector) +
                        " elements a thread do not fit its registers, which hold " + std::to_string(most_row_elements));
    chosen.unroll = static_cast<int>(std::min<std::int64_t>(accesses, most_accesses));
  } else {
    chosen.unroll = static_cast<int>(std::min<std::int64_t>(chosen.unroll, accesses));
  }
  if (chosen.registers == 0) chosen.registers = registers_for(row_registers + plan.elements());
  return plan;
}

Schedule row_kernel(const RowPlan& plan, std::string name, std::vector<Buffer> buffers, std::vector<SharedTile> tiles,
                    Program program, double flops) {
  const RowTiling& tiling = plan.tiling;
  Schedule schedule;
  schedule.name = std::move(name);
  schedule.buffers = std::move(buffers);
  schedule.grid_m = divided_up(plan.rows, tiling.rows_per_cta);
  schedule.grid_n = plan.splits;
  schedule.roles = {{"worker", plan.warps(), std::move(program)}};
  schedule.shared_tiles = std::move(tiles);
  if (tiling.reserved > 0) schedule.shared_tiles.push_back(reserved_tile(tiling.reserved));
  schedule.registers_per_thread = tiling.registers;
  schedule.work = {flops, Pipe::fma, plan.dtype, DType::fp32};
  schedule.choices = {{"place", std::string(names_of(tiling.place).at(static_cast<std::size_t>(tiling.place)))},
                      {"vector", std::to_string(tiling.vector)},
                      {"threads", std::to_string(tiling.threads)},
                      {"rows_per_cta", std::to_string(tiling.rows_per_cta)},
                      {"unroll", std::to_string(tiling.unroll)},
                      {"registers", std::to_string(tiling.registers)}};
  if (tiling.reserved > 0) schedule.choices.emplace_back("reserved", std::to_string(tiling.reserved));
  if (tiling.rest_vector > 0) schedule.choices.emplace_back("rest_vector", std::to_string(tiling.rest_vector));
  if (tiling.meeting != RowMeeting::shuffles)
    schedule.choices.emplace_back("meeting", names_of(tiling.meeting).at(static_cast<std::size_t>(tiling.meeting)));
  for (const auto& [place, count] : by_place(tiling.beside))
    if (count > 0) schedule.choices.emplace_back(place, std::to_string(count));
  if (plan.splits > 1) schedule.choices.emplace_back("splits", std::to_string(plan.splits));
  return checked_kernel(std::move(schedule));
}

}  // namespace gpusim::schedules
