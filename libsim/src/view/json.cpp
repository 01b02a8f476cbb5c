#include "gpusim/view/json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "gpusim/estimate/power.h"
#include "gpusim/profile_io.h"
#include "view/format.h"

namespace gpusim::view {

namespace {

using OrderedJson = nlohmann::ordered_json;

/// JSON has no infinity: a rate without limit is null.
OrderedJson number(double value) { return std::isfinite(value) ? OrderedJson(value) : OrderedJson(nullptr); }

OrderedJson strings(const std::vector<std::pair<std::string, std::string>>& pairs) {
  OrderedJson object = OrderedJson::object();
  for (const auto& [key, value] : pairs) object[key] = value;
  return object;
}

OrderedJson roles(const KernelResult& kernel) {
  OrderedJson object = OrderedJson::object();
  for (const RoleRow& role : kernel.roles) {
    object[role.role] = {{"warps", role.warps}, {"warp_cycles", role.warp_cycles}, {"instructions", role.instructions}};
  }
  return object;
}

OrderedJson stalls_by_role(const KernelResult& kernel) {
  OrderedJson object = OrderedJson::object();
  for (const RoleRow& role : kernel.roles)
    for (std::size_t i = 0; i < reason_count; ++i)
      object[role.role][std::string(reason_names[i])] = role.stalls.by_reason[i];
  return object;
}

OrderedJson traffic_of(const Traffic& traffic) {
  return {{"global_load_bytes", traffic.global_load_bytes},
          {"global_store_bytes", traffic.global_store_bytes},
          {"shared_load_bytes", traffic.shared_load_bytes},
          {"shared_store_bytes", traffic.shared_store_bytes},
          {"l1_read_sectors", traffic.l1_read_sectors},
          {"l1_hit_sectors", traffic.l1_hit_sectors},
          {"l2_read_sectors", traffic.l2_read_sectors},
          {"l2_hit_sectors", traffic.l2_hit_sectors},
          {"l2_coalesced_sectors", traffic.l2_coalesced_sectors},
          {"l2_far_sectors", traffic.l2_far_sectors},
          {"l2_delivered_sectors", traffic.l2_delivered_sectors},
          {"l2_write_sectors", traffic.l2_write_sectors},
          {"dram_read_bytes", traffic.dram_read_bytes},
          {"dram_write_bytes", traffic.dram_write_bytes},
          {"shared_wavefronts", traffic.shared_wavefronts},
          {"shared_ideal_wavefronts", traffic.shared_ideal_wavefronts}};
}

OrderedJson receipts_by_hop(const KernelResult& kernel) {
  OrderedJson object = OrderedJson::object();
  for (std::size_t i = 0; i < hop_count; ++i) {
    const HopTotals& hop = kernel.hops[i];
    object[std::string(hop_names[i])] = {
        {"receipts", hop.receipts}, {"latency", hop.latency}, {"waiting", hop.waiting}};
  }
  return object;
}

OrderedJson work_of(const Work& work) {
  return {{"flops", work.flops},
          {"pipe", name(work.pipe)},
          {"dtype", name(work.input)},
          {"accumulate", name(work.accumulate)},
          {"sparse", work.sparse}};
}

OrderedJson skipped_of(const Skipped& skipped) {
  return {{"k_tiles", skipped.k_tiles},
          {"ctas", skipped.ctas},
          {"cycles", skipped.cycles.count()},
          {"times", skipped.times},
          {"spread_ppm", skipped.spread_ppm}};
}

OrderedJson kernel_fields(const KernelResult& kernel) {
  const std::optional<double> steady = steady_cycles_per_tile(kernel);
  return {{"schedule", kernel.schedule},
          {"schedule_digest", hexadecimal(kernel.schedule_digest)},
          {"choices", strings(kernel.choices)},
          {"work", work_of(kernel.work)},
          {"compulsory_bytes", kernel.compulsory_bytes.count()},
          {"steady_cycles_per_tile", steady ? number(*steady) : OrderedJson(nullptr)},
          {"kernel_launch_ns", kernel.kernel_launch_ns},
          {"launch_cycles", kernel.launch.count()},
          {"drain_cycles", kernel.drain.count()},
          {"ctas", kernel.ctas},
          {"ctas_done", kernel.ctas_done},
          {"work_share", number(kernel.work_share)},
          {"multiply_adds", kernel.multiply_adds ? number(*kernel.multiply_adds) : OrderedJson(nullptr)},
          {"occupancy", {{"ctas", kernel.occupancy.ctas}, {"limiter", kernel.occupancy.limiter}}},
          {"sms_used", kernel.sms_used},
          {"sm_active_cycles", kernel.sm_active_cycles},
          {"roles", roles(kernel)},
          {"stalls", stalls_by_role(kernel)},
          {"receipts", receipts_by_hop(kernel)},
          {"traffic", traffic_of(kernel.traffic)},
          {"k_tiles", kernel.k_tiles},
          {"skipped", skipped_of(kernel.skipped)}};
}

OrderedJson kernel_object(const KernelResult& kernel) {
  OrderedJson object = {{"cycles", kernel.cycles.count()}};
  object.update(kernel_fields(kernel));
  return object;
}

OrderedJson server_rows(const Result& result) {
  OrderedJson rows = OrderedJson::array();
  for (const ServerRow& server : result.servers) {
    rows.push_back({{"name", server.name},
                    {"unit", server.unit},
                    {"servers", server.servers},
                    {"rate_per_clk", number(server.rate.per_cycle())},
                    {"work", server.work},
                    {"busy", number(server.busy)},
                    {"waited", server.waited},
                    {"utilisation", number(utilisation(server, cycles(result)))}});
  }
  return rows;
}

OrderedJson pool_rows(const Result& result) {
  OrderedJson rows = OrderedJson::array();
  for (const PoolRow& pool : result.pools) {
    rows.push_back(
        {{"name", pool.name},
         {"pools", pool.pools},
         {"capacity", pool.capacity.is_unlimited() ? OrderedJson(nullptr) : OrderedJson(pool.capacity.value())},
         {"taken", pool.taken},
         {"peak", pool.peak},
         {"refused", pool.refused}});
  }
  return rows;
}

OrderedJson power_of(const Result& result) {
  const auto drawn = estimate::power(result);
  if (!drawn) return nullptr;
  OrderedJson terms = OrderedJson::object();
  for (const estimate::EnergyTerm& term : drawn->terms)
    terms[std::string(term.name)] = {{"millijoules", term.millijoules}, {"watts", term.watts}};
  return {{"watts", drawn->watts},
          {"limit_watts", drawn->limit_watts},
          {"us", drawn->us},
          {"clock_mhz_under_limit", estimate::clock_under_power(result, drawn->limit_watts)},
          {"terms", std::move(terms)}};
}

}  // namespace

std::string json(const Result& result) {
  OrderedJson page = {{"schema_version", json_schema_version},
                      {"version", result.version},
                      {"digest", hexadecimal(result.digest)},
                      {"profile_digest", hexadecimal(result.profile_digest)},
                      {"termination", name(result.termination)},
                      {"cycles", cycles(result).count()},
                      {"time_us", number(time_us(result))},
                      {"tflops", number(tflops(result))},
                      {"peak_tflops", number(peak_tflops(result))},
                      {"options",
                       {{"clock_mhz", result.clock_mhz},
                        {"l2", strings(result.l2_before)},
                        {"l2_dirty_percent", result.l2_dirty_percent},
                        {"code", result.code_before},
                        {"exact", exact(result)},
                        {"max_cycles", result.max_cycles ? OrderedJson(result.max_cycles->count()) : nullptr},
                        {"max_ctas", result.max_ctas ? OrderedJson(*result.max_ctas) : nullptr}}}};
  if (result.kernels.size() == 1) page.update(kernel_fields(result.kernels.front()));
  page["servers"] = server_rows(result);
  page["pools"] = pool_rows(result);
  page["power"] = power_of(result);
  page["kernels"] = OrderedJson::array();
  for (const KernelResult& kernel : result.kernels) page["kernels"].push_back(kernel_object(kernel));
  page["profile"] = OrderedJson::parse(to_json(result.profile));
  return page.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace gpusim::view
