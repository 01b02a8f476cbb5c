#include "machine/lower.h"

#include <algorithm>
#include <stdexcept>

#include "machine/lower_access.h"
#include "machine/rates.h"

namespace gpusim::machine {
namespace {

constexpr std::int64_t lanes_per_warp = 32;
constexpr std::int64_t bank_bytes = 128;  ///< of a wavefront

/// Cycles from the first to the last of `count` starts at `rate`, rounded up.
std::int64_t last_start(Rate rate, std::int64_t count) {
  return rate.is_unlimited() ? 0 : ((count - 1) * rate.period() + rate.amount() - 1) / rate.amount();
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

class Lowering {
 public:
  Lowering(const Schedule& schedule, const Profile& profile, const MemoryMap& memory)
      : schedule_(schedule), profile_(profile), memory_(memory) {
    kernel_.cluster = schedule.cluster;
  }

  sm::Kernel run() {
    int first_warp = 0;
    bool tiles_counted = false;
    for (const Role& role : schedule_.roles) {
      warps_ = {first_warp, role.warps};
      sm::Code code;
      code.name = role.name;
      code.first_warp = first_warp;
      code.warps = role.warps;
      code.tokens = static_cast<int>(role.program.tokens.size());
      steps_ = &code.steps;
      steps_tiles_ = false;
      lower_body(role.program.body, 0);
      code.steps.emplace_back();
      code.steps.back().kind = sm::StepKind::exit;
      code.steps.back().name = "EXIT";
      code.counts_tiles = steps_tiles_ && !tiles_counted;
      tiles_counted = tiles_counted || steps_tiles_;
      kernel_.role_of_warp.insert(kernel_.role_of_warp.end(), static_cast<std::size_t>(role.warps),
                                  static_cast<int>(kernel_.roles.size()));
      kernel_.roles.push_back(std::move(code));
      first_warp += role.warps;
    }
    kernel_.warps_per_cta = first_warp;
    for (const Barrier& barrier : schedule_.barriers) {
      kernel_.barriers.push_back({barrier.name, kernel_.barrier_slots, barrier.slots, barrier.arrivals});
      kernel_.barrier_slots += barrier.slots;
    }
    return std::move(kernel_);
  }

 private:
  void lower_body(const std::vector<Statement>& body, std::uint8_t depth) {
    for (const Statement& statement : body) {
      if (const auto* const operation = std::get_if<Operation>(&statement)) {
        if (operation->count > 0) lower_operation(*operation);
        continue;
      }
      const Loop& loop = std::get<Loop>(statement);
      sm::Step marker;
      marker.kind = sm::StepKind::loop_begin;
      marker.depth = depth;
      marker.trips = loop.trips;
      marker.steps_tiles = loop.steps_tiles;
      steps_tiles_ = steps_tiles_ || (loop.steps_tiles && loop.trips > 0);
      const std::size_t begin = steps_->size();
      steps_->push_back(marker);
      lower_body(loop.body, static_cast<std::uint8_t>(depth + 1));
      marker.kind = sm::StepKind::loop_end;
      marker.jump = static_cast<std::int32_t>(begin + 1);
      steps_->push_back(marker);
      (*steps_)[begin].jump = static_cast<std::int32_t>(steps_->size());
    }
  }

  void lower_operation(const Operation& operation) {
    sm::Step step;
    step.count = operation.count;
    step.name = name(operation.action);
    if (operation.guard) {
      step.guard = static_cast<std::int32_t>(kernel_.guards.size());
      kernel_.guards.push_back({operation.guard->value, operation.guard->limit});
    }
    step.serial_class = static_cast<std::uint8_t>(operation.action.index());
    std::visit([&](const auto& action) { lower_action(action, step); }, operation.action);
    if (profile_.sm.issue == IssueMode::scoreboard) step.serial_class = sm::serial_exempt;
    steps_->push_back(std::move(step));
  }

  static void use(sm::Step& step, Token token, bool chained = false) {
    if (step.use_count == step.uses.size()) throw std::logic_error("an operation waits for more than six fragments");
    step.uses[step.use_count++] = {static_cast<std::uint8_t>(token.index()), chained};
  }
  static void write(sm::Step& step, Token token) { step.writes = static_cast<std::uint8_t>(token.index()); }

  std::int32_t global(const GlobalAccess& access, const sm::Step& step) {
    kernel_.globals.push_back(lower_global(access, step.count, warps_, schedule_, memory_));
    return static_cast<std::int32_t>(kernel_.globals.size() - 1);
  }
  std::int32_t shared(const SharedAccess& access, const sm::Step& step) {
    kernel_.shareds.push_back(lower_shared(access, step.count, warps_, schedule_));
    return static_cast<std::int32_t>(kernel_.shareds.size() - 1);
  }
  static void at_barrier(const BarrierSlot& slot, sm::Step& step) {
    step.barrier = static_cast<std::int32_t>(slot.barrier.index());
    step.slot = sm::Base(slot.slot);
  }
  void on_lanes(Pipe pipe, sm::Step& step) {
    const PipeSpec& spec = spec_of(pipe, profile_.pipes);
    step.kind = sm::StepKind::math;
    step.pipe = pipe;
    step.pipe_work = step.count;
    step.last_offset = last_start(lane_rate(spec, profile_.sm.sub_partitions), step.count);
    step.latency = spec.latency.count();
  }

  /// Registers of one instruction of the whole warp, and the address it needs.
  template <class Access>
  void on_registers(const Access& access, DType dtype, sm::Step& step) {
    step.wide_bytes = lanes_per_warp * access.vector * size_of(dtype);
    step.uniform = access.uniform;
    if (!access.address) return;
    step.address = static_cast<std::uint8_t>(access.address->index());
    use(step, *access.address);
  }
  [[nodiscard]] DType type_of(const GlobalAccess& access) const {
    return schedule_.buffers[static_cast<std::size_t>(access.buffer.index())].dtype;
  }
  [[nodiscard]] DType type_of(const SharedAccess& access) const {
    return schedule_.shared_tiles[static_cast<std::size_t>(access.tile.index())].dtype;
  }
  static void store(sm::Step& step, Token token) {
    use(step, token);
    step.source = static_cast<std::uint8_t>(token.index());
  }
  static void fill(sm::Step& step, Token token) {
    use(step, token);
    write(step, token);
  }
  void at_peer(const SharedAccess& access, sm::StepKind peer_kind, sm::Step& step) {
    if (!access.peer) return;
    step.kind = peer_kind;
    step.peer = sm::Base(*access.peer);
  }

  void lower_action(const LoadGlobal& load, sm::Step& step) {
    step.kind = sm::StepKind::load_global;
    step.global = global(load.from, step);
    step.through_l1 = !load.bypass_l1;
    on_registers(load.from, type_of(load.from), step);
    fill(step, load.into);
  }
  void lower_action(const StoreGlobal& stored, sm::Step& step) {
    step.kind = sm::StepKind::store_global;
    step.global = global(stored.to, step);
    on_registers(stored.to, type_of(stored.to), step);
    store(step, stored.from);
  }
  void lower_action(const LoadConstant& load, sm::Step& step) {
    step.kind = sm::StepKind::load_constant;
    step.latency = (load.address ? profile_.lsu.constant_indexed_latency : profile_.lsu.constant_latency).count();
    if (load.address) {
      use(step, *load.address);
      step.address = static_cast<std::uint8_t>(load.address->index());
    }
    fill(step, load.into);
  }
  void lower_action(const AtomicAdd& atomic, sm::Step& step) {
    step.kind = sm::StepKind::atomic;
    step.global = global(atomic.to, step);
    on_registers(atomic.to, type_of(atomic.to), step);
    store(step, atomic.from);
    if (atomic.into) fill(step, *atomic.into);
  }
  void lower_action(const LoadShared& load, sm::Step& step) {
    step.kind = sm::StepKind::load_shared;
    step.shared = shared(load.from, step);
    on_registers(load.from, type_of(load.from), step);
    at_peer(load.from, sm::StepKind::load_peer, step);
    fill(step, load.into);
  }
  void lower_action(const StoreShared& stored, sm::Step& step) {
    step.kind = sm::StepKind::store_shared;
    step.shared = shared(stored.to, step);
    on_registers(stored.to, type_of(stored.to), step);
    at_peer(stored.to, sm::StepKind::store_peer, step);
    store(step, stored.from);
  }
  void lower_action(const CopyAsync& copy, sm::Step& step) {
    step.kind = sm::StepKind::copy_async;
    step.through_l1 = copy.through_l1;
    on_registers(copy.from, type_of(copy.from), step);
    step.global = global(copy.from, step);
    step.shared = shared(copy.to, step);
    step.serial_class = sm::serial_exempt;
  }
  void lower_action(const CommitGroup&, sm::Step& step) {
    step.kind = sm::StepKind::commit_group;
    step.serial_class = sm::serial_exempt;
  }
  void lower_action(const WaitGroup& wait, sm::Step& step) {
    step.kind = sm::StepKind::wait_group;
    step.pending = wait.pending;
    step.serial_class = sm::serial_exempt;
  }
  void lower_action(const BulkCopy& copy, sm::Step& step) {
    step.kind = sm::StepKind::bulk_copy;
    kernel_.boxes.push_back(lower_box(copy, schedule_, memory_));
    step.global = static_cast<std::int32_t>(kernel_.boxes.size() - 1);
    step.expect = copy.planes * copy.rows * copy.columns * kernel_.boxes.back().element_bytes;
    step.serial_class = sm::serial_exempt;
    at_barrier(copy.done, step);
  }
  void lower_action(const BarrierArrive& arrive, sm::Step& step) {
    step.kind = sm::StepKind::barrier_arrive;
    step.expect = arrive.expect.count();
    at_barrier(arrive.at, step);
  }
  void lower_action(const BarrierWait& wait, sm::Step& step) {
    step.kind = sm::StepKind::barrier_wait;
    step.phase = sm::Base(wait.phase);
    at_barrier(wait.at, step);
  }
  void lower_action(const Multiply& multiply, sm::Step& step) {
    if (multiply.pipe == Pipe::tensor)
      on_tensor(multiply, step);
    else
      on_lanes(multiply.pipe, step);
    use(step, multiply.a);
    use(step, multiply.b);
    use(step, multiply.c, true);
    write(step, multiply.c);
  }
  void on_tensor(const Multiply& multiply, sm::Step& step) {
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
  void lower_action(const WarpgroupMultiply& multiply, sm::Step& step) {
    const TensorModeSpec* const mode = tensor_mode(profile_, multiply.input, multiply.accumulate);
    if (mode == nullptr || !profile_.tensor.wgmma)
      throw std::logic_error("a warp-group multiply the profile lacks passed the check");
    step.kind = sm::StepKind::warpgroup_multiply;
    step.pipe = Pipe::tensor;
    const MmaShape shape = multiply.shape;
    step.pipe_work = step.count * wgmma_parts(*mode, shape.n, profile_);
    const std::int64_t b_bytes = std::int64_t{shape.n} * shape.k * size_of(multiply.input);
    std::int64_t bytes = b_bytes;
    if (const auto* const fragment = std::get_if<Token>(&multiply.a))
      store(step, *fragment);
    else
      bytes += std::int64_t{shape.m} * shape.k * size_of(multiply.input);
    step.wavefronts = (bytes + bank_bytes - 1) / bank_bytes;
    use(step, multiply.c, true);
    write(step, multiply.c);
    step.serial_class = sm::serial_exempt;
  }
  void lower_action(const WarpgroupCommit&, sm::Step& step) {
    step.kind = sm::StepKind::warpgroup_commit;
    step.serial_class = sm::serial_exempt;
  }
  void lower_action(const WarpgroupWait& wait, sm::Step& step) {
    step.kind = sm::StepKind::warpgroup_wait;
    step.pending = wait.pending;
    step.serial_class = sm::serial_exempt;
  }
  void lower_action(const ClusterBarrier& barrier, sm::Step& step) {
    step.kind = sm::StepKind::cluster_barrier;
    step.relaxed = barrier.relaxed;
  }
  void lower_action(const Scale& scale, sm::Step& step) {
    on_lanes(Pipe::fma, step);
    use(step, scale.c);
    if (scale.source) use(step, *scale.source);
    write(step, scale.c);
  }
  void lower_action(const Arithmetic& arithmetic, sm::Step& step) {
    on_lanes(arithmetic.pipe, step);
    for (const Token token : arithmetic.reads) use(step, token);
    if (arithmetic.writes) {
      use(step, *arithmetic.writes);  // nor may it overtake what is still on its way there
      write(step, *arithmetic.writes);
    }
    if (arithmetic.overhead) step.serial_class = sm::serial_exempt;
  }
  void lower_action(const CtaBarrier&, sm::Step& step) { step.kind = sm::StepKind::cta_barrier; }

  const Schedule& schedule_;
  const Profile& profile_;
  const MemoryMap& memory_;
  sm::Kernel kernel_;
  WarpRange warps_;
  std::vector<sm::Step>* steps_ = nullptr;
  bool steps_tiles_ = false;
};

}  // namespace

sm::Kernel lower(const Schedule& schedule, const Profile& profile, const MemoryMap& memory) {
  sm::Kernel kernel = Lowering(schedule, profile, memory).run();
  const std::int64_t ctas = std::max<std::int64_t>(occupancy(schedule, profile).ctas, 1);
  kernel.cta_slots = static_cast<int>(std::min(ctas, cta_count(schedule)));
  if (profile.l1) {
    // Shared memory is carved out for as many CTAs as could be resident, however few the grid has.
    const std::int64_t carved = ctas * (shared_bytes(schedule) + profile.shared.reserved_per_cta).count();
    const Limited<Bytes> capacity = profile.l1->capacity;
    kernel.l1_bytes =
        capacity.is_unlimited() ? memory.bytes() : std::min(capacity.value().count() - carved, memory.bytes());
  }
  return kernel;
}

}  // namespace gpusim::machine
