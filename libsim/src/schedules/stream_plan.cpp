#include "schedules/stream_plan.h"

#include <iterator>

namespace gpusim::schedules {
namespace {

constexpr std::int64_t most_elements = std::int64_t{1} << 40;
constexpr std::int64_t most_rows = std::int64_t{1} << 31;
constexpr int most_unroll = 64;
constexpr std::int64_t base_registers = 14;
/// Block and thread index, their sum, the comparison with the end, the branch.
constexpr std::int64_t index_instructions = 6;
/// A 64-bit address is a multiply-add and a carry.
constexpr std::int64_t address_instructions = 2;
/// Counter, comparison and branch; then each array's pointer moves.
constexpr std::int64_t trip_instructions = 3;

}  // namespace

StreamPlan plan_stream(std::int64_t rows, std::int64_t columns, const std::vector<DType>& dtypes,
                       const StreamTiling& tiling, KernelCollector& collect) {
  StreamPlan plan{rows, columns, tiling};
  collect.within(rows, 1, most_rows, "rows");
  collect.within(columns, 1, most_elements, rows == 1 ? "elements" : "columns");
  for (const DType dtype : dtypes) collect.storable(dtype, "dtype");
  collect.threads(tiling.threads);
  collect.within(tiling.unroll, 1, most_unroll, "unroll");
  collect.within(tiling.ctas, 0, most_rows, "ctas");
  collect.within(tiling.registers, 0, 255, "registers");
  if (!collect.empty()) return plan;
  const DType widest =
      *std::max_element(dtypes.begin(), dtypes.end(), [](DType a, DType b) { return size_of(a) < size_of(b); });
  if (plan.tiling.vector == 0) plan.tiling.vector = widest_vector(widest, columns);
  collect.vector(plan.tiling.vector, widest, columns);
  if (plan.tiling.registers == 0)
    plan.tiling.registers = registers_for(base_registers + (plan.elements() + 2) * static_cast<int>(dtypes.size()));
  return plan;
}

GlobalAccess stream_access(const StreamPlan& plan, BufferId buffer, std::int64_t further) {
  const int vector = plan.tiling.vector;
  GlobalAccess access;
  access.buffer = buffer;
  access.row = plan.rows == 1 ? Layout() : along(Coordinate::block_m);
  access.column = along(Coordinate::block_n, plan.span()) +
                  along(Coordinate::repeat, std::int64_t{plan.tiling.threads} * vector) +
                  along(Coordinate::warp, std::int64_t{lanes_per_warp} * vector) + along(Coordinate::lane, vector);
  if (plan.trips() > 1) access.column += along(Coordinate::loop0, plan.ctas() * plan.span());
  access.column += further;
  access.vector = vector;
  return access;
}

std::vector<Statement> stream_body(const StreamPlan& plan, std::int64_t arrays, Body body) {
  Body whole;
  append_overhead(whole, index_instructions + address_instructions * arrays);
  if (plan.trips() == 1) {
    std::move(body.begin(), body.end(), std::back_inserter(whole));
    return whole;
  }
  append_overhead(body, trip_instructions + arrays);
  whole.emplace_back(Loop{plan.trips(), std::move(body), true});
  return whole;
}

Schedule stream_kernel(const StreamPlan& plan, std::string name, std::vector<Buffer> buffers, Program program,
                       double flops, DType dtype) {
  const StreamTiling& tiling = plan.tiling;
  Schedule schedule;
  schedule.name = std::move(name);
  schedule.buffers = std::move(buffers);
  schedule.grid_m = plan.rows;
  schedule.grid_n = plan.ctas();
  schedule.roles = {{"worker", plan.warps(), std::move(program)}};
  schedule.registers_per_thread = tiling.registers;
  schedule.work = {flops, Pipe::fma, dtype, DType::fp32};
  schedule.choices = {{"vector", std::to_string(tiling.vector)},
                      {"threads", std::to_string(tiling.threads)},
                      {"unroll", std::to_string(tiling.unroll)},
                      {"ctas", tiling.ctas == 0 ? "one pass" : std::to_string(tiling.ctas)},
                      {"registers", std::to_string(tiling.registers)}};
  return checked_kernel(std::move(schedule));
}

}  // namespace gpusim::schedules
