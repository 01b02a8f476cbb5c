#include <algorithm>
#include <string>

#include "machine/collect.h"

namespace gpusim::machine {
namespace {

/// Adds servers of one kind up into a row.
class ServerSum {
 public:
  ServerSum(std::string name, std::string unit) {
    row_.name = std::move(name);
    row_.unit = std::move(unit);
  }
  template <class Server>
  void add(const Server& server) {
    if (row_.servers++ == 0) row_.rate = server.rate();
    row_.work += server.work();
    row_.waited += server.waited();
  }
  [[nodiscard]] ServerRow row() && {
    if (!row_.rate.is_unlimited()) row_.busy = static_cast<double>(row_.work) / row_.rate.per_cycle();
    return std::move(row_);
  }

 private:
  ServerRow row_;
};

/// Adds pools of one kind up into a row.
class PoolSum {
 public:
  PoolSum(std::string name, Limited<std::int64_t> capacity) {
    row_.name = std::move(name);
    row_.capacity = capacity;
  }
  template <class Pool>
  void add(const Pool& pool) {
    ++row_.pools;
    row_.taken += pool.taken();
    row_.peak = std::max(row_.peak, pool.peak());
    row_.refused += pool.refused();
  }
  [[nodiscard]] PoolRow row() && { return std::move(row_); }

 private:
  PoolRow row_;
};

template <class Get>
ServerRow sm_servers(const Sms& sms, std::string name, std::string unit, Get&& get) {
  ServerSum sum(std::move(name), std::move(unit));
  for (const auto& sm : sms) sum.add(get(*sm));
  return std::move(sum).row();
}

template <class Get>
ServerRow sub_servers(const Sms& sms, std::string name, std::string unit, Get&& get) {
  ServerSum sum(std::move(name), std::move(unit));
  for (const auto& sm : sms)
    for (sm::SubPartition& sub : sm->sub_partitions()) sum.add(get(sub));
  return std::move(sum).row();
}

template <class Server>
ServerRow fabric_servers(const std::vector<Server>& servers, std::string name, std::string unit) {
  ServerSum sum(std::move(name), std::move(unit));
  for (const Server& server : servers) sum.add(server);
  return std::move(sum).row();
}

}  // namespace

void collect_servers(const Sms& sms, fabric::Fabric& fabric, const Configuration& configuration, Result& result) {
  std::vector<ServerRow>& rows = result.servers;
  rows.push_back(sub_servers(sms, "sm.issue", "instructions",
                             [](sm::SubPartition& sub) -> const core::Server& { return sub.port; }));
  const auto pipe = [&](const char* name, Pipe which, const char* unit) {
    rows.push_back(sub_servers(sms, name, unit, [which](sm::SubPartition& sub) -> const core::Server& {
      return sub.pipes[static_cast<std::size_t>(which)];
    }));
  };
  pipe("sm.fma", Pipe::fma, "instructions");
  pipe("sm.alu", Pipe::alu, "instructions");
  pipe("sm.sfu", Pipe::sfu, "instructions");
  pipe("sm.tensor", Pipe::tensor, "parts of a cycle");
  ServerRow banks = sub_servers(sms, "sm.register_banks", "operands",
                                [](sm::SubPartition& sub) -> const core::Server& { return sub.register_banks; });
  if (banks.work != 0) rows.push_back(std::move(banks));
  rows.push_back(sub_servers(sms, "sm.address", "instructions",
                             [](sm::SubPartition& sub) -> const core::Server& { return sub.address; }));
  rows.push_back(
      sm_servers(sms, "sm.lsu", "instructions", [](sm::Sm& sm) -> const core::Server& { return sm.lsu().accept(); }));
  rows.push_back(
      sm_servers(sms, "sm.shared", "wavefronts", [](sm::Sm& sm) -> const core::Server& { return sm.lsu().data(); }));
  rows.push_back(
      sm_servers(sms, "sm.l1_tags", "wavefronts", [](sm::Sm& sm) -> const core::Server& { return sm.lsu().tags(); }));
  rows.push_back(
      sm_servers(sms, "sm.l1_data", "cycles", [](sm::Sm& sm) -> const core::Server& { return sm.lsu().l1_data(); }));
  rows.push_back(sm_servers(sms, "sm.lsu_writeback", "registers",
                            [](sm::Sm& sm) -> const core::Server& { return sm.lsu().writeback(); }));
  rows.push_back(
      sm_servers(sms, "sm.tma_begin", "copies", [](sm::Sm& sm) -> const core::Server& { return sm.bulk().begins(); }));
  rows.push_back(
      sm_servers(sms, "sm.tma_bytes", "bytes", [](sm::Sm& sm) -> const core::Server& { return sm.bulk().bytes(); }));
  rows.push_back(
      sm_servers(sms, "sm.tma_rows", "rows", [](sm::Sm& sm) -> const core::Server& { return sm.bulk().rows(); }));
  rows.push_back(sm_servers(sms, "sm.tma_write", "wavefronts",
                            [](sm::Sm& sm) -> const core::Server& { return sm.lsu().bulk_writes(); }));
  rows.push_back(sm_servers(sms, "sm.port_out", "bytes",
                            [](sm::Sm& sm) -> const core::Server& { return sm.border().port_out(); }));
  rows.push_back(
      sm_servers(sms, "sm.port_in", "bytes", [](sm::Sm& sm) -> const core::Server& { return sm.border().port_in(); }));
  const auto shared_ports = [&](fabric::SharedPorts& ports, const std::string& way) {
    if (!ports.tpcs().empty()) rows.push_back(fabric_servers(ports.tpcs(), "crossbar.tpc_" + way, "bytes"));
    if (!ports.cpcs().empty()) rows.push_back(fabric_servers(ports.cpcs(), "crossbar.cpc_" + way, "bytes"));
    if (!ports.gpcs().empty()) rows.push_back(fabric_servers(ports.gpcs(), "crossbar.gpc_" + way, "bytes"));
  };
  shared_ports(fabric.ports_out(), "out");
  shared_ports(fabric.ports_in(), "in");
  if (configuration.fabric.has_l2) {
    rows.push_back(fabric_servers(fabric.memory().slices(), "l2.slice", "bytes"));
    if (!configuration.fabric.slice_write_rate.is_unlimited())
      rows.push_back(fabric_servers(fabric.memory().slice_writes(), "l2.slice_write", "bytes"));
    rows.push_back(fabric_servers(fabric.memory().atomic_units(), "l2.atomics", "sectors"));
    if (configuration.fabric.topology.partitions > 1)
      rows.push_back(fabric_servers(fabric.memory().links(), "l2.partition_link", "bytes"));
  }
  rows.push_back(fabric_servers(fabric.memory().channels(), "dram.channel", "bytes"));
  rows.push_back(fabric_servers(std::vector{fabric.dispatcher().server()}, "dispatcher", "CTAs"));
}

void collect_pools(const Sms& sms, fabric::Fabric& fabric, Result& result) {
  PoolSum cta_slots("sm.cta_slots", fabric.dispatcher().slots().empty()
                                        ? Limited<std::int64_t>::unlimited()
                                        : fabric.dispatcher().slots().front().capacity());
  for (const core::Pool& slots : fabric.dispatcher().slots()) cta_slots.add(slots);
  result.pools.push_back(std::move(cta_slots).row());
  if (sms.empty()) return;
  const sm::SmConfig& config = sms.front()->config();
  PoolSum shared_queue("sm.shared_queue", config.queue);
  PoolSum global_queue("sm.global_queue", config.queue);
  PoolSum miss("sm.miss_lines", config.miss_lines);
  PoolSum bulk("sm.tma_queue", config.bulk_queue);
  PoolSum stored("sm.tma_stored_lines", config.bulk_stored_lines);
  for (const auto& sm : sms) {
    for (const sm::SubPartition& sub : sm->sub_partitions()) {
      shared_queue.add(sub.shared_queue);
      global_queue.add(sub.global_queue);
    }
    miss.add(sm->border().miss_registers());
    bulk.add(sm->bulk().queue());
    stored.add(sm->bulk().stored_lines());
  }
  result.pools.push_back(std::move(shared_queue).row());
  result.pools.push_back(std::move(global_queue).row());
  result.pools.push_back(std::move(miss).row());
  result.pools.push_back(std::move(bulk).row());
  result.pools.push_back(std::move(stored).row());
}

}  // namespace gpusim::machine
