// FFMAs whose operands meet in the register banks.
#include <algorithm>
#include <array>
#include <set>

#include "schedules/probe_parts.h"

namespace gpusim::schedules {
namespace {

constexpr int banks = 2;  ///< of a sub-partition: even and odd registers
constexpr std::int64_t group = 4;
constexpr int accumulator = 5;  ///< of the group's first instruction
constexpr int addend = 16;      ///< of the other three

/// What an instruction reads: a register named twice once, one in the reuse cache not at all.
std::set<int> registers_read(const RegisterLoop& choices, int third) {
  std::set<int> read{third};
  if (!choices.reuse_x) read.insert(choices.x);
  if (!choices.reuse_y) read.insert(choices.y);
  return read;
}

/// Of a group, the operands of the busier bank.
std::int64_t busiest_bank(const RegisterLoop& choices) {
  std::array<std::int64_t, banks> operands{};
  for (std::int64_t i = 0; i < group; ++i)
    for (const int read : registers_read(choices, i == 0 ? accumulator : addend))
      ++operands[static_cast<std::size_t>(read % banks)];
  return *std::max_element(operands.begin(), operands.end());
}

}  // namespace

Schedule register_loop(const RegisterLoop& choices) {
  Program program;
  Multiply multiply;
  multiply.pipe = Pipe::fma;
  multiply.a = program.token("x");
  multiply.b = program.token("y");
  multiply.c = program.token("c");
  multiply.input = multiply.accumulate = DType::fp32;
  multiply.reads = RegisterReads{busiest_bank(choices), group};
  program.body = {loop(choices.trips, {run_of(multiply, group)})};
  return kernel("registers", 1, choices.warps, std::move(program));
}

}  // namespace gpusim::schedules
