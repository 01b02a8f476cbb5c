// When operations begin, and when their registers have been read: until then those may not be overwritten.
#include <string>

#include "estimate/costs.h"
#include "sizes.h"

namespace gpusim::estimate {
namespace {

/// What reading an operation's registers is the sum of.
struct Read {
  std::string_view field;
  Cycles base;
  std::string_view address_field;
  Cycles address;          ///< addresses in lanes' registers
  std::int64_t bytes = 0;  ///< of the data
};

}  // namespace

void Costs::add_read(Path& path, const Operation& operation) const {
  const LsuSpec& lsu = profile_.lsu;
  const auto global_store = [&](const GlobalAccess& to) {
    return Read{"lsu.store_read", lsu.store_read, "lsu.global_store_address_read",
                to.uniform ? Cycles() : lsu.global_store_address_read,
                std::int64_t{lanes_per_warp} * to.vector * element_bytes(to)};
  };
  Read read;
  if (const auto* load = std::get_if<LoadGlobal>(&operation.action)) {
    read = {"lsu.load_read", lsu.load_read, "lsu.global_address_read",
            load->from.uniform ? Cycles() : lsu.global_address_read};
  } else if (std::holds_alternative<LoadShared>(operation.action)) {
    read = {"lsu.load_read", lsu.load_read, "", {}};
  } else if (const auto* store = std::get_if<StoreGlobal>(&operation.action)) {
    read = global_store(store->to);
  } else if (const auto* atomic = std::get_if<AtomicAdd>(&operation.action)) {
    read = global_store(atomic->to);
  } else if (const auto* shared = std::get_if<StoreShared>(&operation.action)) {
    read = {"lsu.store_read", lsu.store_read, "lsu.shared_store_address_read",
            shared->to.uniform ? Cycles() : lsu.shared_store_address_read,
            std::int64_t{lanes_per_warp} * shared->to.vector * element_bytes(shared->to)};
  } else if (std::holds_alternative<CopyAsync>(operation.action)) {
    read = {"lsu.copy_read", lsu.copy_read, "", {}};
  } else if (std::holds_alternative<LoadConstant>(operation.action)) {
    read = {"lsu.constant_read", lsu.constant_read, "", {}};
  }
  const std::string_view what = name(operation.action);
  ledger_.extend(path, read.field, what, read.base);
  ledger_.extend(path, read.address_field, what, read.address);
  const Rate& rate = lsu.register_bytes_per_clk;
  if (!rate.is_unlimited())
    ledger_.extend(path, "lsu.register_bytes_per_clk", std::string(what) + " data", Cycles(1),
                   (read.bytes * rate.period() + rate.amount() - 1) / rate.amount());
}

void Costs::add_start(Path& path, int warp) const {
  const Rate& rate = profile_.launch.warps_per_clk;
  if (!rate.is_unlimited())
    ledger_.extend(path, "launch.warps_per_clk", "warps of the CTA begin", Cycles(1),
                   warp * rate.period() / rate.amount());
}

}  // namespace gpusim::estimate
