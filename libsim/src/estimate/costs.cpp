#include "estimate/costs.h"

#include <algorithm>
#include <string>

namespace gpusim::estimate {

namespace {

/// The interval of a rate; none when unlimited.
Pace interval_of(const Rate& rate, std::string_view field, std::string_view what) {
  return {rate.period(), rate.amount(), std::string(field), std::string(what)};
}

const PipeSpec& spec_of(const PipesSpec& pipes, Pipe pipe) {
  if (pipe == Pipe::alu) return pipes.alu;
  return pipe == Pipe::sfu ? pipes.sfu : pipes.fma;
}

std::string mode_key(const Profile& profile, const TensorModeSpec& mode) {
  return "tensor.modes." + std::to_string(&mode - profile.tensor.modes.data());
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
      dram_latency_(scaled_dram_latency(profile, options.clock_mhz.value_or(profile.clock.boost_mhz))) {
  for (const Buffer& buffer : schedule.buffers) {
    const auto named = options.l2_by_buffer.find(buffer.name);
    const L2State state = named != options.l2_by_buffer.end() ? named->second : options.l2;
    in_l2_.push_back(profile.l2.has_value() && state == L2State::warm);
  }
}

Pace Costs::pipe_pace(Pipe pipe, std::string_view what) const {
  const Limited<std::int64_t>& lanes = spec_of(profile_.pipes, pipe).lanes;
  if (lanes.is_unlimited()) return {};
  const Rate warps_per_cycle = Rate::ratio(lanes.value(), 32 * profile_.sm.sub_partitions);
  return interval_of(warps_per_cycle, "pipes." + std::string(name(pipe)) + ".lanes", what);
}

Pace Costs::tensor_pace(const Multiply& multiply, std::string_view what) const {
  const TensorModeSpec* mode = tensor_mode(profile_, multiply.input, multiply.accumulate);
  if (mode == nullptr || mode->fma_per_clk.is_unlimited()) return {};
  const std::int64_t fma = std::int64_t{1} * multiply.shape.m * multiply.shape.n * multiply.shape.k;
  const Rate& rate = mode->fma_per_clk;
  const Rate instructions = Rate::ratio(rate.amount(), rate.period() * fma * profile_.sm.sub_partitions);
  return interval_of(instructions, mode_key(profile_, *mode) + ".fma_per_clk", what);
}

bool Costs::queued(const Operation& operation) {
  const Action& action = operation.action;
  return std::holds_alternative<LoadGlobal>(action) || std::holds_alternative<StoreGlobal>(action) ||
         std::holds_alternative<LoadShared>(action) || std::holds_alternative<StoreShared>(action) ||
         std::holds_alternative<CopyAsync>(action);
}

Pace Costs::pace(const Operation& operation) const {
  Pace own;
  const std::string_view what = name(operation.action);
  if (const auto* multiply = std::get_if<Multiply>(&operation.action)) {
    own = multiply->pipe == Pipe::tensor ? tensor_pace(*multiply, what) : pipe_pace(multiply->pipe, what);
  } else if (std::holds_alternative<Scale>(operation.action)) {
    own = pipe_pace(Pipe::fma, what);
  } else if (const auto* arithmetic = std::get_if<Arithmetic>(&operation.action)) {
    own = pipe_pace(arithmetic->pipe, what);
  } else if (queued(operation)) {
    own = memory_issue_;
  }
  return slower(own, issue_) ? own : issue_;
}

void Costs::add_global(Path& path, BufferId buffer, std::string_view what) const {
  const std::string label(what);
  if (in_l2_.at(static_cast<std::size_t>(buffer.index()))) {
    ledger_.extend(path, "l2.latency", label + " served by L2", profile_.l2->latency);
  } else {
    ledger_.extend(path, "dram.latency", label + " served by DRAM", dram_latency_);
  }
}

void Costs::add_pipe(Path& path, Pipe pipe, std::string_view what) const {
  ledger_.extend(path, "pipes." + std::string(name(pipe)) + ".latency", what, spec_of(profile_.pipes, pipe).latency);
}

void Costs::add_latency(Path& path, const Operation& operation) const {
  const Action& action = operation.action;
  const std::string_view what = name(action);
  if (const auto* load = std::get_if<LoadGlobal>(&action)) {
    add_global(path, load->from.buffer, "global load");
  } else if (const auto* copy = std::get_if<CopyAsync>(&action)) {
    add_global(path, copy->from.buffer, "asynchronous copy");
    if (profile_.async_copy)
      ledger_.extend(path, "async_copy.overhead", "asynchronous copy", profile_.async_copy->overhead);
  } else if (const auto* bulk = std::get_if<BulkCopy>(&action)) {
    add_global(path, bulk->buffer, "bulk copy");
    if (profile_.tma) ledger_.extend(path, "tma.overhead", "bulk copy", profile_.tma->overhead);
  } else if (std::holds_alternative<LoadShared>(action)) {
    ledger_.extend(path, "shared.latency", "shared-memory load", profile_.shared.latency);
  } else if (std::holds_alternative<StoreShared>(action)) {
    ledger_.extend(path, "shared.store_latency", "shared-memory store", profile_.shared.store_latency);
  } else if (const auto* arithmetic = std::get_if<Arithmetic>(&action)) {
    add_pipe(path, arithmetic->pipe, what);
  } else if (std::holds_alternative<Scale>(action)) {
    add_pipe(path, Pipe::fma, what);
  } else if (const auto* multiply = std::get_if<Multiply>(&action)) {
    if (multiply->pipe != Pipe::tensor) {
      add_pipe(path, multiply->pipe, what);
    } else if (const auto* mode = tensor_mode(profile_, multiply->input, multiply->accumulate)) {
      ledger_.extend(path, mode_key(profile_, *mode) + ".latency", what, mode->latency);
    }
  }
}

void Costs::add_barrier(Path& path) const {
  ledger_.extend(path, "barrier.latency", "CTA barrier", profile_.barrier.latency);
  ledger_.extend(path, "barrier.per_warp", "CTA barrier, each warp", profile_.barrier.per_warp,
                 warps_per_cta(schedule_));
}

void Costs::add_mbarrier(Path& path) const {
  ledger_.extend(path, "barrier.mbarrier_latency", "mbarrier phase to waiting warp", profile_.barrier.mbarrier_latency);
}

}  // namespace gpusim::estimate
