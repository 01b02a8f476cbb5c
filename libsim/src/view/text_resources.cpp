// The text view's servers and pools.
#include "view/format.h"
#include "view/section.h"
#include "view/table.h"

namespace gpusim::view {

namespace {

std::string rate_of(const ServerRow& server) {
  if (server.rate.is_unlimited()) return "unlimited";
  const double rate = server.rate.per_cycle();
  return fixed(rate, rate < 100 ? 2 : 1);
}

std::string servers(const Result& result) {
  Table table("lrrlrrr");
  table.row({"server", "number", "a cycle", "of", "work", "busy", "waited"});
  for (const ServerRow& server : result.servers) {
    if (server.work == 0) continue;
    table.row({fitted(server.name, name_width), grouped(server.servers), rate_of(server), server.unit,
               grouped(server.work), server.rate.is_unlimited() ? "-" : percent(utilisation(server, cycles(result))),
               grouped(server.waited)});
  }
  return table.text();
}

std::string pools(const Result& result) {
  Table table("lrrrrr");
  table.row({"pool", "number", "places", "peak", "taken", "refused"});
  bool used = false;
  for (const PoolRow& pool : result.pools) {
    if (pool.taken == 0) continue;
    used = true;
    table.row({fitted(pool.name, name_width), grouped(pool.pools),
               pool.capacity.is_unlimited() ? "unlimited" : grouped(pool.capacity.value()), grouped(pool.peak),
               grouped(pool.taken), grouped(pool.refused)});
  }
  return used ? "\n" + table.text() : "";
}

}  // namespace

std::string resource_section(const Result& result) {
  if (result.servers.empty() && result.pools.empty()) return "";
  return "\nResources\n" + servers(result) + pools(result);
}

}  // namespace gpusim::view
