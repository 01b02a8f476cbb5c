// The latency of each operation, when nothing is in the way.
#include <algorithm>
#include <string>

#include "estimate/costs.h"
#include "estimate/profile_keys.h"
#include "sizes.h"

namespace gpusim::estimate {
namespace {

constexpr std::int64_t narrow_bytes = 4;     ///< of a lane: what latencies are measured with
constexpr std::int64_t free_wavefronts = 2;  ///< whose data comes in the time of one

std::int64_t cycles_of(const Rate& rate, std::int64_t work) {
  return rate.is_unlimited() ? 0 : (work * rate.period() + rate.amount() - 1) / rate.amount();
}

}  // namespace

struct Costs::Latency {
  Costs& costs;
  Path& path;
  const Coordinates& at;
  std::string_view name;

  void operator()(const LoadGlobal& load) const {
    costs.add_global(path, load.from.buffer, "global load");
    costs.add_wide(path, load.from.vector * costs.element_bytes(load.from));
    if (load.from.uniform)
      costs.add_uniform(path, "lsu.global_uniform_saving", costs.profile_.lsu.global_uniform_saving);
  }
  void operator()(const AtomicAdd& atomic) const {
    if (!atomic.into) return;
    costs.add_global(path, atomic.to.buffer, "atomic");
    if (costs.profile_.l2) add("l2.atomic_latency", "atomic", costs.profile_.l2->atomic_latency);
  }
  void operator()(const CopyAsync& copy) const {
    costs.add_global(path, copy.from.buffer, "asynchronous copy");
    if (costs.profile_.async_copy) add("async_copy.overhead", "asynchronous copy", costs.profile_.async_copy->overhead);
  }
  void operator()(const BulkCopy& copy) const {
    costs.add_global(path, copy.buffer, "bulk copy");
    add_engine("bulk copy", copy.rank);
  }
  /// Until it has read shared memory.
  void operator()(const BulkStore&) const { add_engine("bulk store", 2); }
  void operator()(const LoadShared& load) const {
    if (load.from.peer)
      return costs.add_peer(path, (*load.from.peer)(at) % costs.schedule_.cluster == 0,
                            "load from a peer's shared memory");
    add("shared.latency", "shared-memory load", costs.profile_.shared.latency);
    costs.add_wavefronts(path, load, at);
    if (load.from.uniform)
      costs.add_uniform(path, "lsu.shared_uniform_saving", costs.profile_.lsu.shared_uniform_saving);
  }
  void operator()(const StoreShared& store) const {
    if (!store.to.peer) add("shared.store_latency", "shared-memory store", costs.profile_.shared.store_latency);
  }
  void operator()(const LoadConstant& load) const {
    if (load.address)
      add("lsu.constant_indexed_latency", "constant load", costs.profile_.lsu.constant_indexed_latency);
    else
      add("lsu.constant_latency", "constant load", costs.profile_.lsu.constant_latency);
  }
  void operator()(const Multiply& multiply) const {
    const PipesSpec& pipes = costs.profile_.pipes;
    if (multiply.pipe != Pipe::tensor)
      return add(lanes_key(pipes, multiply) + ".latency", name, lanes_of(pipes, multiply).latency);
    if (const auto* mode = costs.mode_of(multiply))
      add(mode_key(costs.profile_, *mode) + ".latency", name, mode->latency);
  }
  void operator()(const WarpgroupMultiply& multiply) const {
    if (!costs.profile_.tensor.wgmma) return;
    const WgmmaSpec& wgmma = *costs.profile_.tensor.wgmma;
    if (std::holds_alternative<SharedAccess>(multiply.a))
      add("tensor.wgmma.shared_latency", name, wgmma.shared_latency);
    else
      add("tensor.wgmma.latency", name, wgmma.latency);
  }
  void operator()(const Scale&) const { costs.add_pipe(path, Pipe::fma, name); }
  void operator()(const Arithmetic& arithmetic) const { costs.add_pipe(path, arithmetic.pipe, name); }
  void operator()(const Map& map) const { costs.add_pipe(path, map.pipe, name); }
  void operator()(const Reduce& reduce) const { costs.add_pipe(path, reduce.pipe, name); }
  void operator()(const Shuffle&) const { add("shared.latency", "shuffle", costs.profile_.shared.latency); }
  void operator()(const TransposeMatrices&) const { add("shared.latency", "MOVM", costs.profile_.shared.latency); }
  template <class Other>
  void operator()(const Other&) const {}

  /// What the copy engine takes for a box of this rank.
  void add_engine(std::string_view what, int rank) const {
    if (!costs.profile_.tma) return;
    const TmaSpec& tma = *costs.profile_.tma;
    add("tma.overhead", what, tma.overhead);
    if (rank == 0) return;
    add("tma.tensor_overhead", "tensor map", tma.tensor_overhead);
    add("tma.dimension_overhead", "dimensions of the tensor map", tma.dimension_overhead, rank - 1);
  }
  void add(std::string_view field, std::string_view what, Cycles each, std::int64_t count = 1) const {
    costs.ledger_.extend(path, field, what, each, count);
  }
};

void Costs::add_latency(Path& path, const Operation& operation, const Coordinates& at) {
  std::visit(Latency{*this, path, at, name(operation.action)}, operation.action);
}

Cycles Costs::global_latency(BufferId buffer) const {
  return in_l2_.at(static_cast<std::size_t>(buffer.index())) ? profile_.l2->latency : dram_latency_;
}

void Costs::add_global(Path& path, BufferId buffer, std::string_view what) const {
  if (global_is_instant_) return;
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

void Costs::add_wide(Path& path, std::int64_t lane_bytes) const {
  const Rate& rate = profile_.lsu.register_bytes_per_clk;
  const std::int64_t wide =
      cycles_of(rate, lanes_per_warp * lane_bytes) - cycles_of(rate, lanes_per_warp * narrow_bytes);
  ledger_.extend(path, "lsu.register_bytes_per_clk", "wide load", Cycles(1), std::max(wide, std::int64_t{0}));
}

void Costs::add_uniform(Path& path, std::string_view field, Cycles saving) const {
  ledger_.extend(path, field, "uniform address", Cycles(-saving.count()));
}

void Costs::add_wavefronts(Path& path, const LoadShared& load, const Coordinates& at) {
  const SharedSpec& shared = profile_.shared;
  const Rate& back = profile_.lsu.writeback_bytes_per_clk;
  if (shared.bytes_per_clk.is_unlimited() && back.is_unlimited() && shared.conflict_latency == Cycles()) return;
  const Wavefronts wavefronts = wavefronts_.count(load.from, at, load.how);
  const std::int64_t free_bytes = free_wavefronts * line_bytes;
  const std::int64_t of_banks =
      cycles_of(shared.bytes_per_clk, std::max(wavefronts.fewest * line_bytes - free_bytes, std::int64_t{0}));
  const std::int64_t of_registers =
      cycles_of(back, std::max(filled_bytes(load, element_bytes(load.from)) - free_bytes, std::int64_t{0}));
  ledger_.extend(path, of_registers > of_banks ? "lsu.writeback_bytes_per_clk" : "shared.bytes_per_clk",
                 "wide shared-memory load", Cycles(1), std::max(of_banks, of_registers));
  ledger_.extend(path, "shared.conflict_latency", "bank conflicts", shared.conflict_latency,
                 wavefronts.taken - wavefronts.fewest);
}

std::int64_t Costs::element_bytes(const GlobalAccess& access) const {
  return size_of(schedule_.buffers.at(static_cast<std::size_t>(access.buffer.index())).dtype);
}

std::int64_t Costs::element_bytes(const SharedAccess& access) const {
  return size_of(schedule_.shared_tiles.at(static_cast<std::size_t>(access.tile.index())).dtype);
}

}  // namespace gpusim::estimate
