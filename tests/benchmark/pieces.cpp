// The engine's parts alone: how long each takes for one piece of its work.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <span>
#include <vector>

#include "core/event_queue.h"
#include "core/server.h"
#include "fabric/memory_side.h"
#include "machine/lower_access.h"
#include "sm/banks.h"
#include "sm/coalescer.h"

using namespace gpusim;

namespace {

void count_items(benchmark::State& state, std::int64_t of_an_iteration) {
  state.SetItemsProcessed(state.iterations() * of_an_iteration);
}

/// Each event pops one and pushes another some way ahead, as warps and requests do. Lists are of so many cycles: one
/// for the fabric, four for an SM.
template <std::int64_t list_cycles>
void event_queue(benchmark::State& state) {
  core::EventQueue<std::int32_t, list_cycles> queue;
  for (std::int32_t i = 0; i < state.range(0); ++i) queue.push(Cycle(i % 400), i);
  for ([[maybe_unused]] auto iteration : state) {
    const Cycle now = queue.next();
    const std::int32_t event = queue.pop();
    queue.push(now + Cycles(1 + event * 37 % 400), event);
  }
  count_items(state, 1);
}
BENCHMARK(event_queue<1>)->Name("event_queue")->Arg(16)->Arg(4096);
BENCHMARK(event_queue<4>)->Name("event_queue_of_sm")->Arg(16);

void server(benchmark::State& state) {
  core::Server server(Rate::ratio(64 * 1605, 2520));
  std::int64_t at = 0;
  for ([[maybe_unused]] auto iteration : state) benchmark::DoNotOptimize(server.take(Cycle(at += 2), line_bytes));
  count_items(state, 1);
}
BENCHMARK(server);

fabric::FabricConfig memory_config() {
  fabric::FabricConfig config;
  config.l2_capacity = Bytes(std::int64_t{32} << 20);
  config.slices = 64;
  config.slice_rate = Rate::per_cycle(64);
  config.l2_hit = Cycles(40);
  config.l2_miss = Cycles(15);
  config.channels = 32;
  config.dram.rate = Rate::ratio(40, 3);
  config.dram.latency = Cycles(300);
  config.dram.banks = 64;
  config.dram.row_miss = Cycles(30);
  config.dram.row_cycle = Cycles(80);
  return config;
}

/// Requests of 16 lines that walk through so many lines again and again: within L2 they hit, beyond it they miss.
void l2_and_dram(benchmark::State& state) {
  fabric::MemorySide memory(memory_config());
  Request request;
  request.count = max_burst;
  std::uint64_t line = 0;
  std::int64_t at = 0;
  for ([[maybe_unused]] auto iteration : state) {
    for (LineChunks& one : request.lines) {
      one = {line, 0xFF};
      line = (line + 1) % static_cast<std::uint64_t>(state.range(0));
    }
    benchmark::DoNotOptimize(memory.read(request, Cycle(at += 3)));
  }
  count_items(state, max_burst);
}
BENCHMARK(l2_and_dram)->ArgName("lines")->Arg(64 << 10)->Arg(1 << 20);

void dram_channel(benchmark::State& state) {
  fabric::DramChannel channel(memory_config().dram, 0, 32);
  std::uint64_t line = 0;
  std::int64_t at = 0;
  for ([[maybe_unused]] auto iteration : state) {
    line += 1 + line % 29;
    benchmark::DoNotOptimize(channel.read(Cycle(at += 10), line, line_bytes));
  }
  count_items(state, 1);
}
BENCHMARK(dram_channel);

Schedule one_buffer() {
  Schedule schedule;
  schedule.buffers = {{"A", 4096, 4096, 4096, DType::fp16}};
  return schedule;
}

/// A warp's 16-byte loads of four rows; inside the buffer, or past its last row, where every lane is looked at.
void coalescer(benchmark::State& state) {
  const Schedule schedule = one_buffer();
  const machine::MemoryMap memory(std::span(&schedule, 1), {});
  GlobalAccess access;
  access.buffer = BufferId(0);
  access.row = along(Coordinate::block_m, 1) + along(Coordinate::lane, 1, 8);
  access.column = along(Coordinate::lane, 8, 1, 8);
  access.vector = 8;
  sm::GlobalPlan plan = machine::lower_global(access, 1, {0, 1}, schedule, memory);
  Coordinates at{};
  at[static_cast<std::size_t>(Coordinate::block_m)] = state.range(0);
  std::vector<LineChunks> lines;
  for ([[maybe_unused]] auto iteration : state)
    benchmark::DoNotOptimize(sm::coalesce(plan, plan.footprint(0, 0), at, lines));
  count_items(state, 1);
}
BENCHMARK(coalescer)->ArgName("row")->Arg(128)->Arg(4094);

void bulk_box(benchmark::State& state) {
  sm::BoxPlan box;
  box.matrix.rows = box.matrix.columns = 4096;
  box.matrix.pitch = 8192;
  box.matrix.element_bytes = 2;
  box.rows = box.columns = 64;
  std::vector<LineChunks> lines;
  for ([[maybe_unused]] auto iteration : state) {
    sm::box_lines(box, {}, lines);
    benchmark::DoNotOptimize(lines.data());
  }
  count_items(state, box.rows);
}
BENCHMARK(bulk_box);

}  // namespace

BENCHMARK_MAIN();
