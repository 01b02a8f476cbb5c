// Loops of global accesses, and kernels that stream.
#include "schedules/probe_parts.h"

namespace gpusim::schedules {
namespace {

constexpr std::int64_t least_ballast = 128;

Operation access(const AccessLoop& choices, int step, Token fragment) {
  const GlobalAccess place = at(0, choices.row + Layout(step * choices.row_step),
                                choices.column + Layout(step * choices.column_step), choices.vector);
  if (choices.store) return run_of(StoreGlobal{place, fragment}, 1, choices.where);
  return run_of(LoadGlobal{place, fragment, choices.bypass_l1}, 1, choices.where);
}

Buffer vector_of(const std::string& name, std::int64_t elements) {
  return {name, 1, elements, elements, DType::fp64, Placement::linear, 0};
}

}  // namespace

Schedule access_loop(const AccessLoop& choices) {
  Program program;
  std::vector<Statement> body;
  body.reserve(static_cast<std::size_t>(choices.unroll));
  for (int i = 0; i < choices.unroll; ++i)
    body.emplace_back(access(choices, i, program.token("data" + std::to_string(i))));
  if (choices.warm_trips > 0) program.body = {loop(choices.warm_trips, body), run_of(CtaBarrier{})};
  program.body.emplace_back(loop(choices.trips, std::move(body)));
  Schedule schedule = kernel("accesses", choices.ctas, choices.warps, std::move(program));
  schedule.buffers = {choices.buffer};
  return schedule;
}

Schedule element_stream(const ElementStream& choices) {
  Program program;
  const std::int64_t threads = std::int64_t{choices.warps} * lanes_per_warp;
  const Layout element =
      along(Coordinate::block_m, threads) + along(Coordinate::warp, lanes_per_warp) + along(Coordinate::lane);
  const Token result = program.token("result");
  std::vector<Token> read;
  for (int i = 0; i < choices.reads; ++i) {
    read.push_back(program.token("read" + std::to_string(i)));
    program.body.emplace_back(run_of(LoadGlobal{at(i, 0, element), read.back()}));
  }
  for (const Token each : read) program.body.emplace_back(run_of(Arithmetic{Pipe::fma, {each}, result, false}));
  for (int i = 0; i < choices.writes; ++i)
    program.body.emplace_back(run_of(StoreGlobal{at(choices.reads + i, 0, element), result}));

  Schedule schedule = kernel("element stream", choices.ctas, choices.warps, std::move(program));
  for (int i = 0; i < choices.reads; ++i)
    schedule.buffers.push_back(vector_of("R" + std::to_string(i), choices.ctas * threads));
  for (int i = 0; i < choices.writes; ++i)
    schedule.buffers.push_back(vector_of("W" + std::to_string(i), choices.ctas * threads));
  if (choices.shared_bytes >= least_ballast) schedule.shared_tiles.push_back(ballast(choices.shared_bytes));
  return schedule;
}

Schedule repeated_stream(const RepeatedStream& choices) {
  const std::int64_t threads = std::int64_t{choices.warps} * lanes_per_warp;
  const std::int64_t grid = choices.ctas * threads;
  const Layout element = along(Coordinate::block_m, threads) + along(Coordinate::warp, lanes_per_warp) +
                         along(Coordinate::lane) + along(Coordinate::loop1, grid);
  Program program;
  const Token read = program.token("read"), result = program.token("result");
  std::vector<Statement> once{run_of(LoadGlobal{at(0, 0, element), read}),
                              run_of(Arithmetic{Pipe::fma, {read}, result, false}),
                              run_of(StoreGlobal{at(1, 0, element), result})};
  program.body = {
      loop(choices.repeats, {loop((choices.elements + grid - 1) / grid, std::move(once)), run_of(GridBarrier{})})};
  Schedule schedule = kernel("repeated stream", choices.ctas, choices.warps, std::move(program));
  schedule.buffers = {vector_of("R", choices.elements), vector_of("W", choices.elements)};
  return schedule;
}

Schedule shared_stream(const SharedStream& choices) {
  constexpr int unroll = 8;
  const std::int64_t threads = std::int64_t{choices.warps} * lanes_per_warp;
  const std::int64_t step = threads * choices.shares;
  // Load i of all shares lies together, as in a loop over the grid.
  const Layout element = along(Coordinate::block_m, threads, 1, choices.shares) +
                         along(Coordinate::warp, lanes_per_warp) + along(Coordinate::lane) +
                         along(Coordinate::loop0, unroll * step);
  Program program;
  std::vector<Statement> body;
  body.reserve(unroll);
  for (int i = 0; i < unroll; ++i)
    body.emplace_back(
        run_of(LoadGlobal{at(0, 0, element + Layout(i * step)), program.token("data" + std::to_string(i))}));
  program.body = {loop(choices.loads / unroll, std::move(body))};
  Schedule schedule = kernel("shared stream", choices.ctas, choices.warps, std::move(program));
  schedule.buffers = {vector_of("data", step * choices.loads)};
  return schedule;
}

Schedule empty_grid(std::int64_t ctas, int warps) { return kernel("empty", ctas, warps, Program{}); }

}  // namespace gpusim::schedules
