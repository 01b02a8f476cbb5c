#include "view/facts.h"

#include <algorithm>

#include "view/format.h"
#include "view/table.h"

namespace gpusim::view {

const ServerRow* server_named(const Result& result, std::string_view name) {
  for (const ServerRow& server : result.servers)
    if (server.name == name) return &server;
  return nullptr;
}

std::vector<const ServerRow*> busiest_servers(const Result& result) {
  std::vector<const ServerRow*> servers;
  for (const ServerRow& server : result.servers)
    if (utilisation(server, cycles(result)) > 0) servers.push_back(&server);
  std::stable_sort(servers.begin(), servers.end(), [&](const ServerRow* a, const ServerRow* b) {
    return utilisation(*a, cycles(result)) > utilisation(*b, cycles(result));
  });
  return servers;
}

std::int64_t read_count(const KernelResult& kernel) {
  std::int64_t reads = 0;
  for (const HopTotals& hop : kernel.hops) reads = std::max(reads, hop.receipts);
  return reads;
}

std::string hop_table(const KernelResult& kernel) {
  const std::int64_t reads = read_count(kernel);
  if (reads == 0) return "";
  const auto mean = [&](std::int64_t sum) { return fixed(static_cast<double>(sum) / static_cast<double>(reads), 1); };

  Table table("lrrr");
  table.row({"hop", "required", "waiting", "of waiting"});
  HopTotals all;
  for (const HopTotals& hop : kernel.hops) {
    all.latency += hop.latency;
    all.waiting += hop.waiting;
  }
  for (std::size_t i = 0; i < hop_count; ++i) {
    const HopTotals& hop = kernel.hops[i];
    if (hop.latency == 0 && hop.waiting == 0) continue;
    table.row({std::string(hop_names[i]), mean(hop.latency), mean(hop.waiting),
               share(static_cast<double>(hop.waiting), static_cast<double>(all.waiting))});
  }
  table.row({"all", mean(all.latency), mean(all.waiting)});
  return table.text();
}

std::string_view method_of(const Profile& profile, const std::string& key) {
  const auto entry = profile.provenance.find(key);
  if (entry == profile.provenance.end()) return "";
  return spec_names(Method{})[static_cast<std::size_t>(entry->second.method)];
}

}  // namespace gpusim::view
