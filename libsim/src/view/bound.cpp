#include "gpusim/view/bound.h"

#include "view/facts.h"

namespace gpusim::view {

std::string bound(const Result& result) {
  const std::vector<const ServerRow*> servers = busiest_servers(result);
  if (servers.empty() || utilisation(*servers.front(), cycles(result)) < bounding_utilisation) return "latency";
  return servers.front()->name;
}

}  // namespace gpusim::view
