#include "gpusim/action.h"

#include <array>

namespace gpusim {
namespace {

std::string_view multiply_name(const Multiply& multiply) {
  if (multiply.pipe != Pipe::tensor) {
    if (is_half_product(multiply)) return "HFMA2";
    return is_dot_product(multiply) ? "IDP" : "FFMA";
  }
  if (multiply.input == DType::b1) return "BMMA";
  if (multiply.input == DType::int8 || multiply.input == DType::int4) return multiply.sparse ? "IMMA.SP" : "IMMA";
  if (multiply.input == DType::fp64) return "DMMA";
  return multiply.sparse ? "HMMA.SP" : "HMMA";
}

struct NameOf {
  std::string_view operator()(const LoadGlobal& load) const { return load.bypass_l1 ? "LDG.CG" : "LDG"; }
  std::string_view operator()(const StoreGlobal&) const { return "STG"; }
  std::string_view operator()(const LoadShared& load) const {
    if (load.how == SharedRead::ldmatrix) return "LDSM";
    if (load.how == SharedRead::ldmatrix_trans) return "LDSM.T";
    return load.from.peer ? "LDS.CLUSTER" : "LDS";
  }
  std::string_view operator()(const StoreShared& store) const { return store.to.peer ? "STS.CLUSTER" : "STS"; }
  std::string_view operator()(const CopyAsync& copy) const { return copy.through_l1 ? "LDGSTS.CA" : "LDGSTS"; }
  std::string_view operator()(const CommitGroup&) const { return "LDGDEPBAR"; }
  std::string_view operator()(const WaitGroup&) const { return "DEPBAR"; }
  std::string_view operator()(const BulkCopy& copy) const {
    return copy.multicast == Multicast::none ? "UTMALDG" : "UTMALDG.MULTICAST";
  }
  std::string_view operator()(const BarrierArrive& arrive) const {
    return arrive.peer ? "SYNCS.ARRIVE.CLUSTER" : "SYNCS.ARRIVE";
  }
  std::string_view operator()(const BarrierWait&) const { return "SYNCS.WAIT"; }
  std::string_view operator()(const Multiply& multiply) const { return multiply_name(multiply); }
  std::string_view operator()(const Scale& scale) const { return scale.source || scale.bias ? "FFMA.SCALE" : "FMUL"; }
  std::string_view operator()(const Arithmetic& arithmetic) const {
    constexpr std::array<std::string_view, pipe_count> names{"FMA", "ALU", "SFU", "TENSOR"};
    return names[static_cast<std::size_t>(arithmetic.pipe)];
  }
  std::string_view operator()(const CtaBarrier&) const { return "BAR"; }
  std::string_view operator()(const LoadConstant&) const { return "LDC"; }
  std::string_view operator()(const AtomicAdd& atomic) const { return atomic.into ? "ATOM" : "RED"; }
  std::string_view operator()(const WarpgroupMultiply& multiply) const {
    return multiply.metadata ? "WGMMA.SP" : "WGMMA";
  }
  std::string_view operator()(const WarpgroupCommit&) const { return "WGMMA.COMMIT"; }
  std::string_view operator()(const WarpgroupWait&) const { return "WGMMA.WAIT"; }
  std::string_view operator()(const ClusterBarrier&) const { return "BARRIER.CLUSTER"; }
  std::string_view operator()(const BulkStore& store) const { return store.reduce ? "UTMAREDG" : "UTMASTG"; }
  std::string_view operator()(const BulkCommit&) const { return "UTMACMDFLUSH"; }
  std::string_view operator()(const BulkWait&) const { return "UTMACMDWAIT"; }
  std::string_view operator()(const GridBarrier&) const { return "BARRIER.GRID"; }
  std::string_view operator()(const RegisterReallocate&) const { return "USETMAXREG"; }
  std::string_view operator()(const Map& map) const {
    constexpr std::array<std::string_view, pipe_count> names{"FMA.MAP", "ALU.MAP", "MUFU.MAP", "TENSOR.MAP"};
    return names[static_cast<std::size_t>(map.pipe)];
  }
  std::string_view operator()(const Reduce& reduce) const {
    return reduce.reduction == Reduction::maximum ? "FMNMX.REDUCE" : "FADD.REDUCE";
  }
  std::string_view operator()(const Shuffle&) const { return "SHFL.BFLY"; }
  std::string_view operator()(const TransposeMatrices&) const { return "MOVM"; }
};

}  // namespace

std::string_view name(Pipe pipe) {
  constexpr std::array<std::string_view, pipe_count> names{"fma", "alu", "sfu", "tensor"};
  return names[static_cast<std::size_t>(pipe)];
}

std::string_view name(const Action& action) { return std::visit(NameOf{}, action); }

std::int64_t filled_bytes(const LoadShared& load, std::int64_t element_bytes) {
  const std::int64_t of_lane = load.from.vector * element_bytes;
  constexpr std::int64_t lanes = 32;  // of a warp
  if (load.how == SharedRead::lds || !load.from.lanes) return lanes * of_lane;
  std::int64_t naming = 0;
  Coordinates at{};
  for (std::int64_t& lane = at[static_cast<std::size_t>(Coordinate::lane)]; lane < lanes; ++lane)
    naming += load.from.lanes->value(at) < load.from.lanes->limit ? 1 : 0;
  return naming * of_lane;
}

}  // namespace gpusim
