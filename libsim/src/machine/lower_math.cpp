// Lowering of arithmetic: which pipe, for how long.
#include <algorithm>
#include <stdexcept>

#include "machine/lowering.h"
#include "machine/rates.h"

namespace gpusim::machine {
namespace {

constexpr std::int64_t bank_bytes = 128;  ///< of a wavefront

std::int64_t rounded_up(std::int64_t value, std::int64_t divisor) { return (value + divisor - 1) / divisor; }

/// Cycles from the first to the last of `count` starts at `rate`, rounded up.
std::int64_t last_start(Rate rate, std::int64_t count) {
  return rate.is_unlimited() ? 0 : rounded_up((count - 1) * rate.period(), rate.amount());
}

const PipeSpec& spec_of(Pipe pipe, const PipesSpec& pipes) {
  switch (pipe) {
    case Pipe::fma:
      return pipes.fma;
    case Pipe::alu:
      return pipes.alu;
    case Pipe::sfu:
      return pipes.sfu;
    case Pipe::tensor:
      break;
  }
  throw std::logic_error("the tensor pipe has modes");
}

}  // namespace

void Lowering::on_lanes(Pipe pipe, sm::Step& step) const {
  const PipeSpec& spec = spec_of(pipe, profile_.pipes);
  step.kind = sm::StepKind::math;
  step.pipe = pipe;
  step.pipe_work = step.count;
  step.last_offset = last_start(lane_rate(spec, profile_.sm.sub_partitions), step.count);
  step.latency = spec.latency.count();
}

/// The fma pipe's time at a rate of their own: dot products have some of its lanes, pairs of fp16 twice or half as
/// many.
void Lowering::on_lanes_of(const std::optional<PipeSpec>& own, sm::Step& step) const {
  if (!own) throw std::logic_error("products that the profile lacks passed the check");
  const PipeSpec& pipe = profile_.pipes.fma;
  on_lanes(Pipe::fma, step);
  step.latency = own->latency.count();
  if (own->lanes.is_unlimited()) return;
  step.last_offset = last_start(lane_rate(*own, profile_.sm.sub_partitions), step.count);
  if (!pipe.lanes.is_unlimited()) step.pipe_work = rounded_up(step.count * pipe.lanes.value(), own->lanes.value());
}

/// The run takes as long as the busier bank has operands to deliver.
void Lowering::on_banks(const RegisterReads& reads, sm::Step& step) const {
  const Rate bank = profile_.sm.register_bank_operands_per_clk;
  if (reads.operands == 0 || bank.is_unlimited()) return;
  step.bank_work = rounded_up(step.count * reads.operands, reads.instructions);
  const Rate instructions = Rate::ratio(bank.amount() * reads.instructions, bank.period() * reads.operands);
  step.last_offset = std::max(step.last_offset, last_start(instructions, step.count));
}

void Lowering::on_tensor(const Multiply& multiply, sm::Step& step) const {
  const MmaShape shape = multiply.shape;
  const TensorModeSpec* const mode =
      tensor_mode(profile_, multiply.input, multiply.accumulate, shape.m, shape.n, shape.k, multiply.sparse);
  if (mode == nullptr) throw std::logic_error("a tensor mode the profile lacks passed the check");
  step.kind = sm::StepKind::math;
  step.pipe = Pipe::tensor;
  step.pipe_work = step.count * mma_parts(*mode, profile_);
  step.last_offset = last_start(mma_rate(*mode, profile_.sm.sub_partitions), step.count);
  step.latency = mode->latency.count();
  step.reissue = profile_.tensor.reissue.count();
}

void Lowering::lower_action(const Multiply& multiply, sm::Step& step) {
  if (multiply.pipe == Pipe::tensor)
    on_tensor(multiply, step);
  else if (is_dot_product(multiply))
    on_lanes_of(profile_.pipes.dp4a, step);
  else if (is_half_product(multiply))
    on_lanes_of(profile_.pipes.hfma2, step);
  else
    on_lanes(multiply.pipe, step);
  if (multiply.reads) on_banks(*multiply.reads, step);
  use(step, multiply.a);
  use(step, multiply.b);
  use(step, multiply.c, true);
  write(step, multiply.c);
}

void Lowering::lower_action(const WarpgroupMultiply& multiply, sm::Step& step) {
  const TensorModeSpec* const mode = multiply.metadata
                                         ? sparse_tensor_mode(profile_, multiply.input, multiply.accumulate)
                                         : tensor_mode(profile_, multiply.input, multiply.accumulate);
  if (mode == nullptr || !profile_.tensor.wgmma)
    throw std::logic_error("a warp-group multiply the profile lacks passed the check");
  step.kind = sm::StepKind::warpgroup_multiply;
  step.pipe = Pipe::tensor;
  const MmaShape shape = multiply.shape;
  step.pipe_work = step.count * wgmma_parts(*mode, shape.n, profile_);
  const std::int64_t bytes_of_b = std::int64_t{shape.n} * shape.k * size_of(multiply.input);
  std::int64_t bytes_of_a = 0;
  if (const auto* const fragment = std::get_if<Token>(&multiply.a)) {
    store(step, *fragment);
    step.latency = profile_.tensor.wgmma->latency.count();
  } else {
    bytes_of_a = std::int64_t{shape.m} * shape.k * size_of(multiply.input) / (multiply.metadata ? 2 : 1);
    step.latency = profile_.tensor.wgmma->shared_latency.count();
  }
  if (multiply.metadata) store(step, multiply.metadata->fragment);
  step.wavefronts = rounded_up(bytes_of_a + bytes_of_b, bank_bytes);
  step.a_wavefronts = bytes_of_a / bank_bytes;
  use(step, multiply.c, true);
  write(step, multiply.c);
  step.serial_class = sm::serial_exempt;
}

void Lowering::lower_action(const Scale& scale, sm::Step& step) {
  on_lanes(Pipe::fma, step);
  use(step, scale.c);
  if (scale.source) use(step, *scale.source);
  if (scale.bias) use(step, *scale.bias);
  if (scale.factors) {
    use(step, scale.factors->rows);
    use(step, scale.factors->columns);
  }
  write(step, scale.c);
}

void Lowering::lower_action(const Arithmetic& arithmetic, sm::Step& step) {
  on_lanes(arithmetic.pipe, step);
  for (const Token token : arithmetic.reads) use(step, token);
  if (arithmetic.writes) fill(step, *arithmetic.writes);
  if (arithmetic.overhead) step.serial_class = sm::serial_exempt;
}

void Lowering::lower_action(const Map& map, sm::Step& step) {
  on_lanes(map.pipe, step);
  use(step, map.a);
  if (map.b) use(step, *map.b);
  fill(step, map.into);
}

void Lowering::lower_action(const Reduce& reduce, sm::Step& step) {
  on_lanes(reduce.pipe, step);
  use(step, reduce.from);
  fill(step, reduce.into);
}

void Lowering::lower_action(const Shuffle& shuffle, sm::Step& step) {
  step.kind = sm::StepKind::shuffle;
  step.wide_bytes = bank_bytes;
  store(step, shuffle.from);
  fill(step, shuffle.into);
}

void Lowering::lower_action(const TransposeMatrices& transpose, sm::Step& step) {
  step.kind = sm::StepKind::shuffle;
  step.wide_bytes = bank_bytes;
  store(step, transpose.fragment);
  fill(step, transpose.fragment);
}

}  // namespace gpusim::machine
