#include "gpusim/program.h"

#include <algorithm>
#include <array>

namespace gpusim {
namespace {

std::size_t index_of(Coordinate source) { return static_cast<std::size_t>(source); }
std::size_t loop_coordinate(std::size_t depth) { return index_of(Coordinate::loop0) + depth; }

std::string_view multiply_name(const Multiply& multiply) {
  if (multiply.pipe != Pipe::tensor) return "FFMA";
  if (multiply.input == DType::b1) return "BMMA";
  if (multiply.input == DType::int8 || multiply.input == DType::int4) return multiply.sparse ? "IMMA.SP" : "IMMA";
  if (multiply.input == DType::fp64) return "DMMA";
  return multiply.sparse ? "HMMA.SP" : "HMMA";
}

struct NameOf {
  std::string_view operator()(const LoadGlobal& load) const { return load.bypass_l1 ? "LDG.CG" : "LDG"; }
  std::string_view operator()(const StoreGlobal&) const { return "STG"; }
  std::string_view operator()(const LoadShared& load) const { return load.from.peer ? "LDS.CLUSTER" : "LDS"; }
  std::string_view operator()(const StoreShared& store) const { return store.to.peer ? "STS.CLUSTER" : "STS"; }
  std::string_view operator()(const CopyAsync& copy) const { return copy.through_l1 ? "LDGSTS.CA" : "LDGSTS"; }
  std::string_view operator()(const CommitGroup&) const { return "LDGDEPBAR"; }
  std::string_view operator()(const WaitGroup&) const { return "DEPBAR"; }
  std::string_view operator()(const BulkCopy&) const { return "UTMALDG"; }
  std::string_view operator()(const BarrierArrive&) const { return "SYNCS.ARRIVE"; }
  std::string_view operator()(const BarrierWait&) const { return "SYNCS.WAIT"; }
  std::string_view operator()(const Multiply& multiply) const { return multiply_name(multiply); }
  std::string_view operator()(const Scale& scale) const { return scale.source ? "FFMA.SCALE" : "FMUL"; }
  std::string_view operator()(const Arithmetic& arithmetic) const {
    constexpr std::array<std::string_view, pipe_count> names{"FMA", "ALU", "SFU", "TENSOR"};
    return names[static_cast<std::size_t>(arithmetic.pipe)];
  }
  std::string_view operator()(const CtaBarrier&) const { return "BAR"; }
  std::string_view operator()(const LoadConstant&) const { return "LDC"; }
  std::string_view operator()(const AtomicAdd& atomic) const { return atomic.into ? "ATOM" : "RED"; }
  std::string_view operator()(const WarpgroupMultiply&) const { return "WGMMA"; }
  std::string_view operator()(const WarpgroupCommit&) const { return "WGMMA.COMMIT"; }
  std::string_view operator()(const WarpgroupWait&) const { return "WGMMA.WAIT"; }
  std::string_view operator()(const ClusterBarrier&) const { return "BARRIER.CLUSTER"; }
};

/// Counts how often guards hold over the loops around them.
class Counter {
 public:
  explicit Counter(const Coordinates& at) : at_(at) {}

  std::int64_t count(const std::vector<Statement>& body) {
    std::int64_t sum = 0;
    for (const Statement& statement : body) {
      if (const auto* operation = std::get_if<Operation>(&statement)) {
        sum += operation->count * times(operation->guard, 0);
      } else {
        const auto& loop = std::get<Loop>(statement);
        trips_.push_back(loop.trips);
        sum += count(loop.body);
        trips_.pop_back();
      }
    }
    return sum;
  }

 private:
  /// Trips, over the loops from `depth` inwards, at which the guard holds.
  std::int64_t times(const std::optional<Bound>& guard, std::size_t depth) {
    if (depth == trips_.size()) return !guard || guard->value(at_) < guard->limit ? 1 : 0;
    const std::int64_t trips = trips_[depth];
    if (!guard || !guard->value.depends_on(static_cast<Coordinate>(loop_coordinate(depth))))
      return trips * times(guard, depth + 1);
    if (counts_up(guard->value, depth)) return prefix(*guard, depth);
    std::int64_t sum = 0;
    for (std::int64_t& trip = at_[loop_coordinate(depth)]; trip < trips; ++trip) sum += times(guard, depth + 1);
    at_[loop_coordinate(depth)] = 0;
    return sum;
  }

  /// Whether the value never falls as the loop goes on, and no loop within it matters.
  [[nodiscard]] bool counts_up(const Layout& value, std::size_t depth) const {
    return std::all_of(value.terms().begin(), value.terms().end(), [depth](const Term& term) {
      const auto source = index_of(term.source);
      return source < loop_coordinate(depth) ||
             (source == loop_coordinate(depth) && term.modulus == 0 && term.stride >= 0);
    });
  }

  /// Of a value that never falls, the trips below the limit are the first ones: found by bisection.
  std::int64_t prefix(const Bound& guard, std::size_t depth) {
    std::int64_t& trip = at_[loop_coordinate(depth)];
    std::int64_t low = 0;
    std::int64_t high = trips_[depth];
    while (low < high) {
      trip = low + (high - low) / 2;
      if (guard.value(at_) < guard.limit)
        low = trip + 1;
      else
        high = trip;
    }
    trip = 0;
    for (std::size_t inner = depth + 1; inner < trips_.size(); ++inner) low *= trips_[inner];
    return low;
  }

  Coordinates at_;
  std::vector<std::int64_t> trips_;
};

}  // namespace

std::string_view name(Pipe pipe) {
  constexpr std::array<std::string_view, pipe_count> names{"fma", "alu", "sfu", "tensor"};
  return names[static_cast<std::size_t>(pipe)];
}

std::string_view name(const Action& action) { return std::visit(NameOf{}, action); }

Token Program::token(std::string name) {
  tokens.push_back(std::move(name));
  return Token(static_cast<std::int64_t>(tokens.size()) - 1);
}

std::int64_t instruction_count(const Program& program, const Coordinates& at) {
  return Counter(at).count(program.body);
}

}  // namespace gpusim
