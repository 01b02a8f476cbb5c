#include "estimate/costs.h"

#include <algorithm>
#include <array>
#include <string>

#include "estimate/profile_keys.h"

namespace gpusim::estimate {

namespace {

/// The interval of a rate; none when unlimited.
Pace interval_of(const Rate& rate, std::string_view field, std::string_view what) {
  return {rate.period(), rate.amount(), std::string(field), std::string(what)};
}

/// DRAM's latency at the run's clock, to the nearest cycle: what it adds to L2's keeps its nanoseconds.
Cycles scaled_dram_latency(const Profile& profile, std::int64_t clock_mhz) {
  const std::int64_t measured_at = profile.dram.latency_clock_mhz;
  if (measured_at == 0) return profile.dram.latency;
  const Cycles fixed = profile.l2 ? std::min(profile.l2->latency, profile.dram.latency) : Cycles();
  const std::int64_t beyond = (profile.dram.latency - fixed).count();
  return fixed + Cycles((beyond * clock_mhz + measured_at / 2) / measured_at);
}

}  // namespace

Costs::Costs(const Schedule& schedule, const Profile& profile, const RunOptions& options, Ledger& ledger)
    : schedule_(schedule),
      profile_(profile),
      ledger_(ledger),
      issue_(interval_of(profile.sm.issue_per_clk, "sm.issue_per_clk", "issue")),
      memory_issue_(interval_of(profile.lsu.issue_per_clk, "lsu.issue_per_clk", "address generation")),
      clock_mhz_(options.clock_mhz.value_or(profile.clock.boost_mhz)),
      dram_latency_(scaled_dram_latency(profile, clock_mhz_)),
      wavefronts_(schedule) {
  for (const Buffer& buffer : schedule.buffers) {
    const auto named = options.l2_by_buffer.find(buffer.name);
    const L2State state = named != options.l2_by_buffer.end() ? named->second : options.l2;
    in_l2_.push_back(profile.l2.has_value() && state != L2State::cold);
  }
}

Pace Costs::lanes_pace(const PipeSpec& pipe, const std::string& key, std::string_view what) const {
  const Limited<std::int64_t>& lanes = pipe.lanes;
  if (lanes.is_unlimited()) return {};
  const Rate warps_per_cycle = Rate::ratio(lanes.value(), 32 * profile_.sm.sub_partitions);
  return interval_of(warps_per_cycle, key + ".lanes", what);
}

Pace Costs::pipe_pace(Pipe pipe, std::string_view what) const {
  return lanes_pace(spec_of(profile_.pipes, pipe), "pipes." + std::string(name(pipe)), what);
}

const TensorModeSpec* Costs::mode_of(const Multiply& multiply) const {
  const MmaShape& shape = multiply.shape;
  return tensor_mode(profile_, multiply.input, multiply.accumulate, shape.m, shape.n, shape.k, multiply.sparse);
}

Pace Costs::tensor_pace(const Multiply& multiply, std::string_view what) const {
  const TensorModeSpec* mode = mode_of(multiply);
  if (mode == nullptr || mode->fma_per_clk.is_unlimited()) return {};
  const std::int64_t fma = std::int64_t{1} * multiply.shape.m * multiply.shape.n * multiply.shape.k;
  const Rate& rate = mode->fma_per_clk;
  const Rate instructions = Rate::ratio(rate.amount(), rate.period() * fma * profile_.sm.sub_partitions);
  return interval_of(instructions, mode_key(profile_, *mode) + ".fma_per_clk", what);
}

Pace Costs::register_pace(const Multiply& multiply) const {
  const Rate& rate = profile_.sm.register_bank_operands_per_clk;
  if (multiply.pipe == Pipe::tensor || !multiply.reads || rate.is_unlimited()) return {};
  return {multiply.reads->operands * rate.period(), multiply.reads->instructions * rate.amount(),
          "sm.register_bank_operands_per_clk", "register banks"};
}

bool Costs::queued(const Operation& operation) {
  const Action& action = operation.action;
  return std::holds_alternative<LoadGlobal>(action) || std::holds_alternative<StoreGlobal>(action) ||
         std::holds_alternative<LoadShared>(action) || std::holds_alternative<StoreShared>(action) ||
         std::holds_alternative<CopyAsync>(action) || std::holds_alternative<AtomicAdd>(action) ||
         std::holds_alternative<LoadConstant>(action) || std::holds_alternative<Shuffle>(action) ||
         std::holds_alternative<TransposeMatrices>(action);
}

Pace Costs::slowest_pace(const Operation& operation) const {
  Pace own;
  const std::string_view what = name(operation.action);
  if (const auto* multiply = std::get_if<Multiply>(&operation.action)) {
    own = multiply->pipe == Pipe::tensor
              ? tensor_pace(*multiply, what)
              : lanes_pace(lanes_of(profile_.pipes, *multiply), lanes_key(profile_.pipes, *multiply), what);
    const Pace banks = register_pace(*multiply);
    if (slower(banks, own)) own = banks;
  } else if (std::holds_alternative<Scale>(operation.action)) {
    own = pipe_pace(Pipe::fma, what);
  } else if (const auto* arithmetic = std::get_if<Arithmetic>(&operation.action)) {
    own = pipe_pace(arithmetic->pipe, what);
  } else if (const auto* map = std::get_if<Map>(&operation.action)) {
    own = pipe_pace(map->pipe, what);
  } else if (const auto* reduce = std::get_if<Reduce>(&operation.action)) {
    own = pipe_pace(reduce->pipe, what);
  } else if (queued(operation)) {
    own = memory_issue_;
  }
  return slower(own, issue_) ? own : issue_;
}

const Pace& Costs::pace(const Operation& operation) {
  const auto [known, is_new] = paces_.try_emplace(&operation);
  if (is_new) known->second = slowest_pace(operation);
  return known->second;
}

void Costs::add_run(Path& path, const Operation& operation, std::int64_t count) {
  if (count != 0) ledger_.extend(path, pace(operation), count);
}

void Costs::add_until_next(Path& path, const Operation& operation) {
  add_run(path, operation, operation.count);
  ledger_.extend(path, "tensor.reissue", name(operation.action), profile_.tensor.reissue, operation.count);
}

Pace Costs::arithmetic_pace(const WarpgroupMultiply& multiply) const {
  const TensorModeSpec* mode = multiply.metadata ? sparse_tensor_mode(profile_, multiply.input, multiply.accumulate)
                                                 : tensor_mode(profile_, multiply.input, multiply.accumulate);
  if (mode == nullptr || mode->peak_fma_per_clk.is_unlimited()) return {};
  const Rate& rate = mode->peak_fma_per_clk;
  const MmaShape& shape = multiply.shape;
  return interval_of(Rate::ratio(rate.amount(), rate.period() * shape.m * shape.n * shape.k),
                     mode_key(profile_, *mode) + ".peak_fma_per_clk", "WGMMA");
}

Pace Costs::operand_pace(const WarpgroupMultiply& multiply) const {
  const std::int64_t stored_rows = multiply.metadata ? multiply.shape.m / 2 : multiply.shape.m;  // or half of each row
  return operand_pace(multiply, std::holds_alternative<SharedAccess>(multiply.a) ? stored_rows : 0);
}

Pace Costs::operand_pace(const WarpgroupMultiply& multiply, std::int64_t rows_of_a) const {
  const std::int64_t bytes = (rows_of_a + multiply.shape.n) * multiply.shape.k * size_of(multiply.input);
  return interval_of(profile_.shared.bytes_per_clk / bytes, "shared.bytes_per_clk", "operands of WGMMA");
}

void Costs::add_multiplies(Path& path, const WarpgroupMultiply& multiply, std::int64_t count) const {
  std::array paces{arithmetic_pace(multiply), operand_pace(multiply), Pace{}};
  if (profile_.tensor.wgmma) paces[2] = {profile_.tensor.wgmma->interval.count(), 1, "tensor.wgmma.interval", "WGMMA"};
  const Pace* slowest = paces.data();
  for (const Pace& pace : paces)
    if (slower(pace, *slowest)) slowest = &pace;
  ledger_.extend(path, *slowest, count);
}

void Costs::add_last_multiply(Path& path, const WarpgroupMultiply& multiply) const {
  const Pace arithmetic = arithmetic_pace(multiply);
  const Pace operands_of_b = operand_pace(multiply, 0);
  ledger_.extend(path, slower(operands_of_b, arithmetic) ? operands_of_b : arithmetic, 1);
}

}  // namespace gpusim::estimate
