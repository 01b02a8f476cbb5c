#include "estimate/uses.h"

#include <optional>

namespace gpusim::estimate {
namespace {

struct Collector {
  Uses uses;

  void operator()(const LoadGlobal& load) {
    read(load.from.address);
    uses.writes.push_back(load.into);
  }
  void operator()(const StoreGlobal& store) {
    uses.reads.push_back(store.from);
    read(store.to.address);
  }
  void operator()(const LoadShared& load) {
    read(load.from.address);
    uses.writes.push_back(load.into);
  }
  void operator()(const StoreShared& store) {
    uses.reads.push_back(store.from);
    read(store.to.address);
  }
  void operator()(const CopyAsync& copy) {
    read(copy.from.address);
    read(copy.to.address);
  }
  void operator()(const LoadConstant& load) {
    read(load.address);
    uses.writes.push_back(load.into);
  }
  void operator()(const AtomicAdd& atomic) {
    uses.reads.push_back(atomic.from);
    read(atomic.to.address);
    if (atomic.into) uses.writes.push_back(*atomic.into);
  }
  void operator()(const Multiply& multiply) {
    uses.reads = {multiply.a, multiply.b};
    uses.writes.push_back(multiply.c);
  }
  /// Its result is there once it has been waited for.
  void operator()(const WarpgroupMultiply& multiply) {
    if (const auto* a = std::get_if<Token>(&multiply.a)) uses.reads.push_back(*a);
    if (multiply.metadata) uses.reads.push_back(multiply.metadata->fragment);
    uses.reads.push_back(multiply.c);
  }
  void operator()(const Scale& scale) {
    uses.writes.push_back(scale.c);
    read(scale.source);
    read(scale.bias);
    if (scale.factors) uses.reads.insert(uses.reads.end(), {scale.factors->rows, scale.factors->columns});
  }
  void operator()(const Arithmetic& arithmetic) {
    uses.reads = arithmetic.reads;
    if (arithmetic.writes) uses.writes.push_back(*arithmetic.writes);
  }
  void operator()(const Map& map) {
    uses.reads.push_back(map.a);
    read(map.b);
    uses.writes.push_back(map.into);
  }
  void operator()(const Reduce& reduce) {
    uses.reads.push_back(reduce.from);
    uses.writes.push_back(reduce.into);
  }
  void operator()(const Shuffle& shuffle) {
    uses.reads.push_back(shuffle.from);
    uses.writes.push_back(shuffle.into);
  }
  void operator()(const TransposeMatrices& transpose) {
    uses.reads.push_back(transpose.fragment);
    uses.writes.push_back(transpose.fragment);
  }
  template <class Other>
  void operator()(const Other&) {}

  void read(const std::optional<Token>& token) {
    if (token) uses.reads.push_back(*token);
  }
};

}  // namespace

Uses uses_of(const Action& action) {
  Collector collector;
  std::visit(collector, action);
  return std::move(collector.uses);
}

bool exempt_from_serial(const Action& action) {
  const auto* arithmetic = std::get_if<Arithmetic>(&action);
  return std::holds_alternative<CopyAsync>(action) || std::holds_alternative<CommitGroup>(action) ||
         std::holds_alternative<WaitGroup>(action) || std::holds_alternative<BulkCopy>(action) ||
         std::holds_alternative<BulkStore>(action) || std::holds_alternative<BulkCommit>(action) ||
         std::holds_alternative<BulkWait>(action) || std::holds_alternative<RegisterReallocate>(action) ||
         std::holds_alternative<WarpgroupMultiply>(action) || std::holds_alternative<WarpgroupCommit>(action) ||
         std::holds_alternative<WarpgroupWait>(action) || (arithmetic != nullptr && arithmetic->overhead);
}

bool is_mma(const Action& action) {
  const auto* multiply = std::get_if<Multiply>(&action);
  return multiply != nullptr && multiply->pipe == Pipe::tensor;
}

}  // namespace gpusim::estimate
